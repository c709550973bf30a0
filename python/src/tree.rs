//! Parsed trees.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use treebeam::decode::Parsed;
use treebeam::eval::Analysis;
use treebeam::tree::{Labels, Roots};
use treebeam::treebank::{Column, Sentence};
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
    confidences: Option<Vec<f64>>,
}

impl Tree {
    /// The trees of one sentence, best first. With `confidences`, each knows how many of the others agree with it.
    pub fn all(
        sentence: Sentence,
        parsed: Vec<Parsed>,
        labels: &Arc<Labels>,
        scale: u32,
        confidences: bool,
    ) -> Vec<Tree> {
        let sentence = Arc::new(sentence);
        let scale = f64::from(scale);
        let weights = confidences.then(|| weights(&parsed));
        let heads: Vec<Vec<u16>> = match confidences {
            true => parsed.iter().map(|parsed| parsed.tree.heads().to_vec()).collect(),
            false => Vec::new(),
        };
        let tree = |(i, parsed): (usize, Parsed)| Tree {
            sentence: Arc::clone(&sentence),
            confidences: weights.as_ref().map(|weights| agreement(&heads[i], &heads, weights)),
            score: parsed.score as f64 / scale,
            tree: parsed.tree,
            labels: Arc::clone(labels),
        };
        parsed.into_iter().enumerate().map(tree).collect()
    }

    /// The sentence as CoNLL-U with this tree.
    pub fn conllu(&self) -> String {
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

/// The weights of the best trees, of which 1 is the sum: they fall off exponentially with the distance to the best score, in units
/// of the mean distance. Scores of perceptrons have no scale of their own: by their softmax all the weight would be that of the best
/// tree.
fn weights(parsed: &[Parsed]) -> Vec<f64> {
    let best = parsed.iter().map(|parsed| parsed.score).max().unwrap_or(0);
    let behind: Vec<f64> = parsed.iter().map(|parsed| (best - parsed.score) as f64).collect();
    let mean = (behind.iter().sum::<f64>() / behind.len() as f64).max(f64::MIN_POSITIVE);
    let weights: Vec<f64> = behind.iter().map(|behind| (-behind / mean).exp()).collect();
    let sum: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / sum).collect()
}

/// Of each word the weight of the trees in which it has this head.
fn agreement(heads: &[u16], all: &[Vec<u16>], weights: &[f64]) -> Vec<f64> {
    let of_word = |(word, head): (usize, &u16)| {
        let agrees = |(other, _): &(&Vec<u16>, &f64)| other[word] == *head;
        all.iter().zip(weights).filter(agrees).map(|(_, weight)| weight).sum::<f64>().min(1.0)
    };
    heads.iter().enumerate().map(of_word).collect()
}

/// A numpy array of these bytes.
fn array<'py>(py: Python<'py>, bytes: &[u8], dtype: &str) -> PyResult<Bound<'py, PyAny>> {
    let options = PyDict::new(py);
    options.set_item("dtype", dtype)?;
    let array = py.import("numpy")?.call_method("frombuffer", (PyBytes::new(py, bytes),), Some(&options))?;
    // That of a buffer cannot be written to.
    array.call_method0("copy")
}

/// Pickled contents: CoNLL-U, score, confidences.
type Pickled = (String, f64, Option<Vec<f64>>);

/// The tree that was pickled so.
#[pyfunction]
pub fn _tree(text: &str, score: f64, confidences: Option<Vec<f64>>) -> PyResult<Tree> {
    guarded(|| {
        let sentence = of_block("the pickled tree", text)?;
        let heads = sentence.heads(Roots::Several).map_err(of_problem)?;
        let mut labels = Labels::default();
        let of_words: Vec<_> = sentence.words().map(|word| labels.intern(sentence.deprel(word))).collect();
        let tree = treebeam::tree::Tree::new(&heads, &of_words);
        Ok(Tree { sentence: Arc::new(sentence), tree, labels: Arc::new(labels), score, confidences })
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

    /// The labels of the arcs into the words.
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

    /// Of each word how much of the weight of the best trees agrees on its head; none if only one tree was asked for.
    #[getter]
    fn confidences<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        guarded(|| {
            let bytes = |confidences: &Vec<f64>| confidences.iter().flat_map(|c| c.to_ne_bytes()).collect::<Vec<u8>>();
            self.confidences.as_ref().map(|confidences| array(py, &bytes(confidences), "float64")).transpose()
        })
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
            Ok((restored, (self.conllu(), self.score, self.confidences.clone())))
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
