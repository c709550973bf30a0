//! Keyword arguments as the options that the command line has.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt};
use serde_json::{Map, Value};
use treebeam::options::{GivenOptions, of_names};
use treebeam::parser::ParseOptions;

use crate::errors::exception;

/// The options of training that are given: `average_from=3` is `--average-from 3`. What is `None` is not given.
pub fn of_training(options: Option<&Bound<'_, PyDict>>) -> PyResult<GivenOptions> {
    GivenOptions::of_names(named(options)?).map_err(exception)
}

/// Keyword arguments by the names of the command line.
fn named(options: Option<&Bound<'_, PyDict>>) -> PyResult<Map<String, Value>> {
    let mut named = Map::new();
    for (name, value) in options.into_iter().flatten() {
        let name: String = name.extract()?;
        if !value.is_none() {
            named.insert(name.replace('_', "-"), of_value(&name, &value)?);
        }
    }
    Ok(named)
}

fn of_value(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Value> {
    if value.is_instance_of::<PyBool>() {
        return Ok(Value::Bool(value.extract()?));
    }
    if value.is_instance_of::<PyInt>() {
        let number = value.extract::<i64>().map(Value::from).or_else(|_| value.extract::<u64>().map(Value::from));
        return number
            .map_err(|_| PyValueError::new_err(format!("{name}: found `{value}`; expected a number of 64 bits")));
    }
    if value.is_instance_of::<PyFloat>() {
        return Ok(Value::from(value.extract::<f64>()?));
    }
    // Names, and paths of feature sets.
    Ok(Value::String(value.str()?.extract()?))
}

/// The options of parsing that are given: `beam=8` is `--beam 8`. What is `None` is not given.
pub fn of_parsing(given: Option<&Bound<'_, PyDict>>, k_best: Option<i64>) -> PyResult<ParseOptions> {
    let mut named = named(given)?;
    if named.contains_key("k-best") {
        return Err(PyTypeError::new_err("`k_best` is an argument of `Model.parse_conllu` alone"));
    }
    // A percentage may be a number.
    if let Some(margin) = named.get_mut("margin").filter(|margin| margin.is_number()) {
        *margin = Value::String(margin.to_string());
    }
    if let Some(k_best) = k_best {
        named.insert("k-best".to_owned(), k_best.into());
    }
    let options: ParseOptions = of_names(named).map_err(exception)?;
    options.check().map_err(exception)?;
    Ok(options)
}

/// The value of this name.
pub fn chosen<T: for<'de> serde::Deserialize<'de>>(option: &str, name: &str) -> PyResult<T> {
    serde_json::from_value(Value::String(name.to_owned()))
        .map_err(|error| PyValueError::new_err(format!("{option}: {error}")))
}
