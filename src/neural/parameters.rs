//! The parameters of a network: some tensors, each row by row.

use super::lstm::LstmWeights;
use crate::error::Result;
use crate::files::{Section, Sections};

/// Names of a network's tensors, which files call them by.
#[derive(Debug, PartialEq, Eq)]
pub struct Names {
    /// By number.
    pub all: &'static [&'static str],
    /// Number of the first ones, which stand in files even if they are empty.
    pub n_always: usize,
}

/// Section of the steps of tensors that stand in 16 bits: by tensor, what a whole number stands for.
const STEPS: &str = "steps";

/// All parameters, or as many numbers about them.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameters {
    names: &'static Names,
    /// By number.
    pub tensors: Vec<Vec<f32>>,
}

impl Parameters {
    /// Zeros, in tensors of these lengths.
    pub fn zeros(names: &'static Names, lengths: &[usize]) -> Parameters {
        Parameters { names, tensors: lengths.iter().map(|&length| vec![0.0; length]).collect() }
    }

    /// As many zeros.
    #[must_use]
    pub fn to_zeros(&self) -> Parameters {
        Parameters::zeros(self.names, &self.lengths())
    }

    /// Those of long short-term memories, which stand in three tensors from this one on.
    pub fn lstms(&self, first: usize) -> LstmWeights<'_> {
        let [inputs, recurrent, bias] = [0, 1, 2].map(|number| &self.tensors[first + number][..]);
        LstmWeights { inputs, recurrent, bias }
    }

    /// The number of parameters.
    pub fn count(&self) -> usize {
        self.tensors.iter().map(Vec::len).sum()
    }

    /// The same, all numbers of a tensor being whole multiples of its step: a power of 2 by which they fit 16 bits.
    #[must_use]
    pub fn rounded(mut self) -> Parameters {
        for tensor in &mut self.tensors {
            let step = step(tensor);
            tensor.iter_mut().for_each(|number| *number = (*number / step).round_ties_even() * step);
        }
        self
    }

    /// The tensors as sections of a file, in 16 bits a number: those of [rounded](Parameters::rounded) parameters.
    pub fn short_sections(&self) -> Vec<Section<'static>> {
        let steps: Vec<f32> = self.tensors.iter().map(|tensor| step(tensor)).collect();
        let short = |(number, name, tensor): (usize, &'static str, &[f32])| {
            let short = |value: &f32| (value / steps[number]).round_ties_even() as i16;
            let numbers: Vec<i16> = tensor.iter().map(short).collect();
            Section::new(name, bytemuck::cast_slice::<i16, u8>(&numbers).to_vec())
        };
        let mut sections: Vec<Section> = self.kept().map(short).collect();
        sections.push(Section::new(STEPS, bytemuck::cast_slice::<f32, u8>(&steps).to_vec()));
        sections
    }

    /// The tensors as sections of a file.
    pub fn sections(&self) -> Vec<Section<'_>> {
        self.kept().map(|(_, name, tensor)| Section::new(name, bytemuck::cast_slice::<f32, u8>(tensor))).collect()
    }

    /// The tensors that stand in files, with their numbers and names.
    fn kept(&self) -> impl Iterator<Item = (usize, &'static str, &[f32])> {
        let named = self.names.all.iter().zip(&self.tensors).enumerate();
        let named = named.filter(|(number, (_, tensor))| *number < self.names.n_always || !tensor.is_empty());
        named.map(|(number, (name, tensor))| (number, *name, &tensor[..]))
    }

    /// True if all are numbers.
    pub fn are_finite(&self) -> bool {
        self.tensors.iter().flatten().all(|number| number.is_finite())
    }

    /// The tensors in these sections, of these lengths.
    ///
    /// # Errors
    /// If one is missing, has another length or holds NaN or an infinity.
    pub fn from_sections(names: &'static Names, lengths: &[usize], sections: &Sections) -> Result<Parameters> {
        let steps = if sections.has(STEPS) { Some(sections.numbers::<f32>(STEPS)?) } else { None };
        if steps.as_ref().is_some_and(|steps| steps.len() != lengths.len()) {
            return Err(sections.damaged(&format!("there should be {} steps of the network's tensors", lengths.len())));
        }
        let read = |(number, (name, &length)): (usize, (&&str, &usize))| {
            if length == 0 && number >= names.n_always {
                return Ok(Vec::new());
            }
            let found: Vec<f32> = match &steps {
                None => sections.numbers::<f32>(name)?.to_vec(),
                Some(steps) => sections.numbers::<i16>(name)?.iter().map(|&n| f32::from(n) * steps[number]).collect(),
            };
            if found.len() != length {
                let found = found.len();
                return Err(sections.damaged(&format!("the network's {name} are {found} numbers; expected {length}")));
            }
            match found.iter().all(|number| number.is_finite()) {
                true => Ok(found),
                false => Err(sections.damaged(&format!("one of the network's {name} is no number"))),
            }
        };
        let tensors = names.all.iter().zip(lengths).enumerate().map(read).collect::<Result<_>>()?;
        Ok(Parameters { names, tensors })
    }

    /// Tensors in these sections that are as long as these.
    ///
    /// # Errors
    /// As [`Parameters::from_sections`].
    pub fn read_alike(&self, sections: &Sections) -> Result<Parameters> {
        Parameters::from_sections(self.names, &self.lengths(), sections)
    }

    fn lengths(&self) -> Vec<usize> {
        self.tensors.iter().map(Vec::len).collect()
    }
}

/// The least power of 2 of which all of these numbers are at most 32,767 times as much.
fn step(numbers: &[f32]) -> f32 {
    const LEAST: f32 = f32::MIN_POSITIVE;
    let highest = numbers.iter().fold(0.0, |highest: f32, number| highest.max(number.abs()));
    let mut step = LEAST;
    while highest > step * f32::from(i16::MAX) {
        step *= 2.0;
    }
    step
}
