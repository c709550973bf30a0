//! Files of Parquet. treebeam's Python package reads and writes them, over Arrow's own library: in this program, crates for it
//! would take as long to compile as half of the parser.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use anyhow::bail;
use clap::ValueEnum;

use super::Args;
use treebeam::treebank::Format;

/// What `treebeam parse` reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum InputFormat {
    /// CoNLL-U: comments, multiword ranges, empty nodes (Nivre et al. 2016).
    Conllu,
    /// CoNLL-X: ten columns, words only (Buchholz & Marsi 2006).
    Conllx,
    /// Parquet: one sentence a row, its words in parallel lists, named as in the Universal Dependencies of the Hugging Face Hub
    Parquet,
}

impl InputFormat {
    /// The format of text, if it is one.
    pub fn text(self) -> Option<Format> {
        match self {
            InputFormat::Conllu => Some(Format::Conllu),
            InputFormat::Conllx => Some(Format::Conllx),
            InputFormat::Parquet => None,
        }
    }
}

/// Parses through the Python package, if the input or the output is of Parquet.
pub fn run(args: &Args) -> anyhow::Result<Option<ExitCode>> {
    let is_input = args.format.map_or(is_parquet(&args.input), |format| format == InputFormat::Parquet);
    let is_output = is_parquet(&args.output);
    if !is_input && !is_output {
        return Ok(None);
    }
    if args.k_best > 1 {
        bail!("--k-best writes several trees of a sentence, and a row of Parquet has one; leave it out");
    }
    if args.stats_json.is_some() {
        bail!("--stats-json is for CoNLL-U and CoNLL-X; leave it out");
    }
    let is_conllx = |format: Option<Format>, path: &Path| format.or(Format::of_path(path)) == Some(Format::Conllx);
    if !is_input && is_conllx(args.format.and_then(InputFormat::text), &args.input)
        || !is_output && is_conllx(None, &args.output)
    {
        bail!("sentences of Parquet are converted from and to CoNLL-U; expected no CoNLL-X");
    }
    let python = std::env::var_os("PYTHON").filter(|python| !python.is_empty()).unwrap_or_else(|| "python3".into());
    let known = Command::new(&python)
        .args(["-c", "import pyarrow.parquet, treebeam.parquet"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    let remedy = "Parquet is read and written by the module treebeam.parquet of treebeam's Python package: \
                  `pip install './python[arrow]'` in a clone installs it; the variable PYTHON names the interpreter that has it";
    match known {
        Ok(status) if status.success() => {}
        Ok(_) => bail!("{} has no treebeam.parquet, or no pyarrow; {remedy}", Path::new(&python).display()),
        Err(error) => bail!("{}: {error}; {remedy}", Path::new(&python).display()),
    }
    let status =
        Command::new(&python).args(["-m", "treebeam.parquet"]).args(arguments(args, is_input, is_output)).status()?;
    let interpreter = Path::new(&python).display();
    match status.code() {
        Some(0) if args.output != Path::new("-") && !args.output.exists() => {
            bail!("{}: {interpreter} has written no such file, though it says it has; {remedy}", args.output.display())
        }
        Some(0) => Ok(Some(ExitCode::SUCCESS)),
        // What it left out, or what was wrong, it has told.
        Some(code @ (1 | 2)) => Ok(Some(ExitCode::from(code as u8))),
        _ => bail!(
            "{}: {interpreter} ended with {status}, so the output is not whole or not there; expected memory enough and an \
             interpreter that runs to its end",
            args.output.display()
        ),
    }
}

fn is_parquet(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("parquet") || ending.eq_ignore_ascii_case("pq"))
}

/// The arguments of `python -m treebeam.parquet`.
fn arguments(args: &Args, is_input: bool, is_output: bool) -> Vec<OsString> {
    let of_kind = |is_parquet| if is_parquet { "parquet" } else { "conllu" }.to_owned();
    let search = &args.search.options(1, args.threads);
    let mut given = vec![
        ("input", Some(of_kind(is_input))),
        ("output-format", Some(of_kind(is_output))),
        ("threads", Some(args.threads.to_string())),
        ("beam", search.beam.map(|beam| beam.to_string())),
        ("search", search.search.and_then(name)),
        ("margin", search.margin.map(|margin| margin.to_string())),
        ("merge", search.merge.map(|merge| merge.to_string())),
        ("align", search.align.and_then(name)),
        ("normalise", search.normalise.and_then(name)),
    ];
    given.retain(|(_, value)| value.is_some());
    let mut arguments: Vec<OsString> =
        given.into_iter().map(|(option, value)| format!("--{option}={}", value.unwrap_or_default()).into()).collect();
    if args.keep_going {
        arguments.push("--keep-going".into());
    }
    let of_path = |option: &str, path: &Path| {
        let mut argument = OsString::from(option);
        argument.push(OsStr::new(path));
        argument
    };
    arguments.extend([of_path("--model=", &args.model), of_path("--output=", &args.output), "--".into()]);
    arguments.push(args.input.clone().into());
    arguments
}

/// The name of a value as the command line spells it.
fn name(value: impl ValueEnum) -> Option<String> {
    value.to_possible_value().map(|value| value.get_name().to_owned())
}
