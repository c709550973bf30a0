//! Texts with figures, filled by templates.

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, Error};
use serde::Serialize;

use treebeam::error::counted;

/// The template `source` filled with `view`.
///
/// # Errors
/// If the template does not fit the program; no data can cause that.
pub fn filled(source: &str, view: impl Serialize + Send + Sync + 'static) -> Result<String, Error> {
    let mut environment = Environment::new();
    environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
    environment.add_filter("fixed", |number: f64, digits: usize| format!("{number:.digits$}"));
    environment.add_filter("plain", |number: f64| number.to_string());
    environment.add_filter("counted", |n: usize, noun: &str| counted(n, noun));
    environment.render_str(source, Serde(view))
}
