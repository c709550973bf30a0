//! Parsed trees.

use std::borrow::Cow;
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use treebeam::decode::Parsed;
use treebeam::eval::Analysis;
use treebeam::parser::Loaded;
use treebeam::tree::{Labels, Roots};
use treebeam::treebank::{Column, Format, Sentence};
use treebeam_lab::draw::{Drawing, DrawnTree};

use crate::errors::{guarded, of_problem};
use crate::sentences::of_block;

/// A dependency tree over the words of a sentence.
#[pyclass(frozen, module = "treebeam", weakref)]
pub struct Tree {
    sentence: Arc<Sentence>,
    tree: treebeam::tree::Tree,
    labels: Arc<Labels>,
    score: f64,
    /// Confidences in heads and in labels, if they were asked for.
    confidences: Confidences,
    /// The column that holds the labels, if a tagger made them.
    target: Option<Column>,
}

/// By word the probabilities of heads, and of labels given the heads.
type Confidences = Option<(Vec<f64>, Vec<f64>)>;

impl Tree {
    /// The trees of one sentence by `model`, best first.
    pub fn all(sentence: Sentence, parsed: Vec<Parsed>, labels: &Arc<Labels>, model: &Loaded) -> Vec<Tree> {
        let sentence = Arc::new(sentence);
        let (scale, target) = (f64::from(model.scale()), model.target());
        let with_tags = |parsed: &Parsed| match model.tagged(&sentence, parsed) {
            Cow::Owned(tagged) => Arc::new(tagged),
            Cow::Borrowed(_) => Arc::clone(&sentence),
        };
        let tree = |(sentence, Parsed { tree, score, confidences, .. }): (Arc<Sentence>, Parsed)| Tree {
            sentence,
            target,
            confidences: (!confidences.is_empty())
                .then(|| confidences.iter().map(|confidence| (confidence.head, confidence.label)).unzip()),
            score: score as f64 / scale,
            tree,
            labels: Arc::clone(labels),
        };
        parsed.into_iter().map(|parsed| tree((with_tags(&parsed), parsed))).collect()
    }

    /// The sentence as CoNLL-U with this tree, or with these tags.
    pub fn conllu(&self) -> String {
        if self.target.is_some() {
            return self.sentence.text().to_owned() + "\n";
        }
        let mut out = Vec::new();
        let labels = self.labels.names_of(&self.tree);
        self.sentence.write_parsed(&mut out, self.tree.heads(), &labels).expect("memory takes all that is written");
        String::from_utf8(out).expect("sentences are text")
    }

    fn drawn(&self, name: &'static str) -> DrawnTree<'_> {
        let labels = self.labels.names_of(&self.tree);
        DrawnTree { name, analysis: Analysis { heads: self.tree.heads().to_vec(), labels } }
    }

    fn column(&self, column: Column) -> Vec<&str> {
        self.sentence.words().map(|word| self.sentence.column(word, column)).collect()
    }
}

/// A numpy array of these bytes.
fn array<'py>(py: Python<'py>, bytes: &[u8], dtype: &str) -> PyResult<Bound<'py, PyAny>> {
    let options = PyDict::new(py);
    options.set_item("dtype", dtype)?;
    let array = py.import("numpy")?.call_method("frombuffer", (PyBytes::new(py, bytes),), Some(&options))?;
    // That of a buffer cannot be written to.
    array.call_method0("copy")
}

/// A numpy array of these numbers.
fn floats<'py>(py: Python<'py>, numbers: &[f64]) -> PyResult<Bound<'py, PyAny>> {
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_ne_bytes()).collect();
    array(py, &bytes, "float64")
}

/// Pickled contents: CoNLL-U, score, confidences, the column of a tagger.
type Pickled = (String, f64, Confidences, Option<&'static str>);

/// The tree that was pickled so.
#[pyfunction]
#[pyo3(signature = (text, score, confidences, target = None))]
pub fn _tree(text: &str, score: f64, confidences: Confidences, target: Option<&str>) -> PyResult<Tree> {
    guarded(|| {
        let target = target.and_then(treebeam_lab::draw::column_by_name);
        let sentence = of_block("the pickled tree", text)?.for_target(target);
        let heads = sentence.heads(Roots::Several).map_err(of_problem)?;
        let mut labels = Labels::default();
        let of_words: Vec<_> = sentence.words().map(|word| labels.intern(sentence.deprel(word))).collect();
        let tree = treebeam::tree::Tree::new(&heads, &of_words);
        Ok(Tree { sentence: Arc::new(sentence), tree, labels: Arc::new(labels), score, confidences, target })
    })
}

#[pymethods]
impl Tree {
    /// The heads of the words as numbers from 1, 0 being the root: a numpy array of int32.
    #[getter]
    fn heads<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        guarded(|| {
            let bytes: Vec<u8> = self.tree.heads().iter().flat_map(|&head| i32::from(head).to_ne_bytes()).collect();
            array(py, &bytes, "int32")
        })
    }

    /// The labels of the arcs into the words; the tags that a tagger gave them.
    #[getter]
    fn deprels(&self) -> PyResult<Vec<&str>> {
        guarded(|| Ok(self.labels.names_of(&self.tree)))
    }

    /// The words.
    #[getter]
    fn forms(&self) -> PyResult<Vec<&str>> {
        guarded(|| Ok(self.column(Column::Form)))
    }

    /// The words' universal parts of speech.
    #[getter]
    fn upos(&self) -> PyResult<Vec<&str>> {
        guarded(|| Ok(self.column(Column::Upos)))
    }

    /// The sentence's id, from its comment `# sent_id = ...`.
    #[getter]
    fn sent_id(&self) -> PyResult<Option<&str>> {
        guarded(|| Ok(self.sentence.id()))
    }

    /// The score of the tree's derivation.
    #[getter]
    fn score(&self) -> PyResult<f64> {
        guarded(|| Ok(self.score))
    }

    /// The probability of each word's head by the best trees; none if only one tree was asked for.
    #[getter]
    fn confidences<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        guarded(|| self.confidences.as_ref().map(|(heads, _)| floats(py, heads)).transpose())
    }

    /// The probability of each word's label, given its head, by the best trees; none if only one tree was asked for.
    #[getter]
    fn label_confidences<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        guarded(|| self.confidences.as_ref().map(|(_, labels)| floats(py, labels)).transpose())
    }

    /// The sentence as CoNLL-U with this tree, as `treebeam parse` writes it.
    fn to_conllu(&self) -> PyResult<String> {
        guarded(|| Ok(self.conllu()))
    }

    /// The tree as a picture, over its words; another of the same words under them, if given. Sentences that are wider than
    /// `width` pixels go on in another row.
    #[pyo3(signature = (columns = vec!["form".to_owned(), "upos".to_owned()], labels = true, other = None, width = Some(1200)))]
    fn to_svg(
        &self,
        columns: Vec<String>,
        labels: bool,
        other: Option<&Bound<'_, Tree>>,
        width: Option<u32>,
    ) -> PyResult<String> {
        guarded(|| {
            let column = |name: &String| {
                let expected =
                    || format!("`{name}` is no column; expected one of CoNLL-U's, such as form, lemma or upos");
                treebeam_lab::draw::column_by_name(name).ok_or_else(|| PyValueError::new_err(expected()))
            };
            let columns = columns.iter().map(column).collect::<PyResult<Vec<_>>>()?;
            if columns.is_empty() {
                return Err(PyValueError::new_err("there are no columns; expected one at least, such as form"));
            }
            let other = other.map(|other| other.get());
            if other.is_some_and(|other| other.column(Column::Form) != self.column(Column::Form)) {
                return Err(PyValueError::new_err("the other tree is of other words; expected one of the same words"));
            }
            let drawing = Drawing {
                sentence: &self.sentence,
                number: 1,
                columns: &columns,
                with_labels: labels,
                width,
                tree: self.drawn(if other.is_some() { "the first" } else { "treebeam" }),
                other: other.map(|other| other.drawn("the second")),
            };
            Ok(drawing.svg())
        })
    }

    fn _repr_svg_(&self) -> PyResult<String> {
        guarded(|| self.to_svg(vec!["form".to_owned(), "upos".to_owned()], true, None, Some(1200)))
    }

    /// Trees are pickled as text, so that processes that have no model can take them.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Pickled)> {
        guarded(|| {
            let restored = py.import("treebeam._treebeam")?.getattr("_tree")?;
            let target = self.target.map(|column| column.name(Format::Conllu));
            Ok((restored, (self.conllu(), self.score, self.confidences.clone(), target)))
        })
    }

    fn __len__(&self) -> PyResult<usize> {
        guarded(|| Ok(self.tree.n_words()))
    }

    fn __repr__(&self) -> PyResult<String> {
        guarded(|| {
            let arc = |((form, head), label): ((&str, &u16), &str)| format!("{form} <-{label}- {head}");
            let arcs = self.column(Column::Form).into_iter().zip(self.tree.heads()).zip(self.deprels()?).map(arc);
            Ok(format!("Tree({})", arcs.collect::<Vec<_>>().join(", ")))
        })
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        guarded(|| Ok(other.cast::<Tree>().is_ok_and(|other| other.get().conllu() == self.conllu())))
    }

    fn __hash__(&self) -> PyResult<u64> {
        guarded(|| {
            use std::hash::{DefaultHasher, Hash, Hasher};
            let mut hasher = DefaultHasher::new();
            self.conllu().hash(&mut hasher);
            Ok(hasher.finish())
        })
    }
}
