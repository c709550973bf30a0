//! The files that a run reads and writes.

use std::fs::{self, File};
use std::path::{Path, PathBuf, is_separator};

use anyhow::{bail, ensure};
use treebeam::error::{Error, Result};
use treebeam::files::Paths;
use treebeam::treebank::Format;

/// Outputs with their inputs: one for all inputs, or one for each in a folder.
#[derive(Debug)]
pub struct FilePlan {
    /// The outputs in order.
    pub parts: Vec<Part>,
    folder: Option<PathBuf>,
}

/// An output and what is parsed for it.
#[derive(Debug)]
pub struct Part {
    /// The inputs in order.
    pub inputs: Vec<PathBuf>,
    /// Format of all of them.
    pub format: Format,
    /// The file to write.
    pub output: PathBuf,
}

impl FilePlan {
    /// The plan of parsing `inputs`, all of `format` if that is given, to `output`, a file or a folder.
    ///
    /// # Errors
    /// If an input cannot be opened, standard input is to have a file in a folder, or inputs of different formats are to be one
    /// output.
    pub fn new(inputs: &[PathBuf], format: Option<Format>, output: &Path) -> anyhow::Result<FilePlan> {
        // An input that is missing is known before the others are parsed.
        for input in inputs.iter().filter(|input| *input != Path::new("-")) {
            let there = fs::metadata(input).map_err(Error::io(input))?;
            ensure!(!there.is_dir(), "{}: a folder; expected the name of a file to parse", input.display());
            if there.is_file() {
                File::open(input).map_err(Error::io(input))?;
            }
        }
        let format_of = |input: &PathBuf| format.or(Format::of_path(input)).unwrap_or(Format::Conllu);
        let ends_in_separator = output.to_string_lossy().ends_with(is_separator);
        if ends_in_separator || output.is_dir() {
            let part = |input: &PathBuf| {
                let name = input.file_name().filter(|_| input != Path::new("-"));
                let Some(name) = name else {
                    let (input, output) = (input.display(), output.display());
                    bail!("{input}: an input without a name; expected files, as --output {output} is a folder");
                };
                Ok(Part { inputs: vec![input.clone()], format: format_of(input), output: output.join(name) })
            };
            let parts = inputs.iter().map(part).collect::<anyhow::Result<_>>()?;
            return Ok(FilePlan { parts, folder: Some(output.to_owned()) });
        }
        if output.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("parquet")) {
            let output = output.display();
            bail!(
                "{output}: expected the name of a file of CoNLL-U or CoNLL-X; `python -m treebeam.parquet` writes Parquet"
            );
        }
        let format = inputs.first().map_or(Format::Conllu, format_of);
        if let Some(other) = inputs.iter().find(|input| format_of(input) != format) {
            let [first, second] = [format, format_of(other)].map(Format::title);
            bail!(
                "{}: {second} behind {}, which is {first}; expected one format, or a folder as --output, such as parsed/",
                other.display(),
                inputs[0].display()
            );
        }
        let part = Part { inputs: inputs.to_vec(), format, output: output.to_owned() };
        Ok(FilePlan { parts: vec![part], folder: None })
    }

    /// All files of the plan, added to `paths`.
    ///
    /// # Errors
    /// If a file would be written twice, or is read and written, or standard input is read twice.
    pub fn paths(&self, paths: Paths) -> Result<Paths> {
        let paths = self.parts.iter().fold(paths, |paths, part| paths.inputs(&part.inputs));
        self.parts.iter().try_fold(paths, |paths, part| paths.output(&part.output))
    }

    /// Makes the folder of the outputs, if there is to be one.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn make_folder(&self) -> Result<()> {
        self.folder.as_ref().map_or(Ok(()), |folder| fs::create_dir_all(folder).map_err(Error::io(folder)))
    }
}
