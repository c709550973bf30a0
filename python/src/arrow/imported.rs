//! Arrow's C data interface, as far as columns of lists of text need it: the memory of a batch as slices. All unsafe code is here;
//! that the memory is as described is the promise of whoever exports it.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_void};
use std::marker::PhantomData;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

/// A schema, by the interface's own layout.
#[repr(C)]
struct ArrowSchema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *const *const ArrowSchema,
    dictionary: *const ArrowSchema,
    release: *const c_void,
    private_data: *const c_void,
}

/// An array, by the interface's own layout.
#[repr(C)]
struct ArrowArray {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *const *const c_void,
    children: *const *const ArrowArray,
    dictionary: *const ArrowArray,
    release: *const c_void,
    private_data: *const c_void,
}

/// A batch that is kept alive: its memory is given back when this is dropped.
pub struct Imported<'py> {
    schema: Bound<'py, PyCapsule>,
    array: Bound<'py, PyCapsule>,
}

impl<'py> Imported<'py> {
    /// What `__arrow_c_array__` exports.
    pub fn of(batch: &Bound<'py, PyAny>) -> PyResult<Imported<'py>> {
        let exported = batch.call_method0("__arrow_c_array__").map_err(|error| {
            let found = batch.get_type();
            PyTypeError::new_err(format!(
                "found {found}, which exports no batch of Arrow ({error}); expected one that does"
            ))
        })?;
        let (schema, array) = exported.extract::<(Bound<'py, PyAny>, Bound<'py, PyAny>)>()?;
        let capsule = |object: Bound<'py, PyAny>| object.cast_into::<PyCapsule>().map_err(PyErr::from);
        Ok(Imported { schema: capsule(schema)?, array: capsule(array)? })
    }

    /// The batch as an array of structures.
    pub fn root(&self) -> PyResult<Array<'_>> {
        let schema = self.schema.pointer_checked(Some(c"arrow_schema"))?.cast::<ArrowSchema>();
        let array = self.array.pointer_checked(Some(c"arrow_array"))?.cast::<ArrowArray>();
        // SAFETY: capsules of these names hold such structures, which live as long as the capsules, and those as long as `self`.
        let (schema, array) = unsafe { (schema.as_ref(), array.as_ref()) };
        if schema.release.is_null() || array.release.is_null() {
            return Err(PyValueError::new_err("the batch has been given away already; expected one of its own"));
        }
        Ok(Array { schema, array, lifetime: PhantomData })
    }
}

/// An array with its schema.
#[derive(Clone, Copy)]
pub struct Array<'a> {
    schema: &'a ArrowSchema,
    array: &'a ArrowArray,
    lifetime: PhantomData<&'a ()>,
}

impl<'a> Array<'a> {
    /// Its type, as the interface spells it.
    pub fn format(&self) -> &'a str {
        text_at(self.schema.format)
    }

    /// Its name.
    pub fn name(&self) -> &'a str {
        text_at(self.schema.name)
    }

    /// Whether values are numbers of a dictionary's entries.
    pub fn is_dictionary(&self) -> bool {
        !self.schema.dictionary.is_null()
    }

    /// How many values it has.
    pub fn len(&self) -> usize {
        self.array.length as usize
    }

    /// How many values come before its first in its buffers.
    pub fn offset(&self) -> usize {
        self.array.offset as usize
    }

    /// The arrays of which it is made.
    pub fn children(&self) -> Vec<Array<'a>> {
        let n = self.array.n_children.min(self.schema.n_children).max(0) as usize;
        // SAFETY: there are so many pointers to arrays and schemas, all of which live as long as the parents.
        let child = |i: usize| unsafe {
            let (schema, array) = (*self.schema.children.add(i), *self.array.children.add(i));
            Array { schema: &*schema, array: &*array, lifetime: PhantomData }
        };
        (0..n).map(child).collect()
    }

    /// Which values there are; none if all are.
    pub fn validity(&self) -> Option<&'a [u8]> {
        let bits = self.offset() + self.len();
        if self.array.null_count == 0 || self.pointer(0).is_null() {
            return None;
        }
        Some(self.buffer::<u8>(0, bits.div_ceil(8)))
    }

    /// The first `n` elements of a buffer.
    pub fn buffer<T: Plain>(&self, number: usize, n: usize) -> &'a [T] {
        let pointer = self.pointer(number);
        if n == 0 || pointer.is_null() {
            return &[];
        }
        assert!(pointer.cast::<T>().is_aligned(), "buffers are aligned for what they hold");
        // SAFETY: the buffer is of such elements, of which any bytes are one, and has so many of them by the format; it lives as
        // long as the array.
        unsafe { std::slice::from_raw_parts(pointer.cast::<T>(), n) }
    }

    /// The number of buffers.
    pub fn n_buffers(&self) -> usize {
        self.array.n_buffers as usize
    }

    fn pointer(&self, number: usize) -> *const c_void {
        if number >= self.n_buffers() {
            return std::ptr::null();
        }
        // SAFETY: there are so many pointers.
        unsafe { *self.array.buffers.add(number) }
    }
}

/// What buffers hold: any bytes are a value.
pub trait Plain: Copy {}

macro_rules! plain {
    ($($type:ty),*) => { $(impl Plain for $type {})* };
}

plain!(i8, u8, i16, u16, i32, u32, i64, u64, u128);

fn text_at<'a>(pointer: *const c_char) -> &'a str {
    if pointer.is_null() {
        return "";
    }
    // SAFETY: names and formats are text that ends in 0 and lives as long as the schema.
    unsafe { CStr::from_ptr(pointer) }.to_str().unwrap_or("")
}

/// The bytes of a number as they stand in memory.
pub fn bytes(number: &u128) -> &[u8] {
    // SAFETY: any number of 16 bytes is so many bytes, which live as long as it.
    unsafe { std::slice::from_raw_parts(std::ptr::from_ref(number).cast::<u8>(), size_of::<u128>()) }
}
