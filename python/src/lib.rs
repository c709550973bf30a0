//! The extension module `treebeam._treebeam`: what Python has of the library. `treebeam/_treebeam.pyi` says what it is to users.

mod arrow;
mod errors;
mod evaluate;
mod memory;
mod model;
mod options;
mod sentences;
mod train;
mod tree;

use pyo3::prelude::*;

#[pymodule]
fn _treebeam(module: &Bound<'_, PyModule>) -> PyResult<()> {
    treebeam_systems::register();
    memory::quiet_panics();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<model::Model>()?;
    module.add_class::<tree::Tree>()?;
    module.add_function(wrap_pyfunction!(model::load, module)?)?;
    module.add_function(wrap_pyfunction!(train::train, module)?)?;
    module.add_function(wrap_pyfunction!(evaluate::evaluate, module)?)?;
    module.add_function(wrap_pyfunction!(tree::_tree, module)?)?;
    module.add_function(wrap_pyfunction!(errors::_panic, module)?)
}
