//! Documents that quote results: each figure stands before a comment with the expression that gives it.
//!
//! ```text
//! Global training leads by 0.98<!--= gain --> points.      the comment gives the figure to its left
//!
//! <!--= ../tables/systems.jinja -->                         at the start of a line it names a template, from where the
//! <!--/-->                                                  document lies; what that makes stands between the two
//!
//! <!--set                                                   names for expressions of this document
//! gain = document("study").answer.overall.points
//! -->
//! ```
//!
//! Blocks of code are left alone. Expressions are those of minijinja, with these functions and filters:
//!
//! - `document(experiment)`: all that its page says, by the fields of [`Document`]
//! - `table(experiment, title)`: the lines of a table, each by the heads of the columns
//! - `score(experiment, title, line, column)`: a cell of a table, whichever of the two is the line
//! - `las(experiment, column, row)`, `uas(…)`: the average over treebanks, or the score on a fourth argument; of lists of columns
//!   or treebanks the mean
//! - `wins(experiment, column, method, against)`: a line of *Who wins*, for LAS or a fifth argument
//! - `lines(experiment)`: those of its tab-separated values
//! - `said(experiment, start, end)`: what stands between two texts in its sentences
//! - filters: `signed`, `digits(n)` after the point, `places(n)` that count, `p`, `mean`
//!
//! Of two profiles `full` counts, unless one stands behind the name, as in `joint/quick`. A number is written with two digits, a whole one
//! with its thousands apart.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, ErrorKind, UndefinedBehavior, Value};

use super::document::{Content, Document, Table, TableCell};
use treebeam::error::{Error, Location, Problem, Result, thousands};
use treebeam::files::read_whole;

const FIGURE: &str = "<!--=";
const NAMES: &str = "<!--set";
const CLOSE: &str = "-->";
const END: &str = "<!--/-->";

/// The document `text` that stands at `path`, with its figures as the folder `results` has them.
///
/// # Errors
/// With path and line: an expression that is malformed or finds nothing, a comment that does not end, a template that cannot be
/// read.
pub fn fill(path: &Path, text: &str, results: &Path) -> Result<String> {
    let environment = environment(results);
    let at = |line: usize, found: String| problem(path, line + 1, found);
    let lines: Vec<&str> = text.lines().collect();
    let prose = prose(&lines);
    let end_of = |start: usize, mark: &str| {
        let found = (start..lines.len()).find(|&line| lines[line].contains(mark));
        found.ok_or_else(|| at(start, format!("a comment without `{mark}`")))
    };
    let mut names: BTreeMap<String, Value> = BTreeMap::new();
    for start in (0..lines.len()).filter(|&line| prose[line] && lines[line].starts_with(NAMES)) {
        let end = end_of(start, CLOSE)?;
        for (line, definition) in lines.iter().enumerate().take(end).skip(start + 1) {
            let Some((name, expression)) = definition.split_once(" = ") else {
                return Err(at(line, format!("`{definition}`, which is no `name = expression`")));
            };
            let compiled = environment.compile_expression(expression);
            let value = compiled.and_then(|expression| expression.eval(Value::from(names.clone())));
            names.insert(name.to_owned(), value.map_err(|error| at(line, reason(&error)))?);
        }
    }
    let names = Value::from(names);
    let mut out = String::new();
    let mut line = 0;
    while line < lines.len() {
        if let Some(comment) = lines[line].strip_prefix(FIGURE).filter(|_| prose[line]) {
            let template = path.with_file_name("").join(comment.trim().trim_end_matches(CLOSE).trim());
            let source =
                fs::read_to_string(&template).map_err(|error| at(line, format!("{}: {error}", template.display())))?;
            let made = environment.render_str(&source, names.clone());
            let made = made.map_err(|error| problem(&template, error.line().unwrap_or(0), reason(&error)))?;
            let end = end_of(line, END)?;
            out += &format!("{}\n\n{}\n\n{END}\n", lines[line], made.trim());
            line = end + 1;
            continue;
        }
        let mut rest = lines[line];
        while let Some((before, after)) = rest.split_once(FIGURE).filter(|_| prose[line]) {
            let unclosed = || at(line, format!("a comment without `{CLOSE}`"));
            let (expression, after) = after.split_once(CLOSE).ok_or_else(unclosed)?;
            let stays = before.rfind([' ', '(', '[', '|', '*', '>']).map_or(0, |blank| blank + 1);
            let figure = environment.render_str(&format!("{{{{{expression}}}}}"), names.clone());
            // A line never breaks within a figure, so that it is known where the figure begins.
            let figure = figure.map_err(|error| at(line, reason(&error)))?.replace(' ', "\u{a0}");
            out += &format!("{}{figure}{FIGURE}{expression}{CLOSE}", &before[..stays]);
            rest = after;
        }
        out += rest;
        out.push('\n');
        line += 1;
    }
    Ok(out)
}

fn problem(path: &Path, line: usize, found: String) -> Error {
    let location = Location { path: path.display().to_string(), line, sentence: None };
    Error::Problem(Problem { location, found, expected: "what the results can answer".to_owned() })
}

/// Message of an error, without the place, which is another in the document.
fn reason(error: &minijinja::Error) -> String {
    error.detail().map_or_else(|| error.kind().to_string(), |detail| format!("{}: {detail}", error.kind()))
}

/// For each line, whether it is prose and not of a block of code.
fn prose(lines: &[&str]) -> Vec<bool> {
    let mut in_code = false;
    let is_prose = lines.iter().map(|line| {
        let is_fence = line.starts_with("```");
        in_code ^= is_fence;
        !in_code && !is_fence
    });
    is_prose.collect()
}

type Made<T> = std::result::Result<T, minijinja::Error>;

fn missing(what: impl Into<String>) -> minijinja::Error {
    minijinja::Error::new(ErrorKind::InvalidOperation, what.into())
}

/// The engine, with the functions and filters that the head of this file lists.
fn environment(results: &Path) -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    if let Ok(syntax) = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build() {
        environment.set_syntax(syntax);
    }
    environment.set_formatter(|out, _, value| Ok(out.write_str(&shown(value)?)?));
    let source = Arc::new(ResultsReader { results: results.to_owned(), read: Mutex::default() });
    macro_rules! add {
        ($name:expr, |$source:ident $(, $argument:ident: $kind:ty)*| $value:expr) => {
            let $source = Arc::clone(&source);
            environment.add_function($name, move |$($argument: $kind),*| -> Made<Value> { $value });
        };
    }
    add!("document", |source, name: String| Ok(Value::from(Serde((*source.document(&name)?).clone()))));
    add!("table", |source, name: String, title: String| {
        let document = source.document(&name)?;
        let table = table(&document, &title)?;
        let of_line = |line: &Vec<TableCell>| map(table.heads.iter().cloned().zip(line.iter().map(value)));
        Ok(Value::from_iter(table.lines.iter().map(of_line)))
    });
    add!("score", |source, name: String, title: String, line: String, column: String| {
        score(&*source.document(&name)?, &title, &line, &column)
    });
    for (function, metric) in [("las", "LAS"), ("uas", "UAS")] {
        add!(function, |source, name: String, column: Value, row: String, treebank: Option<Value>| {
            mean_score(&*source.document(&name)?, metric, &column, &row, treebank)
        });
    }
    add!("wins", |source, name: String, column: String, method: String, against: String, metric: Option<String>| {
        let wanted = [&column, &method, &against, metric.as_deref().unwrap_or("LAS")];
        wins(&*source.document(&name)?, wanted)
    });
    add!("lines", |source, name: String| source.lines(&name));
    add!("said", |source, name: String, start: String, end: String| {
        let document = source.document(&name)?;
        let answer = document.answer.iter().flat_map(|answer| [&answer.headline].into_iter().chain(&answer.reading));
        let blocks = document.blocks.iter().flat_map(|block| &block.reading);
        let lists = [&document.findings, &document.comparisons, &document.limits, &document.about];
        let texts = lists.into_iter().flatten().chain(answer).chain(blocks);
        let found = texts.into_iter().find_map(|text| Some(text.split_once(&start)?.1.split_once(&end)?.0));
        Ok(Value::from(found.ok_or_else(|| missing(format!("{name}: no sentence with `{start}` … `{end}`")))?))
    });
    environment.add_filter("signed", |number: f64| format!("{number:+.2}").replace('-', "−"));
    environment.add_filter("digits", |number: f64, n: usize| format!("{number:.n$}").replace('-', "−"));
    environment.add_filter("places", |number: f64, n: i32| {
        let unit = 10f64.powi(number.abs().max(1.0).log10().floor() as i32 + 1 - n).max(1.0);
        ((number / unit).round() * unit) as i64
    });
    environment.add_filter("p", |p: f64| match p {
        ..0.001 => "p < 0.001".to_owned(),
        ..0.01 => format!("p = {p:.3}"),
        _ => format!("p = {p:.2}"),
    });
    environment.add_filter("mean", |numbers: Vec<f64>| match numbers.len() {
        0 => Err(missing("the mean of nothing")),
        n => Ok(numbers.iter().sum::<f64>() / n as f64),
    });
    environment
}

/// A value as documents write it.
fn shown(value: &Value) -> Made<String> {
    if let Some(text) = value.as_str() {
        return Ok(text.to_owned());
    }
    if value.is_integer() {
        return Ok(thousands(usize::try_from(value.clone())?));
    }
    match f64::try_from(value.clone()) {
        Ok(number) if number.is_finite() => Ok(format!("{number:.2}").replace('-', "−")),
        _ => Err(missing(format!("`{value}` is no figure"))),
    }
}

/// The number or the text of a cell.
fn value(cell: &TableCell) -> Value {
    match cell.value.or_else(|| cell.text.parse().ok()) {
        Some(number) if number.fract() == 0.0 && !cell.text.contains('.') => Value::from(number as i64),
        Some(number) => Value::from(number),
        None => Value::from(cell.text.clone()),
    }
}

fn map(fields: impl Iterator<Item = (String, Value)>) -> Value {
    Value::from(fields.collect::<BTreeMap<_, _>>())
}

fn table<'a>(document: &'a Document, title: &str) -> Made<&'a Table> {
    let tables = document.blocks.iter().filter(|block| block.title == title);
    let found = tables
        .into_iter()
        .find_map(|block| if let Content::Table(table) = &block.content { Some(table) } else { None });
    found.ok_or_else(|| missing(format!("{}: no table `{title}`", document.name)))
}

fn score(document: &Document, title: &str, line: &str, column: &str) -> Made<Value> {
    let table = table(document, title)?;
    let at = |line: &str, head: &str| {
        let column = table.heads.iter().position(|found| found == head)?;
        table.lines.iter().find(|cells| cells[0].text == line)?[column].value
    };
    let found = at(line, column).or_else(|| at(column, line));
    found.map(Value::from).ok_or_else(|| missing(format!("{}: {title}: no {line}, {column}", document.name)))
}

/// The mean over one or several columns and treebanks.
fn mean_score(document: &Document, metric: &str, columns: &Value, row: &str, treebanks: Option<Value>) -> Made<Value> {
    let each = |value: &Value| -> Made<Vec<String>> {
        match value.as_str() {
            Some(text) => Ok(vec![text.to_owned()]),
            None => Ok(value.try_iter()?.map(|item| item.to_string()).collect()),
        }
    };
    let treebanks = treebanks.map_or_else(|| Ok(vec!["average".to_owned()]), |treebanks| each(&treebanks))?;
    let (mut sum, mut n) = (0.0, 0.0);
    for column in each(columns)? {
        for treebank in &treebanks {
            sum += f64::try_from(score(document, &format!("{metric}: {column}"), treebank, row)?)?;
            n += 1.0;
        }
    }
    Ok(Value::from(sum / n))
}

/// The line of *Who wins* for a column, a method, what it is compared with, and a score. Of two methods that others are compared
/// with, the table has one order alone.
fn wins(document: &Document, [column, method, against, metric]: [&str; 4]) -> Made<Value> {
    let table = table(document, "Who wins")?;
    let place = |head: &str| table.heads.iter().position(|found| found == head);
    // A table of one column does not name it.
    let heads = ["column", "method", "against", "score"].map(place);
    let find = |wanted: [&str; 4]| {
        let is_wanted = |line: &&Vec<TableCell>| {
            heads.iter().zip(wanted).all(|(head, wanted)| head.is_none_or(|head| line[head].text == wanted))
        };
        table.lines.iter().find(is_wanted)
    };
    let (line, is_reversed) = match find([column, method, against, metric]) {
        Some(line) => (Some(line), false),
        None => (find([column, against, method, metric]), true),
    };
    let line = line
        .ok_or_else(|| missing(format!("{}: Who wins: no {column}, {method}, {against}, {metric}", document.name)))?;
    let number = |head: &str, sign: f64| {
        let number = line[place(head)?].value?;
        Some(Value::from(if is_reversed { sign * number } else { number }))
    };
    let count = |head: &str| line[place(head)?].value.map(|count| Value::from(count as i64));
    let [higher, lower] = if is_reversed { ["lower", "higher"] } else { ["higher", "lower"] };
    let fields = [
        ("n", count("treebanks")),
        ("higher", count(higher)),
        ("surely_higher", count(&format!("{higher}, p < .05"))),
        ("lower", count(lower)),
        ("surely_lower", count(&format!("{lower}, p < .05"))),
        ("mean", number("mean gain", -1.0)),
        ("p", number("p of signs", 1.0)),
        ("paper", number("paper's gain", -1.0)),
    ];
    Ok(map(fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)))))
}

/// Results that have been read, by experiment.
struct ResultsReader {
    results: PathBuf,
    read: Mutex<HashMap<String, Arc<Document>>>,
}

impl ResultsReader {
    fn document(&self, name: &str) -> Made<Arc<Document>> {
        let mut read = self.read.lock().map_err(|_| missing("a document whose reading panicked"))?;
        if let Some(document) = read.get(name) {
            return Ok(Arc::clone(document));
        }
        let text = self.text(name, "json")?;
        let document = serde_json::from_str(&text).map_err(|error| missing(format!("{name}: {error}")))?;
        Ok(Arc::clone(read.entry(name.to_owned()).or_insert(Arc::new(document))))
    }

    /// The text of `PROFILE.ENDING`, of the largest profile unless one stands behind the name.
    fn text(&self, name: &str, ending: &str) -> Made<String> {
        let (name, profiles) =
            name.split_once('/').map_or((name, vec!["full", "quick"]), |(name, profile)| (name, vec![profile]));
        let endings = [format!("{ending}.zst"), ending.to_owned()];
        let names = profiles.iter().flat_map(|profile| endings.each_ref().map(|ending| format!("{profile}.{ending}")));
        let path = names.map(|file| self.results.join(name).join(file)).find(|path| path.is_file());
        let path = path.ok_or_else(|| missing(format!("{name}: no {}.{ending}", profiles.join(".json, "))))?;
        let bytes = read_whole(&path).map_err(|error| missing(error.to_string()))?;
        String::from_utf8(bytes).map_err(|error| missing(format!("{}: {error}", path.display())))
    }

    fn lines(&self, name: &str) -> Made<Value> {
        let text = self.text(name, "tsv")?;
        let mut lines = text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t'));
        let heads: Vec<&str> = lines.next().map(Iterator::collect).unwrap_or_default();
        let of_line = |line: std::str::Split<'_, char>| {
            map(heads.iter().map(|head| (*head).to_owned()).zip(line.map(|text| value(&TableCell::text(text)))))
        };
        Ok(Value::from_iter(lines.map(of_line).collect::<Vec<_>>()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("speed")).unwrap();
        fs::write(folder.path().join("speed/quick.tsv"), "# made\nwidth\tspeed\nwide\t1234\n8\t-0.5\n").unwrap();
        folder
    }

    #[test]
    fn what_cannot_be_found_is_an_error_with_its_line() {
        let folder = folder();
        fs::write(folder.path().join("t.jinja"), "a\n\n{{ nothing }}\n").unwrap();
        for (text, place, expected) in [
            ("\n\nx 1<!--=las(\"speed\", \"a\", \"b\")-->\n", "a.md:3: ", "speed: no full.json, quick.json"),
            ("<!--=t.jinja-->\n<!--/-->\n", "t.jinja:3: ", "undefined"),
            ("1<!--=lines(\"speed\")[0].width | p-->\n", "a.md:1: ", "invalid operation"),
            ("\n<!--= u.jinja -->\n<!--/-->\n", "a.md:2: ", "u.jinja"),
            ("\n1<!--= 1\n", "a.md:2: ", "a comment without `-->`"),
            ("<!--set\n\nx\n-->\n", "a.md:2: ", "no `name = expression`"),
        ] {
            let error = fill(&folder.path().join("a.md"), text, folder.path()).unwrap_err().to_string();
            assert!(error.contains(place) && error.contains(expected), "{text}: {error}");
        }
    }
}
