//! Scores and their significance.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use treebeam::eval::{
    BreakdownSection, EvalInput, EvalOptions, Granularity, Headline, Punctuation, PunctuationRule, Report,
};
use treebeam_lab::evaluation::render;

use crate::errors::{exception, guarded, of_problem};
use crate::model::warn;
use crate::options::chosen;
use crate::sentences::Source;

/// Report of `treebeam eval` on the same: as JSON, and as text, which has fewer breakdowns unless some are asked for.
#[pyfunction]
#[pyo3(signature = (gold, systems, punct, punct_rule, granularity, by, samples, seed))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub fn evaluate(
    py: Python<'_>,
    gold: &Bound<'_, PyAny>,
    systems: Vec<Bound<'_, PyAny>>,
    punct: &str,
    punct_rule: Option<&str>,
    granularity: &str,
    by: Option<Vec<String>>,
    samples: u32,
    seed: u64,
) -> PyResult<(String, String)> {
    guarded(|| {
        if samples == 0 {
            return Err(PyValueError::new_err("samples: found 0; expected a number from 1 on"));
        }
        let gold = input(py, gold, "gold")?;
        let names = ["system", "system2"];
        let systems = systems.iter().zip(names).map(|(system, name)| input(py, system, name));
        let systems = systems.collect::<PyResult<Vec<_>>>()?;
        let is_usual = by.is_none();
        let sections = match by {
            None => BreakdownSection::ALL.to_vec(),
            Some(by) => by.iter().map(|by| chosen::<BreakdownSection>("by", by)).collect::<PyResult<_>>()?,
        };
        let options = EvalOptions {
            rule: punct_rule.map(|rule| chosen::<PunctuationRule>("punct_rule", rule)).transpose()?,
            headline: Headline {
                punctuation: chosen::<Punctuation>("punct", punct)?,
                granularity: chosen::<Granularity>("granularity", granularity)?,
            },
            sections,
            samples: samples as usize,
            seed,
            tags: None,
        };
        let mut report = py.detach(|| Report::new(&gold, &systems, &options)).map_err(exception)?;
        report.warnings().iter().try_for_each(|warning| warn(py, warning))?;
        let json = serde_json::to_string(&report).map_err(|error| PyValueError::new_err(error.to_string()))?;
        if is_usual {
            report.keep(&BreakdownSection::USUAL);
        }
        Ok((json, render(&report)))
    })
}

/// Trees of a file or of sentences to compare; messages call them by `name`.
fn input(py: Python<'_>, object: &Bound<'_, PyAny>, name: &str) -> PyResult<EvalInput> {
    match Source::of(object)? {
        Source::File(path) => py.detach(|| EvalInput::read(&path)).map_err(exception),
        Source::Sentences(sentences) if sentences.is_empty() => {
            Err(PyValueError::new_err(format!("{name}: there are no sentences; expected one at least")))
        }
        Source::Sentences(sentences) => EvalInput::of_sentences(name, &sentences).map_err(of_problem),
    }
}
