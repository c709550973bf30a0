//! The library's errors as exceptions, with the messages that the program prints.

use std::any::Any;
use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::exceptions::{PyFileNotFoundError, PyOSError, PyPermissionError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use treebeam::error::{Error, Problem};

/// Runs what Python called. A panic, which PyO3 would make an exception that `except Exception` does not catch, becomes a
/// RuntimeError: no panic crosses the border. Every function and method of the module does all of its work in here.
pub fn guarded<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    // What is half done is either dropped on the way, or, like a model, never changes.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(of_panic(&*panic)))
}

/// The exception for a panic, by its message.
fn of_panic(panic: &(dyn Any + Send)) -> PyErr {
    let message = panic.downcast_ref::<&str>().copied().or(panic.downcast_ref::<String>().map(String::as_str));
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
            _ => PyOSError::new_err(message),
        },
        _ => PyValueError::new_err(message),
    }
}

/// The exception for a problem of data.
pub fn of_problem(problem: Problem) -> PyErr {
    PyValueError::new_err(problem.to_string())
}

/// What Python's `json` makes of a text.
pub fn from_json<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (text,))
}
