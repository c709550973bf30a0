//! Formats of drawings: chosen by name, or by the ending of the file.

use std::io::IsTerminal;
use std::path::Path;

use treebeam::error::{Error, Result};
use treebeam::files::Packing;

/// Format of `treebeam draw`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// A picture for browsers and slides, light and dark by the viewer's settings
    Svg,
    /// A page of HTML with all sentences, which needs nothing else: sorted, filtered, searched
    Html,
    /// An environment of LaTeX's package tikz-dependency
    Tikz,
    /// Lines for a terminal, a word to each
    Text,
}

impl Format {
    /// Name in warnings.
    pub fn title(self) -> &'static str {
        match self {
            Format::Svg => "SVG",
            Format::Html => "HTML",
            Format::Tikz => "LaTeX",
            Format::Text => "plain text",
        }
    }

    /// The format that the ending of `output` names, if it names one.
    pub fn named(output: &Path) -> Option<Format> {
        Packing::unpacked(output).extension()?;
        Format::of(output).ok()
    }

    /// The format that `output` asks for by its ending; SVG if it has none, text if it is a terminal.
    ///
    /// # Errors
    /// If the ending is of another kind.
    pub fn of(output: &Path) -> Result<Format> {
        if output == Path::new("-") {
            return Ok(if std::io::stdout().is_terminal() { Format::Text } else { Format::Svg });
        }
        let unpacked = Packing::unpacked(output);
        let Some(ending) = unpacked.extension() else {
            return Ok(Format::Svg);
        };
        let ending = ending.to_string_lossy().to_lowercase();
        let path = output.display();
        let refused = |instead: String| Err(Error::Usage(format!("{path}: {instead}")));
        match &*ending {
            "svg" => Ok(Format::Svg),
            "html" | "htm" => Ok(Format::Html),
            "tex" | "tikz" => Ok(Format::Tikz),
            "txt" | "text" => Ok(Format::Text),
            "pdf" | "png" | "eps" | "ps" | "jpg" | "jpeg" | "gif" | "webp" => {
                let svg = output.with_extension("svg");
                let svg = svg.file_name().unwrap_or_default().to_string_lossy();
                refused(match &*ending {
                    "pdf" | "png" | "eps" | "ps" => format!(
                        "no {ending} is written; write {svg} and convert it, as by `rsvg-convert --format {ending} -o {path} {svg}`"
                    ),
                    _ => format!("no {ending} is written; expected .svg, .html, .tex or .txt"),
                })
            }
            _ => refused(format!(
                "the ending `.{ending}` says nothing of pictures; expected .svg, .html, .tex or .txt, or --format"
            )),
        }
    }
}
