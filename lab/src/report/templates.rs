//! The engine that fills the templates of pages and pictures.

use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value};

use super::{page, plot};
use treebeam::error::{Error, Result};

/// The template `name` filled with `view`; all of its texts are escaped unless it says otherwise.
///
/// # Errors
/// None that data could cause. A template that does not fit the program is reported as a wrong use.
pub(super) fn render(name: &str, view: Value) -> Result<String> {
    filled(name, view).map_err(|error| Error::Usage(format!("the template {name}: {error:#}")))
}

fn filled(name: &str, view: Value) -> Result<String, minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
    for (name, source) in page::TEMPLATES.into_iter().chain(plot::TEMPLATES) {
        environment.add_template(name, source)?;
    }
    environment.get_template(name)?.render(view)
}
