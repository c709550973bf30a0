//! The library's errors as exceptions, with the messages that the program prints.

use std::any::Any;
use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::exceptions::{PyFileNotFoundError, PyOSError, PyPermissionError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::{IntoPyObject, IntoPyObjectExt};
use treebeam::error::{Error, Problem};

use crate::memory::{Watch, ran_out};

/// Runs what Python called. A panic, which PyO3 would make an exception that `except Exception` does not catch, becomes a
/// RuntimeError, or a MemoryError if memory ran out: no panic crosses the border. Every function and method of the module does all of its
/// work in here.
pub fn guarded<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    let watch = Watch::begin()?;
    // What is half done is either dropped on the way, or, like a model, never changes.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(of_panic(&*panic, watch)))
}

/// The same for what is large and becomes Python's own, which may fail as well.
pub fn handed<'py, T: IntoPyObject<'py>>(
    py: Python<'py>,
    work: impl FnOnce() -> PyResult<T>,
) -> PyResult<Bound<'py, PyAny>> {
    guarded(|| work()?.into_bound_py_any(py))
}

/// PyO3's message when Python's own functions fail where they never do while there is memory.
const OF_PYTHON: &str = "Python API call failed";

/// The exception for a panic, by its message.
fn of_panic(panic: &(dyn Any + Send), watch: Watch) -> PyErr {
    let message = panic.downcast_ref::<&str>().copied().or(panic.downcast_ref::<String>().map(String::as_str));
    if watch.is_short() || message == Some(OF_PYTHON) {
        return ran_out();
    }
    let message = message.unwrap_or("a panic without a message");
    PyRuntimeError::new_err(format!("this is a fault of treebeam: {message}; please report it"))
}

/// Panics, for the test of what Python sees of that.
#[pyfunction]
pub fn _panic(message: String) -> PyResult<()> {
    guarded(|| panic!("{message}"))
}

/// The exception for an error.
pub fn exception(error: Error) -> PyErr {
    let message = error.to_string();
    match error {
        Error::Io { source, .. } => match source.kind() {
            ErrorKind::NotFound => PyFileNotFoundError::new_err(message),
            ErrorKind::PermissionDenied => PyPermissionError::new_err(message),
            // What cannot be unpacked or is not UTF-8.
            ErrorKind::InvalidData | ErrorKind::InvalidInput | ErrorKind::UnexpectedEof => {
                PyValueError::new_err(message)
            }
            ErrorKind::OutOfMemory => ran_out(),
            _ => PyOSError::new_err(message),
        },
        _ => PyValueError::new_err(message),
    }
}

/// The exception for a problem of data.
pub fn of_problem(problem: Problem) -> PyErr {
    PyValueError::new_err(problem.to_string())
}

/// The object that Python's `json` reads from a text.
pub fn from_json<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (text,))
}
