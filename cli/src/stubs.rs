//! The options of training as types of Python, made from the definition of the command line.

use std::fmt::Write as _;

use clap::{Arg, Command};

use treebeam::options::{KNOWN, Range};

/// Text before the options.
const HEAD: &str = "\
# Made by `make reference` from the program's options: do not edit.
from os import PathLike
from typing import Literal, TypedDict, Union

class TrainOptions(TypedDict, total=False):
    \"\"\"The options of `treebeam train`, with underscores; what is None is not given.\"\"\"
";

/// The stub of the options of `command`, which is `train`.
pub fn stubs(command: &Command) -> String {
    let mut page = HEAD.to_owned();
    for known in KNOWN {
        let Some(arg) = command.get_arguments().find(|arg| arg.get_id() == known.field) else { continue };
        let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
        let help = help.split_whitespace().collect::<Vec<_>>().join(" ").replace('\\', "\\\\").replace('"', "'");
        let _ = write!(page, "\n    {}: {}\n    \"\"\"{help}\"\"\"\n", known.field, type_of(arg, known.range));
    }
    page
}

/// The type of an option's values.
fn type_of(arg: &Arg, range: Option<Range>) -> String {
    let names: Vec<String> =
        arg.get_possible_values().iter().map(|value| format!("\"{}\"", value.get_name())).collect();
    let takes_none = arg.get_num_args().is_some_and(|n| n.max_values() == 0);
    let value = match range {
        Some(Range::Whole(..)) => "int".to_owned(),
        Some(Range::WholeOr(_, _, word)) => format!("int, Literal[\"{word}\"]"),
        Some(_) => "float".to_owned(),
        None if takes_none || names == ["\"true\"", "\"false\""] => "bool".to_owned(),
        None if names.is_empty() => "str, PathLike[str]".to_owned(),
        None => format!("Literal[{}]", names.join(", ")),
    };
    format!("Union[{value}, None]")
}
