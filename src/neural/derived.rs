//! Derived values: inputs of a network's scores that follow from its parameters.

use super::encoder::{EncoderShape, panels};
use super::kernel::{Operand, Panels, multiply};
use super::layout::Layout;
use super::parameters::Parameters;
use super::quantised::{Quantised, padded};
use super::stack_lstm::{self, StackDerived};
use super::sums::{Common, Tables, Token};
use super::tensors::{BIAS, ENCODER_INPUTS, LABEL_PLACES, LABELS, PLACES};
use crate::linear::Precision;

/// Values that follow from parameters, computed once whenever these change.
#[derive(Debug, Clone)]
pub struct Derived {
    /// Tables that sums of hidden units are made of.
    pub(super) tables: Tables<f32>,
    /// By place: what vectors of tokens are multiplied by.
    pub(super) places: Panels,
    /// By layer of the encoder, the same of what it reads.
    pub(super) encoder: Vec<Panels>,
    /// The tokens whose products are kept.
    pub(super) common: Common,
    /// The network in fewer bits, which then makes the scores.
    pub(super) quantised: Option<Quantised>,
    /// Weights of stacks, if there are some.
    pub(super) stacks: StackDerived,
}

impl Derived {
    /// Derives the values of these parameters.
    pub fn new(layout: &Layout, parameters: &Parameters) -> Derived {
        Derived::finished(layout, parameters, &[], Precision::Full)
    }

    /// The same where they do not change any more: products of common tokens, the commonest first, are kept.
    pub fn finished(layout: &Layout, parameters: &Parameters, tokens: &[Token], precision: Precision) -> Derived {
        let network = &layout.network;
        let encoder =
            EncoderShape::of(network).map_or_else(Vec::new, |shape| panels(shape, parameters.lstms(ENCODER_INPUTS)));
        let of_stacks = |shape| StackDerived::new(shape, parameters);
        let stacks = stack_lstm::StackShape::of(network).map_or_else(StackDerived::default, of_stacks);
        // Stacks have sums of their own, in full precision, whatever their parameters were rounded to.
        let by_place = network.stacks.is_none();
        let precision = if by_place { precision } else { Precision::Full };
        let places = Panels::new(&parameters.tensors[PLACES], (network.vector_dimension(), network.hidden));
        let bytes = match precision {
            Precision::Full => network.places.len() * network.hidden * size_of::<f32>(),
            _ => network.places.len() * padded(network.hidden) * size_of::<i16>(),
        };
        // An encoder's vector of a token depends on the sentence.
        let common = if by_place && encoder.is_empty() { Common::new(tokens, bytes) } else { Common::default() };
        let labels = label_products(layout, parameters);
        let quantised = Quantised::new(layout, parameters, (&labels, &common), precision);
        let bias = parameters.tensors[BIAS].clone();
        let tables = Tables::new(network.hidden, bias, labels, layout, &common);
        Derived { tables, places, encoder, common, quantised, stacks }
    }
}

/// By place of a label, and by label: what the label contributes in the place.
fn label_products(layout: &Layout, parameters: &Parameters) -> Vec<f32> {
    let network = &layout.network;
    let (dimension, hidden) = (network.label_dimension, network.hidden);
    let labels = &parameters.tensors[LABELS];
    let n_labels = labels.len() / dimension;
    let mut products = vec![0.0; network.labels.len() * n_labels * hidden];
    let weights = parameters.tensors[LABEL_PLACES].chunks_exact(dimension * hidden);
    for (weights, products) in weights.zip(products.chunks_exact_mut(n_labels * hidden)) {
        multiply(Operand::rows(labels, dimension), weights, products, (n_labels, dimension, hidden));
    }
    products
}
