//! `treebeam completions`, `treebeam man`, and `--help-all`: what the definition of the command line says, in other forms.

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Arg, ArgAction, Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;

use super::Cli;
use super::reference::reference;
use super::stubs::stubs;
use treebeam::error::Error;
use treebeam::files::write_whole;
use treebeam::options::KNOWN;

/// Options of `treebeam completions`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  treebeam completions bash > ~/.local/share/bash-completion/completions/treebeam
  treebeam completions zsh > ~/.zfunc/_treebeam")]
pub struct CompletionArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Options of `treebeam man`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  treebeam man ~/.local/share/man/man1 && man treebeam-train")]
pub struct ManArgs {
    /// The folder to write treebeam.1, treebeam-train.1 and so on to; it is made if it is not there
    folder: PathBuf,
    /// Write one page of Markdown instead, options.md
    #[arg(long)]
    markdown: bool,
    /// Write the types of the keyword arguments of Python's `train` instead, _options.pyi
    #[arg(long, conflicts_with = "markdown")]
    stubs: bool,
}

/// Prints the script of completions.
pub fn completions(args: CompletionArgs) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut everything(), "treebeam", &mut script);
    std::io::stdout().write_all(&script)?;
    Ok(ExitCode::SUCCESS)
}

/// Writes the manual pages.
pub fn man(args: &ManArgs) -> anyhow::Result<ExitCode> {
    std::fs::create_dir_all(&args.folder).map_err(Error::io(&args.folder))?;
    let mut command = everything();
    command.build();
    if args.markdown {
        write_whole(&args.folder.join("options.md"), reference(&mut command).as_bytes())?;
    } else if args.stubs {
        let train = command.find_subcommand("train").map(stubs).unwrap_or_default();
        write_whole(&args.folder.join("_options.pyi"), train.as_bytes())?;
    } else {
        write_pages(&command, args)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes the pages of a command and of those below it.
fn write_pages(command: &Command, args: &ManArgs) -> anyhow::Result<()> {
    let man = Man::new(command.clone());
    let mut page = Vec::new();
    man.render(&mut page)?;
    write_whole(&args.folder.join(man.get_filename()), &page)?;
    // `treebeam help` needs no page.
    for below in command.get_subcommands().filter(|below| below.get_name() != "help") {
        write_pages(below, args)?;
    }
    Ok(())
}

/// The command line. The help of an option that is a number ends with its range.
pub fn command() -> Command {
    Cli::command().mut_subcommands(|command| {
        if command.get_name() != "train" {
            return command;
        }
        let ranges = KNOWN.iter().filter_map(|known| Some((known.field, known.range?)));
        ranges.fold(command, |train, (field, range)| {
            train.mut_arg(field, |option| {
                let help = option.get_help().map(ToString::to_string).unwrap_or_default();
                option.help(format!("{help}. Range: {range}"))
            })
        })
    })
}

/// The command line with its rare options, which `--help` leaves out.
fn everything() -> Command {
    unhidden(command())
}

fn unhidden(command: Command) -> Command {
    command.mut_args(|argument| argument.hide(false)).mut_subcommands(unhidden)
}

/// The option that [`asked_for_everything`] looks for, of commands that have rare options, so that their help lists it.
pub fn help_all() -> Arg {
    let help = "Print help with all options, those of single learners and of learning to search among them";
    Arg::new("help-all").long("help-all").action(ArgAction::HelpLong).help(help).help_heading("Running")
}

/// The command whose help is to be printed with all of its options, if `--help-all` is among the arguments.
pub fn asked_for_everything(arguments: impl Iterator<Item = OsString>) -> Option<Command> {
    let arguments: Vec<String> =
        arguments.take_while(|argument| argument != "--").filter_map(|argument| argument.into_string().ok()).collect();
    if !arguments.iter().any(|argument| argument == "--help-all") {
        return None;
    }
    let mut command = everything();
    // So that usage lines name the whole command.
    command.build();
    for argument in &arguments {
        match command.find_subcommand(argument) {
            Some(below) => command = below.clone(),
            None => break,
        }
    }
    Some(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn help(line: &str) -> Option<String> {
        let arguments = line.split_whitespace().map(OsString::from);
        asked_for_everything(arguments).map(|mut command| command.render_long_help().to_string())
    }

    #[test]
    fn the_command_line_is_well_defined() {
        Cli::command().debug_assert();
        everything().debug_assert();
    }

    #[test]
    fn rare_options_are_shown_if_all_are_asked_for() {
        let mut command = command();
        let train = command.find_subcommand_mut("train").unwrap().render_long_help().to_string();
        let all = help("train --help-all").unwrap();
        for rare in ["--nn-update", "--reference-share", "--aggressiveness"] {
            assert!(all.contains(rare) && !train.contains(rare), "{rare}");
        }
        for usual in ["--system", "--beam", "--threads", "--help-all"] {
            assert!(all.contains(usual) && train.contains(usual), "{usual}");
        }
        assert!(all.contains("Usage: treebeam train"), "{all}");
        assert!(help("oracle verify --help-all").unwrap().contains("--max-words"));
        assert_eq!(help("train --train a.conllu --model b"), None);
        assert_eq!(help("parse -- --help-all"), None);
    }
}
