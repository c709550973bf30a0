//! Arrow's C data interface, as far as columns of lists of text need it: the memory of a batch as slices. That pointers lead to memory of
//! the described size is the promise of whoever exports it. All else is checked: counts, pointers that are null, alignment.
#![allow(unsafe_code)]

use std::borrow::Cow;
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
    /// Export of `__arrow_c_array__`.
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
        Array::new(schema, array).map_err(|found| {
            PyValueError::new_err(format!("found a batch of Arrow with {found}; expected one of sound parts"))
        })
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
    /// The array, if its numbers can be right.
    fn new(schema: &'a ArrowSchema, array: &'a ArrowArray) -> Result<Array<'a>, String> {
        if schema.release.is_null() || array.release.is_null() {
            return Err("memory that was given away already".to_owned());
        }
        let n_children = (array.n_children, array.children.is_null());
        for (what, number, is_null) in [
            ("length", array.length, false),
            ("offset", array.offset, false),
            ("number of buffers", array.n_buffers, array.buffers.is_null()),
            ("number of children", n_children.0, n_children.1 || schema.children.is_null()),
        ] {
            if usize::try_from(number).is_err() {
                return Err(format!("the {what} {number}"));
            }
            if number > 0 && is_null {
                return Err(format!("the {what} {number}, and none of them"));
            }
        }
        if array.n_children != schema.n_children {
            let (found, expected) = (array.n_children, schema.n_children);
            return Err(format!("{found} children where its schema has {expected}"));
        }
        if array.length.checked_add(array.offset).is_none_or(|end| end >= i64::MAX / 16) {
            return Err(format!("the offset {} and the length {}", array.offset, array.length));
        }
        Ok(Array { schema, array, lifetime: PhantomData })
    }

    /// Its type, as the interface spells it.
    pub fn format(&self) -> &'a str {
        text_at(self.schema.format)
    }

    /// Its name.
    pub fn name(&self) -> &'a str {
        text_at(self.schema.name)
    }

    /// True if values are numbers of a dictionary's entries.
    pub fn is_dictionary(&self) -> bool {
        !self.schema.dictionary.is_null()
    }

    /// The number of its values.
    pub fn len(&self) -> usize {
        self.array.length as usize
    }

    /// The number of values that come before its first in its buffers.
    pub fn offset(&self) -> usize {
        self.array.offset as usize
    }

    /// The end of its values in its buffers.
    pub fn end(&self) -> usize {
        self.offset() + self.len()
    }

    /// The arrays of which it is made.
    ///
    /// # Errors
    /// If one is not there, or its numbers cannot be right.
    pub fn children(&self) -> Result<Vec<Array<'a>>, String> {
        let child = |i: usize| {
            // SAFETY: there are so many pointers to arrays and schemas, all of which live as long as the parents.
            let (schema, array) =
                unsafe { ((*self.schema.children.add(i)).as_ref(), (*self.array.children.add(i)).as_ref()) };
            let (schema, array) = schema.zip(array).ok_or_else(|| format!("no child {i}"))?;
            Array::new(schema, array)
        };
        (0..self.array.n_children as usize).map(child).collect()
    }

    /// The bits of the values that there are; none if all are.
    ///
    /// # Errors
    /// Those of [`Array::buffer`].
    pub fn validity(&self) -> Result<Option<Cow<'a, [u8]>>, String> {
        if self.array.null_count == 0 || self.pointer(0).is_null() {
            return Ok(None);
        }
        self.buffer::<u8>(0, self.end().div_ceil(8)).map(Some)
    }

    /// The first `n` elements of a buffer: where they stand, or a copy if they are not aligned there.
    ///
    /// # Errors
    /// If there is no such buffer, or no memory has so many.
    pub fn buffer<T: Plain>(&self, number: usize, n: usize) -> Result<Cow<'a, [T]>, String> {
        let pointer = self.pointer(number).cast::<T>();
        if n == 0 {
            return Ok(Cow::Borrowed(&[]));
        }
        if pointer.is_null() {
            return Err(format!("no buffer {number} of {n} elements"));
        }
        if n.checked_mul(size_of::<T>()).is_none_or(|bytes| bytes > isize::MAX as usize) {
            return Err(format!("a buffer of {n} elements"));
        }
        if pointer.is_aligned() {
            // SAFETY: the buffer is of such elements, of which any bytes are one, and has so many of them by the format; it lives as
            // long as the array.
            return Ok(Cow::Borrowed(unsafe { std::slice::from_raw_parts(pointer, n) }));
        }
        let mut copy = Vec::new();
        copy.try_reserve_exact(n).map_err(|error| error.to_string())?;
        // SAFETY: as above, but for the place where they stand, which is no matter when each is read by itself.
        copy.extend((0..n).map(|i| unsafe { pointer.add(i).read_unaligned() }));
        Ok(Cow::Owned(copy))
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

/// Element of a buffer: any bytes are a value.
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
