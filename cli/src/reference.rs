//! The reference of all options in the book, made from the definition of the command line.

use std::fmt::Write as _;

use clap::{Arg, Command};

/// Text before the commands.
const HEAD: &str = "\
# Options of every command

This page is what `treebeam COMMAND --help` says, with the rare options that `--help-all` shows; `treebeam man --markdown` writes it. Every
command takes `--quiet` (say nothing on standard error but warnings and errors) and `--help`. Files may be packed (`.gz`, `.zst`), and `-` is
standard input or output wherever a file is read or written as text. Exit codes are under [promises](promises.md).

Options of `train` are also the keys of `[base]` and of `options` in [specifications](specifications.md), without the dashes in front, and the
keyword arguments of [Python's](../python.md) `train`, with `_` for `-`.
";

/// Least number of options shared with an earlier command that the page refers to in place of listing them.
const SHARED: usize = 5;

/// Parts of the page to refer to.
#[derive(Default)]
struct Listed {
    /// Values, and the option that they stand under.
    values: Vec<(Vec<String>, String)>,
    /// Commands, and names and help of their options.
    options: Vec<(String, Vec<String>)>,
}

/// The page of `command` and of all commands below it.
pub fn reference(command: &mut Command) -> String {
    let mut page = HEAD.to_owned();
    add(command, &mut page, &mut Listed::default());
    page
}

fn add(command: &mut Command, page: &mut String, listed: &mut Listed) {
    if command.has_subcommands() {
        // `treebeam help` needs no section.
        for below in command.get_subcommands_mut().filter(|below| below.get_name() != "help") {
            add(below, page, listed);
        }
        return;
    }
    let usage = command.render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ");
    let name = command.get_bin_name().unwrap_or_default().to_owned();
    let about = command.get_long_about().or(command.get_about()).map(ToString::to_string).unwrap_or_default();
    let about: Vec<String> = about.split("\n\n").map(sentence).collect();
    let _ = write!(page, "\n## {name}\n\n{}\n\n```text\n{usage}\n```\n", about.join("\n\n"));
    let shown: Vec<&Arg> =
        command.get_arguments().filter(|arg| !["help", "quiet", "version"].contains(&arg.get_id().as_str())).collect();
    let options = || shown.iter().filter(|arg| !arg.is_positional());
    let is_shared = |others: &[String], arg: &Arg| !arg.is_positional() && others.contains(&described(arg));
    let shared =
        listed.options.iter().find(|(_, others)| options().filter(|arg| is_shared(others, arg)).count() >= SHARED);
    let shared = shared.cloned();
    listed.options.push((name.clone(), options().map(|arg| described(arg)).collect()));
    let (shown, again): (Vec<&Arg>, Vec<&Arg>) =
        shown.iter().copied().partition(|arg| shared.as_ref().is_none_or(|(_, others)| !is_shared(others, arg)));
    let mut headings: Vec<Option<&str>> = Vec::new();
    for heading in shown.iter().filter(|arg| !arg.is_positional()).map(|arg| arg.get_help_heading()) {
        if !headings.contains(&heading) {
            headings.push(heading);
        }
    }
    let mut section = |heading: Option<&str>, entries: Vec<&&Arg>| {
        if !entries.is_empty() {
            let heading = heading.map_or(String::new(), |heading| format!("**{heading}**\n\n"));
            let entries: String = entries.into_iter().map(|arg| entry(arg, &name, listed)).collect();
            let _ = write!(page, "\n{heading}{entries}");
        }
    };
    section(None, shown.iter().filter(|arg| arg.is_positional()).collect());
    for heading in headings {
        section(
            heading,
            shown.iter().filter(|arg| !arg.is_positional() && arg.get_help_heading() == heading).collect(),
        );
    }
    if let Some((command, _)) = shared {
        let names: Vec<String> = again.iter().filter_map(|arg| Some(format!("`--{}`", arg.get_long()?))).collect();
        let _ = write!(page, "\nAs for `{command}`: {}.\n", names.join(", "));
    }
}

/// Name and help of an option, without its range.
fn described(arg: &Arg) -> String {
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let help = help.split(". Range: ").next().unwrap_or_default();
    format!("--{} {help}", arg.get_long().unwrap_or_default())
}

/// An option, or what stands without one, with its values.
fn entry(arg: &Arg, command: &str, listed: &mut Listed) -> String {
    let takes_values = arg.get_action().takes_values();
    let value = match arg.get_value_names() {
        Some(names) if takes_values => names.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(" "),
        _ => String::new(),
    };
    let many = match (arg.get_value_delimiter(), arg.get_num_args()) {
        _ if value.contains("...") => String::new(),
        (Some(delimiter), _) => format!("{delimiter}..."),
        (None, Some(n)) if n.max_values() > 1 => "...".to_owned(),
        (None, _) => String::new(),
    };
    let may_be_left_out = arg.get_num_args().is_some_and(|n| n.min_values() == 0);
    let head = match arg.get_long() {
        None if arg.is_required_set() => format!("`{value}{many}`"),
        None => format!("`[{value}{many}]`"),
        Some(long) => {
            let short = arg.get_short().map_or(String::new(), |short| format!("`-{short}`, "));
            match (takes_values, may_be_left_out) {
                (false, _) => format!("{short}`--{long}`"),
                (true, false) => format!("{short}`--{long} {value}{many}`"),
                (true, true) => format!("{short}`--{long}[={value}{many}]`"),
            }
        }
    };
    let help = arg.get_long_help().or(arg.get_help()).map(ToString::to_string).unwrap_or_default();
    let mut text = match help.split_once(" [default: ").and_then(|(help, rest)| Some((help, rest.split_once(']')?))) {
        Some((help, (default, more))) => sentence(&format!("{} Default: {} {more}", sentence(help), sentence(default))),
        None => sentence(&help),
    };
    let defaults: Vec<_> = arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    if takes_values && !defaults.is_empty() {
        let _ = write!(text, " Default: `{}`.", defaults.join(","));
    }
    let values: Vec<_> = arg.get_possible_values().into_iter().filter(|value| !value.is_hide_set()).collect();
    let names: Vec<String> = values.iter().map(|value| value.get_name().to_owned()).collect();
    let mut below = String::new();
    if takes_values && !names.is_empty() && names != ["true", "false"] {
        let all_listed = |others: &[String]| names.iter().all(|name| others.contains(name));
        if let Some((others, option)) = listed.values.iter().find(|(others, _)| all_listed(others)) {
            let left_out: Vec<String> =
                others.iter().filter(|other| !names.contains(other)).map(|other| format!("`{other}`")).collect();
            let but = if left_out.is_empty() { String::new() } else { format!(" but for {}", left_out.join(", ")) };
            let _ = write!(text, " Values: those of {option}{but}.");
        } else {
            for value in values {
                let help = value.get_help().map(|help| format!(": {}", sentence(&help.to_string())));
                let _ = writeln!(below, "  - `{}`{}", value.get_name(), help.unwrap_or_default());
            }
            let option = arg.get_long().unwrap_or_default();
            listed.values.push((names, format!("`--{option}` of `{}`", command.trim_start_matches("treebeam "))));
        }
    }
    format!("- {head}: {text}\n{below}")
}

/// Text as one line of Markdown with a full stop: options stand in backticks.
fn sentence(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut marked = String::new();
    for (i, part) in text.split('`').enumerate() {
        if i % 2 == 1 {
            let _ = write!(marked, "`{part}`");
            continue;
        }
        let mut words = part.split(' ').map(|word| match word.find("--") {
            Some(start) => {
                let end = word[start + 2..].find(|c: char| !c.is_ascii_alphanumeric() && !"-=".contains(c));
                let end = end.map_or(word.len(), |end| start + 2 + end);
                format!("{}`{}`{}", &word[..start], &word[start..end], &word[end..])
            }
            None => word.to_owned(),
        });
        marked += &words.next().unwrap_or_default();
        words.for_each(|word| marked += &format!(" {word}"));
    }
    if !marked.ends_with(['.', '!', '?']) {
        marked.push('.');
    }
    marked
}
