//! Models.

use std::io::BufRead;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use pyo3::exceptions::{PyTypeError, PyUserWarning, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde_json::json;
use treebeam::decode::{Margin, Parsed, confidence};
use treebeam::error::{Error, Result};
use treebeam::files::{Output, Paths};
use treebeam::linear::Precision;
use treebeam::model::Size;
use treebeam::parser::{AnyParser, CHUNK_WORDS, EmptyColumns, Loaded, MAX_BEAM, ParseOptions, SMALL_WEIGHTS};
use treebeam::tree::{Labels, Roots};
use treebeam::treebank::{Enhanced, Format, Reader, Sentence};
use treebeam_lab::trace;

use crate::arrow;
use crate::errors::{exception, from_json, guarded, handed};
use crate::memory::{Watch, no_memory, room};
use crate::options::{chosen, of_parsing};
use crate::sentences::{self, reader};
use crate::tree::Tree;

/// A trained model.
#[pyclass(frozen, module = "treebeam", weakref)]
pub struct Model {
    path: PathBuf,
    model: Loaded,
    /// The labels of its trees, which may outlive it.
    labels: Arc<Labels>,
    /// Parsers that nobody uses at the moment, with their threads and memory.
    idle: Mutex<Vec<Idle>>,
}

/// A parser with the process that its threads are of: those of a process that was forked off are gone.
struct Idle {
    options: ParseOptions,
    process: u32,
    parser: AnyParser,
}

/// Parsers that are kept, at most.
const MOST_IDLE: usize = 8;

/// Reads a model file.
#[pyfunction]
pub fn load(py: Python<'_>, path: PathBuf) -> PyResult<Model> {
    guarded(|| {
        let model = py.detach(|| Loaded::read(&path)).map_err(exception)?;
        // Where it is found again from another folder.
        let path = std::path::absolute(&path).unwrap_or(path);
        let labels = Arc::new(model.labels().clone());
        Ok(Model { path, model, labels, idle: Mutex::default() })
    })
}

/// Says something to the user.
pub fn warn(py: Python<'_>, message: &str) -> PyResult<()> {
    let category = py.get_type::<PyUserWarning>();
    py.import("warnings")?.call_method1("warn", (message, category, 2)).map(drop)
}

impl Model {
    /// Runs `work` with a parser that is kept for the next time, unless it fails: what it holds may be all the memory there is.
    fn with_parser<T>(
        &self,
        py: Python<'_>,
        options: &ParseOptions,
        work: impl FnOnce(&mut AnyParser, Watch) -> PyResult<T>,
    ) -> PyResult<T> {
        let process = std::process::id();
        let known = {
            let mut idle = self.idle.lock().expect("no thread fails while it looks for a parser");
            let place = idle.iter().position(|idle| idle.options == *options && idle.process == process);
            place.map(|place| idle.swap_remove(place).parser)
        };
        let mut parser = match known {
            Some(parser) => parser,
            None => {
                let parser = py.detach(|| AnyParser::new(&self.model, options)).map_err(exception)?;
                parser.warnings().iter().try_for_each(|warning| warn(py, warning))?;
                parser
            }
        };
        // The successors of a beam, in a list that grows by doubling.
        let beam = options.beam.or(self.model.beam()).unwrap_or(1);
        let successors = beam.saturating_mul(2 * self.model.labels().len() + 8);
        let done = Watch::over(successors.saturating_mul(32), |watch| work(&mut parser, watch))?;
        let mut idle = self.idle.lock().expect("no thread fails while it puts a parser back");
        if idle.len() == MOST_IDLE {
            let oldest = idle.remove(0);
            if oldest.process != process {
                // Its threads do not exist here, and cannot be waited for.
                std::mem::forget(oldest);
            }
        }
        idle.push(Idle { options: *options, process, parser });
        Ok(done)
    }

    /// Parses sentences part by part, with an ear for Ctrl-C; `done` gets each with its trees.
    fn parse_all(
        &self,
        py: Python<'_>,
        sentences: Vec<Sentence>,
        options: &ParseOptions,
        mut done: impl FnMut(Sentence, Vec<Parsed>) -> PyResult<()>,
    ) -> PyResult<()> {
        let mut empty = EmptyColumns::new(self.model.columns(), self.model.tags(), Format::Conllu);
        empty.look_at(&sentences, "sentences", true).iter().try_for_each(|warning| warn(py, warning))?;
        self.with_parser(py, options, |parser, watch| {
            let mut sentences = sentences.into_iter();
            loop {
                let chunk = take_chunk(&mut sentences);
                if chunk.is_empty() {
                    return Ok(());
                }
                let parsed = py.detach(|| parser.parse(&chunk)).map_err(exception)?;
                for (sentence, parsed) in chunk.into_iter().zip(parsed) {
                    done(sentence, parsed)?;
                }
                watch.check()?;
                py.check_signals()?;
            }
        })
    }

    /// Parses what `reader` reads, chunk by chunk; `write` gets each sentence with its trees. The number of sentences.
    fn parse_read<R: BufRead + Send>(
        &self,
        py: Python<'_>,
        mut reader: Reader<R>,
        name: &str,
        options: &ParseOptions,
        mut write: impl FnMut(&Sentence, &[Parsed]) -> Result<()> + Send,
    ) -> PyResult<usize> {
        let mut empty = EmptyColumns::new(self.model.columns(), self.model.tags(), reader.format());
        let mut n_done = 0;
        self.with_parser(py, options, |parser, watch| {
            loop {
                let (n_sentences, warnings) = py
                    .detach(|| -> Result<_> {
                        let mut broken = None;
                        let chunk = take_chunk(&mut reader.by_ref().map_while(|read| match read {
                            Ok(sentence) => Some(sentence),
                            Err(error) => {
                                broken = Some(error);
                                None
                            }
                        }));
                        if let Some(error) = broken {
                            return Err(error);
                        }
                        let parsed = parser.parse(&chunk)?;
                        chunk.iter().zip(&parsed).try_for_each(|(sentence, parsed)| write(sentence, parsed))?;
                        Ok((chunk.len(), empty.look_at(&chunk, name, chunk.is_empty())))
                    })
                    .map_err(exception)?;
                warnings.iter().try_for_each(|warning| warn(py, warning))?;
                if n_sentences == 0 {
                    return Ok(n_done);
                }
                n_done += n_sentences;
                watch.check()?;
                py.check_signals()?;
            }
        })
    }

    /// Parses CoNLL-U into CoNLL-U.
    fn parse_text(&self, py: Python<'_>, text: &[u8], options: &ParseOptions, enhanced: Enhanced) -> PyResult<Vec<u8>> {
        let mut written = Vec::new();
        room(&mut written, text.len() + text.len() / 8)?;
        self.parse_read(py, reader(text), "text", options, |sentence, parsed| {
            // As much as the sentence, with a head and a label for each word.
            let bytes = sentence.text().len() + sentence.n_words() * 64 + 128;
            written.try_reserve(bytes * parsed.len()).map_err(|_| no_memory("text"))?;
            let in_memory = self.model.write_with(sentence, parsed, options.k_best > 1, enhanced, &mut written);
            in_memory.expect("memory takes all that is written");
            Ok(())
        })?;
        Ok(written)
    }
}

/// The next sentences, of so many words together that threads are kept busy.
fn take_chunk(sentences: &mut impl Iterator<Item = Sentence>) -> Vec<Sentence> {
    let (mut chunk, mut words) = (Vec::new(), 0);
    while words < CHUNK_WORDS
        && let Some(sentence) = sentences.next()
    {
        words += sentence.n_words();
        chunk.push(sentence);
    }
    chunk
}

#[pymethods]
impl Model {
    /// The file that the model was read from.
    #[getter]
    fn path(&self) -> PyResult<PathBuf> {
        guarded(|| Ok(self.path.clone()))
    }

    /// The transition system or graph-based parser, as the option `system` names it.
    #[getter]
    fn system(&self) -> PyResult<&'static str> {
        guarded(|| Ok(self.model.system().name()))
    }

    /// The width of the beam that the model was trained with; none if it is of a graph-based parser.
    #[getter]
    fn beam(&self) -> PyResult<Option<usize>> {
        guarded(|| Ok(self.model.beam()))
    }

    /// The labels of the trees that it makes.
    #[getter]
    fn labels(&self) -> PyResult<Vec<&str>> {
        guarded(|| Ok(self.model.labels().names().iter().map(String::as_str).collect()))
    }

    /// Description of the model and of its training, as `treebeam model info --json` says under `header`.
    #[getter]
    fn header<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        guarded(|| from_json(py, &self.model.header().map_err(exception)?.to_string()))
    }

    /// The best tree of each sentence; with `confidences=K`, each knows how probable its arcs are by the K best trees.
    #[pyo3(signature = (sentences, **options))]
    fn parse<'py>(
        &self,
        py: Python<'py>,
        sentences: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        handed(py, || {
            let options = of_parsing(options, None)?;
            let sentences = sentences::read(sentences)?;
            let mut trees = Vec::new();
            room(&mut trees, sentences.len())?;
            self.parse_all(py, sentences, &options, |sentence, parsed| {
                trees.extend(Tree::all(sentence, parsed, &self.labels, &self.model));
                Ok(())
            })?;
            Ok(trees)
        })
    }

    /// The `k` best trees of each sentence, best first.
    #[pyo3(signature = (sentences, k, **options))]
    fn k_best<'py>(
        &self,
        py: Python<'py>,
        sentences: &Bound<'_, PyAny>,
        k: i64,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        handed(py, || {
            let options = of_parsing(options, Some(k))?;
            let sentences = sentences::read(sentences)?;
            let mut trees = Vec::new();
            room(&mut trees, sentences.len())?;
            self.parse_all(py, sentences, &options, |sentence, mut parsed| {
                confidence::assign(&mut parsed, self.model.confidence(), self.model.scale());
                trees.push(Tree::all(sentence, parsed, &self.labels, &self.model));
                Ok(())
            })?;
            Ok(trees)
        })
    }

    /// Parses CoNLL-U into CoNLL-U, as `treebeam parse` does.
    #[pyo3(signature = (text, *, k_best = 1, enhanced = "drop", **options))]
    fn parse_conllu<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<'_, PyAny>,
        k_best: i64,
        enhanced: &str,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        handed(py, || {
            let (options, enhanced) = (of_parsing(options, Some(k_best))?, chosen("enhanced", enhanced)?);
            let Some(text) = sentences::text(text)? else {
                let expected = "found something else than text; expected CoNLL-U as str or bytes";
                return Err(PyValueError::new_err(expected));
            };
            let written = self.parse_text(py, text.as_bytes(), &options, enhanced)?;
            String::from_utf8(written).map_err(|error| PyValueError::new_err(error.to_string()))
        })
    }

    /// Parses a file into a file, as `treebeam parse` does, and returns the number of sentences.
    #[pyo3(signature = (input, output, *, k_best = 1, enhanced = "drop", **options))]
    fn parse_file(
        &self,
        py: Python<'_>,
        input: PathBuf,
        output: PathBuf,
        k_best: i64,
        enhanced: &str,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<usize> {
        guarded(|| {
            let (options, enhanced) = (of_parsing(options, Some(k_best))?, chosen("enhanced", enhanced)?);
            Paths::default().input(&self.path).input(&input).output(&output).map_err(exception)?;
            let reader = Reader::open(&input, None).map_err(exception)?.allowing_empty();
            let mut written = Output::create(&output).map_err(exception)?;
            let name = input.display().to_string();
            let n_sentences = self.parse_read(py, reader, &name, &options, |sentence, parsed| {
                let written = self.model.write_with(sentence, parsed, options.k_best > 1, enhanced, &mut written);
                written.map_err(Error::io(&output))
            })?;
            written.finish().map_err(exception)?;
            Ok(n_sentences)
        })
    }

    /// Header, size and precision of the model.
    fn info<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        guarded(|| {
            let Size { features, weights, .. } = self.model.size();
            let info = json!({
                "header": self.model.header().map_err(exception)?,
                "sizes": { "features": features, "weights": weights, "bytes": self.model.bytes(), "scale": self.model.scale() },
                "precision": self.model.precision().to_string(),
            });
            from_json(py, &info.to_string())
        })
    }

    /// Writes the model in fewer bits, and reads what was written.
    #[pyo3(signature = (path, *, quantise = None, prune = None, small = false))]
    fn freeze(
        &self,
        py: Python<'_>,
        path: PathBuf,
        quantise: Option<&str>,
        prune: Option<f64>,
        small: bool,
    ) -> PyResult<Model> {
        guarded(|| {
            Paths::default().input(&self.path).output(&path).map_err(exception)?;
            let precision = match quantise {
                Some("i16") => Precision::I16,
                Some("i8") => Precision::I8,
                Some(other) => {
                    return Err(PyValueError::new_err(format!(
                        "quantise: found `{other}`; expected \"i16\" or \"i8\""
                    )));
                }
                None if small => Precision::I8,
                None => self.model.precision(),
            };
            let below = prune.or(small.then_some(SMALL_WEIGHTS));
            if below.is_some_and(|below| !(0.0..=1e6).contains(&below)) {
                return Err(PyValueError::new_err("prune: expected a number from 0 to 1,000,000"));
            }
            py.detach(|| {
                let mut model = self.model.clone().quantise(precision)?;
                if let Some(below) = below {
                    model = model.prune(below, small)?;
                }
                model.write_file(&path)
            })
            .map_err(exception)?;
            load(py, path)
        })
    }

    /// Record of the beams of one sentence as JSON, and the page that shows it; `treebeam.display.Trace` holds both.
    #[pyo3(signature = (sentence, beam, margin, gold, successors))]
    fn _trace(
        &self,
        py: Python<'_>,
        sentence: &Bound<'_, PyAny>,
        beam: Vec<usize>,
        margin: Option<&str>,
        gold: bool,
        successors: usize,
    ) -> PyResult<(String, String)> {
        guarded(|| {
            let model = trace::watchable(&self.model).map_err(exception)?;
            let sentences = match sentences::text(sentence)? {
                Some(_) => sentences::read(sentence)?,
                None => sentences::read(PyList::new(py, [sentence])?.as_any())?,
            };
            let [sentence] = &sentences[..] else {
                return Err(PyValueError::new_err(format!("found {} sentences; expected one", sentences.len())));
            };
            if beam.iter().any(|&width| width == 0 || width as u64 > MAX_BEAM) {
                return Err(PyValueError::new_err(format!("beam: expected widths from 1 to {MAX_BEAM}")));
            }
            let margin =
                margin.map_or(Ok(Margin::None), str::parse).map_err(|error: String| PyValueError::new_err(error))?;
            let with_gold = gold && sentence.tree(Roots::Several, &mut model.labels().clone()).is_ok();
            let options = trace::TraceOptions {
                widths: beam,
                margin,
                listed: successors,
                with_gold,
                ..trace::TraceOptions::default()
            };
            py.detach(|| {
                let record = trace::trace(model, sentence, 1, &options)?;
                let json = serde_json::to_string(&record).map_err(|error| Error::Usage(error.to_string()))?;
                Ok((json, trace::page(record)?))
            })
            .map_err(exception)
        })
    }

    /// Columns `head`, `deprel` and `score` for a batch of Arrow, as buffers; `treebeam._arrow` makes columns of them.
    #[pyo3(signature = (batch, names, keep_going, **options))]
    fn _parse_arrow<'py>(
        &self,
        py: Python<'py>,
        batch: &Bound<'_, PyAny>,
        names: Vec<String>,
        keep_going: bool,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        handed(py, || {
            let options = of_parsing(options, None)?;
            let given = [(options.confidences, "confidences"), (options.alternatives, "alternatives")];
            if let Some((_, name)) = given.iter().find(|(given, _)| given.is_some()) {
                return Err(PyTypeError::new_err(format!("`{name}` is no argument of `Model.parse_arrow`")));
            }
            let batch = arrow::Imported::of(batch)?;
            let sentences = arrow::Sentences::new(&batch, &self.model.read_columns(), &names)?;
            self.with_parser(py, &options, |parser, watch| {
                let mut columns = arrow::Columns::default();
                let mut rows = 0..sentences.n_rows();
                while !rows.is_empty() {
                    let parse = || columns.parse_chunk(&sentences, &mut rows, parser, &self.model, keep_going);
                    py.detach(parse).map_err(exception)?;
                    watch.check()?;
                    py.check_signals()?;
                }
                columns.buffers()
            })
        })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (PathBuf,))> {
        guarded(|| Ok((py.import("treebeam")?.getattr("load")?, (self.path.clone(),))))
    }

    fn __repr__(&self) -> PyResult<String> {
        guarded(|| {
            let beam = self.model.beam().map_or(String::new(), |beam| format!(", beam {beam}"));
            Ok(format!(
                "<treebeam.Model {}: {}{beam}, {} labels>",
                self.path.display(),
                self.system()?,
                self.labels()?.len()
            ))
        })
    }
}
