//! The library's errors as exceptions, with the messages that the program prints.

use std::io::ErrorKind;

use pyo3::exceptions::{PyFileNotFoundError, PyOSError, PyPermissionError, PyValueError};
use pyo3::prelude::*;
use treebeam::error::{Error, Problem};

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
