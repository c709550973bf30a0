//! The engine that fills the templates of pages, pictures and sentences.

use std::sync::LazyLock;

use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value};

use super::answer::FOR_SIGNS;
use super::directions::LEVEL;
use super::document::{Block, Content, NOTHING};
use super::page;
use super::page::FolderLink;
use super::paired::p_text;
use crate::experiment::Tags;
use crate::style;
use treebeam::error::{Error, Result, thousands};

/// View that a template is filled with: names, with values unless these are variables of the same name.
macro_rules! view {
    ($($name:ident $(=> $value:expr)?),* $(,)?) => {
        minijinja::Value::from(std::collections::BTreeMap::<&str, minijinja::Value>::from([
            $((stringify!($name), minijinja::Value::from(minijinja::value::Serde(&$crate::report::templates::view!(@ $name $($value)?))))),*
        ]))
    };
    (@ $name:ident) => { $name };
    (@ $name:ident $value:expr) => { $value };
}

pub(crate) use view;

macro_rules! templates {
    ($folder:literal: $($name:literal)*) => { &[$(($name, include_str!(concat!($folder, "/", $name)))),*] };
}

/// All templates by name: sentences in Markdown, pages, pictures.
const TEMPLATES: [&[(&str, &str)]; 4] = [
    templates!["sentences":
        "about.jinja" "advantage.jinja" "answer-models.jinja" "answer.jinja" "bounds-distances.jinja" "bounds-limits.jinja"
        "bounds-means.jinja" "bounds.jinja" "carried.jinja" "classes.jinja" "comparison.jinja" "conclusions.jinja" "costs.jinja"
        "curves.jinja" "data.jinja" "diagnoses.jinja" "extremes.jinja" "frontier.jinja" "gains.jinja" "heat.jinja" "leads.jinja"
        "limits.jinja" "paper.jinja" "propagation.jinja" "properties.jinja" "published.jinja" "range.jinja" "replacements.jinja" "reproduction.jinja" "scores.jinja"
        "training.jinja" "untested.jinja" "wins.jinja" "words.jinja"
    ],
    templates!["page":
        "answer.html" "papers.html" "page.html" "document.html" "block.html" "forest.html" "table.html" "chart.html" "heat.html"
        "index.jinja"
    ],
    templates!["plot": "plot.svg" "marks.svg" "picture.svg" "forest.svg" "heat-picture.jinja"],
    templates!["../evaluation": "evaluation.html"],
];

static ENGINE: LazyLock<std::result::Result<Environment, minijinja::Error>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|name| match name.ends_with(".jinja") {
        true => AutoEscape::None,
        false => AutoEscape::Html,
    });
    environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
    environment.add_global("LEVEL", LEVEL);
    environment.add_global("FOR_SIGNS", FOR_SIGNS);
    environment.add_global("NOTHING", NOTHING);
    environment.add_global("PAPERS", page::ABOUT_PAPERS);
    environment.add_filter("signed", |number: f64| format!("{number:+.2}"));
    environment.add_filter("fixed", |number: f64, digits: usize| format!("{number:.digits$}"));
    environment.add_filter("thousands", thousands);
    environment.add_filter("p", p_text);
    environment.add_filter("tags", |name: &str| Tags::named(name).map_or("", Tags::word));
    environment.add_filter("capital", capitalised);
    environment.add_filter("short", |revision: &str| revision.get(..7).unwrap_or(revision).to_owned());
    environment.add_filter("html", |text: &str, folder: Option<String>| {
        Value::from_safe_string(page::markdown::html(text, &FolderLink(folder)))
    });
    environment.add_filter("href", |file: &str, folder: Option<String>| FolderLink(folder).href(file));
    environment.add_filter("escaped", |text: &str| super::markdown::escaped(text));
    environment.add_filter("xml", style::escaped_xml);
    environment.add_filter("in_cell", |markdown: &str| markdown.replace('|', "\\|").replace('\n', " "));
    for (name, source) in TEMPLATES.into_iter().flatten() {
        environment.add_template(name, source)?;
    }
    Ok(environment)
});

/// The template `name` filled with `view`; in pages and pictures all texts are escaped unless it says otherwise.
///
/// # Errors
/// None that data could cause. A template that does not fit the program is reported as a wrong use.
pub(crate) fn render(name: &str, view: Value) -> Result<String> {
    let environment = ENGINE.as_ref().map_err(|error| Error::Usage(format!("{error:#}")))?;
    let made = environment.get_template(name).and_then(|template| template.render(view));
    made.map_err(|error| Error::Usage(format!("the template {name}: {error:#}")))
}

/// The paragraphs that the template `name` makes of `view`, each in one line.
///
/// # Panics
/// If the template does not fit the program; no data can cause that.
pub(super) fn sentences(name: &str, view: Value) -> Vec<String> {
    let text = render(name, view).unwrap_or_else(|error| panic!("{error}"));
    let in_one_line =
        |paragraph: &str| paragraph.lines().map(str::trim).collect::<Vec<_>>().join(" ").trim().to_owned();
    text.split("\n\n").map(in_one_line).filter(|paragraph| !paragraph.is_empty()).collect()
}

/// The block with this content and the texts of the template `name`: its title after `#`, what is to be seen in it, and after a
/// rule what its figures are.
///
/// # Panics
/// As [`sentences`].
pub(super) fn block(name: &str, view: Value, content: Content) -> Block {
    let mut paragraphs = sentences(name, view).into_iter();
    let title = paragraphs.next().unwrap_or_default().trim_start_matches("# ").to_owned();
    let mut reading: Vec<String> = paragraphs.collect();
    let rule = reading.iter().position(|paragraph| paragraph == "---").unwrap_or(reading.len());
    let note = reading.split_off(rule).into_iter().skip(1).collect::<Vec<_>>().join(" ");
    Block { title, reading, note, content }
}

/// With a capital at its beginning.
fn capitalised(text: String) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
