//! Gradients of all parameters from gold trees.
//!
//! With p the probabilities of heads and q those of labels, e the indicator of the gold one, names as in the
//! [formulas](super):
//!
//! ```text
//! ds = p − e    dP = ds r_h    dr_h = dsᵀ P    dr_d = dP Uᵀ    dU = r_dᵀ dP    du = Σ dP          P = r_d U + u
//! dt = q − e    dQ = r'_h dt   dr'_h = Q dt    dr'_d = dQ Vᵀ + dt Xᵀ           dV = r'_dᵀ dQ       Q = r'_d V + W
//! dz = dr ⊙ leaky'(z)    dW = vᵀ dz    dv = dz Wᵀ
//! ```
//!
//! and from dv back [through the encoder](crate::neural). Each sentence is gone through by one thread, whichever; the sums over all
//! words are products that are split by their results alone, so no sum depends on the number of threads.

use super::score::{Arcs, BiaffineScoring, LabelProducts, Reading, heads_of, softmax};
use super::tensors::{
    ARCS, ARCS_HEADS, ENCODER, LABELS, LABELS_BIAS, LABELS_DEPENDENTS, LABELS_HEADS, N_TENSORS, UNITS, UNITS_BIAS,
};
use crate::features::Input;
use crate::graph::ArcSide;
use crate::neural::encoder::Layer;
use crate::neural::gradients::Gradients;
use crate::neural::kernel::{Operand, add, multiply, of_weights, sum_of_rows, transposed};
use crate::neural::sentence::SentenceTokens;
use crate::neural::through_time::backward;
use crate::parallel;
use crate::system::FORBIDDEN;
use crate::tree::{Node, Tree};

/// A sentence with the tree to learn.
pub type GoldSentence<'e> = (&'e Input, &'e Tree);

/// Result of learning from a mini-batch.
#[derive(Debug)]
pub struct Learned {
    /// Gradients of the mean loss of the words.
    pub gradients: Gradients,
    /// Sentences with a wrong head or label.
    pub n_wrong: u64,
    /// The sum of the words' losses.
    #[cfg(test)]
    pub loss: f64,
}

/// Gradients of a sentence, by word, and the reading that they belong to.
#[derive(Debug, Default)]
struct SentenceGradient {
    reading: Reading,
    /// dP, dQ, dt, dz, dv, by word.
    of_arcs: Vec<f32>,
    of_labels: Vec<f32>,
    of_own: Vec<f32>,
    of_units: Vec<f32>,
    of_vectors: Vec<f32>,
    #[cfg(test)]
    loss: f64,
    is_wrong: bool,
}

/// Transposes, made once for all sentences: Uᵀ, Vᵀ, Xᵀ, Wᵀ.
struct Transposes {
    arcs: Vec<f32>,
    labels: Vec<f32>,
    dependents: Vec<f32>,
    units: Vec<f32>,
}

/// Learns from sentences with their trees. `masks` has, by side, 0 where an arc may bear the label.
pub fn gradients(scoring: BiaffineScoring, masks: &[Vec<i32>; 3], batch: &[GoldSentence]) -> Learned {
    let (network, tensors) = (scoring.network, &scoring.parameters.tensors);
    let (arc_units, label_units, n_outputs) = (network.arc_units, network.label_units, scoring.n_outputs);
    let (shape, width) = (network.shape(), network.width());
    let turned = Transposes {
        arcs: transposed(&tensors[ARCS], arc_units),
        labels: transposed(&tensors[LABELS], label_units * n_outputs),
        dependents: transposed(&tensors[LABELS_DEPENDENTS], n_outputs),
        units: transposed(&tensors[UNITS], width),
    };
    let n_words: usize = batch.iter().map(|(input, _)| input.n_words()).sum();
    let scale = 1.0 / n_words.max(1) as f32;
    let parts: Vec<&[GoldSentence]> = batch.chunks(batch.len().div_ceil(rayon::current_num_threads()).max(1)).collect();
    let of_part = |number: usize| {
        let part = parts[number];
        let inputs: Vec<&Input> = part.iter().map(|(input, _)| *input).collect();
        let readings = scoring.read(&inputs).into_iter().zip(part);
        let of_sentence =
            |(reading, (_, gold)): (Reading, &GoldSentence)| learn(scoring, masks, &turned, reading, gold, scale);
        readings.map(of_sentence).collect::<Vec<SentenceGradient>>()
    };
    let of_sentences = parallel::map(parts.len(), of_part).into_iter().flatten().collect::<Vec<SentenceGradient>>();

    let together = |part: fn(&SentenceGradient) -> &[f32]| of_sentences.iter().map(part).collect::<Vec<_>>().concat();
    let units = together(|of_sentence| &of_sentence.reading.units);
    let mut gradients = Gradients::none(N_TENSORS);
    // Weights of rows that were read, and the bias that is added to the product.
    let mut set = |[weights, bias]: [usize; 2], (read, height): (Operand, usize), of: &[f32], width: usize| {
        gradients.tensors[weights] = of_weights(read, height, of, width);
        gradients.tensors[bias] = sum_of_rows(of, width);
    };
    let of_arcs = together(|of_sentence| &of_sentence.of_arcs);
    set([ARCS, ARCS_HEADS], (scoring.kind(&units, 0), arc_units), &of_arcs, arc_units);
    let of_labels = together(|of_sentence| &of_sentence.of_labels);
    set([LABELS, LABELS_HEADS], (scoring.kind(&units, 2), label_units), &of_labels, label_units * n_outputs);
    let of_own = together(|of_sentence| &of_sentence.of_own);
    set([LABELS_DEPENDENTS, LABELS_BIAS], (scoring.kind(&units, 2), label_units), &of_own, n_outputs);
    let of_units = together(|of_sentence| &of_sentence.of_units);
    let vectors = together(|of_sentence| of_sentence.reading.sentence.vectors());
    set([UNITS, UNITS_BIAS], (Operand::rows(&vectors, shape.outputs()), shape.outputs()), &of_units, width);

    let sentences: Vec<&SentenceTokens> =
        of_sentences.iter().map(|of_sentence| &of_sentence.reading.sentence).collect();
    let layers: Vec<&[Layer]> = sentences.iter().map(|sentence| sentence.layers()).collect();
    let noise = |sentence: usize, layer: usize, of: &mut [f32]| sentences[sentence].mask_within(layer, of);
    let of_vectors = together(|of_sentence| &of_sentence.of_vectors);
    let of = backward(shape, scoring.parameters.lstms(ENCODER), &layers, of_vectors, noise);
    for (number, tensor) in [of.inputs, of.recurrent, of.bias].into_iter().enumerate() {
        gradients.tensors[ENCODER + number] = tensor;
    }
    gradients.of_columns(scoring.parameters, &network.dimensions, &sentences, of.embeddings);
    Learned {
        gradients,
        n_wrong: of_sentences.iter().filter(|of_sentence| of_sentence.is_wrong).count() as u64,
        #[cfg(test)]
        loss: of_sentences.iter().map(|of_sentence| of_sentence.loss).sum(),
    }
}

/// Learns from one sentence, of whose loss `scale` is a part of the whole.
fn learn(
    scoring: BiaffineScoring,
    masks: &[Vec<i32>; 3],
    turned: &Transposes,
    reading: Reading,
    gold: &Tree,
    scale: f32,
) -> SentenceGradient {
    let network = scoring.network;
    let (n, width) = (reading.n(), network.width());
    let (arc_units, label_units, n_outputs) = (network.arc_units, network.label_units, scoring.n_outputs);
    let mut of_sentence = SentenceGradient::default();
    let Arcs { products, mut scores } = scoring.arcs(&reading);
    // The root has no head.
    scores[..n].fill(0.0);
    let mut mask = Vec::new();
    for word in gold.words() {
        heads_of(word, n, &mut mask);
        of_sentence.descend(&mut scores[word as usize * n..][..n], &mask[..n], gold.head(word) as usize, scale);
    }
    let mut of_arcs = vec![0.0; n * arc_units];
    let heads = scoring.of_kind(&reading.units, 1);
    multiply(Operand::rows(&scores, n), &heads, &mut of_arcs, (n, n, arc_units));
    let mut of_heads = vec![0.0; n * arc_units];
    multiply(Operand::transposed(&scores, n), &products, &mut of_heads, (n, n, arc_units));
    let mut of_dependents = vec![0.0; n * arc_units];
    multiply(Operand::rows(&of_arcs, arc_units), &turned.arcs, &mut of_dependents, (n, arc_units, arc_units));

    let labels: LabelProducts = scoring.labels(&reading);
    let mut of_labels = vec![0.0; n * label_units * n_outputs];
    let mut of_own = vec![0.0; n * n_outputs];
    let mut of_label_heads = vec![0.0; n * label_units];
    for word in gold.words() {
        let (head, dependent) = (gold.head(word) as usize, word as usize);
        let mut scores = scoring.of_labels(&labels, word, head..head + 1);
        let side = ArcSide::of(head as Node, word) as usize;
        of_sentence.descend(&mut scores, &masks[side], gold.label(word) as usize, scale);
        let rows =
            of_labels[dependent * label_units * n_outputs..][..label_units * n_outputs].chunks_exact_mut(n_outputs);
        for (row, unit) in rows.zip(&labels.heads[head * label_units..]) {
            row.iter_mut().zip(&scores).for_each(|(of, score)| *of = unit * score);
        }
        let products = Operand::rows(&labels.products[dependent * label_units * n_outputs..], n_outputs);
        let of_head = &mut of_label_heads[head * label_units..][..label_units];
        multiply(products, &scores, of_head, (label_units, n_outputs, 1));
        of_own[dependent * n_outputs..][..n_outputs].copy_from_slice(&scores);
    }
    let mut of_label_dependents = vec![0.0; n * label_units];
    let size = label_units * n_outputs;
    multiply(Operand::rows(&of_labels, size), &turned.labels, &mut of_label_dependents, (n, size, label_units));
    multiply(
        Operand::rows(&of_own, n_outputs),
        &turned.dependents,
        &mut of_label_dependents,
        (n, n_outputs, label_units),
    );

    let mut of_units = vec![0.0; n * width];
    let kinds = [of_dependents, of_heads, of_label_dependents, of_label_heads];
    for ((start, length), kind) in network.kinds().into_iter().zip(&kinds) {
        for (row, own) in of_units.chunks_exact_mut(width).zip(kind.chunks_exact(length)) {
            add(&mut row[start..start + length], own);
        }
    }
    of_units.iter_mut().zip(&reading.slopes).for_each(|(of, slope)| *of *= slope);
    let mut of_vectors = vec![0.0; reading.sentence.vectors().len()];
    let inputs = network.shape().outputs();
    multiply(Operand::rows(&of_units, width), &turned.units, &mut of_vectors, (n, width, inputs));
    reading.sentence.mask_within(network.encoder.layers, &mut of_vectors);
    SentenceGradient { reading, of_arcs, of_labels, of_own, of_units, of_vectors, ..of_sentence }
}

impl SentenceGradient {
    /// Gradients of the loss in the scores.
    fn descend(&mut self, scores: &mut [f32], mask: &[i32], gold: usize, scale: f32) {
        let permitted = |&place: &usize| mask[place] != FORBIDDEN;
        let best = (0..scores.len()).filter(permitted).max_by(|&a, &b| scores[a].total_cmp(&scores[b]));
        self.is_wrong |= best != Some(gold);
        softmax(scores, mask);
        #[cfg(test)]
        {
            self.loss -= f64::from(scores[gold]).ln();
        }
        scores[gold] -= 1.0;
        scores.iter_mut().for_each(|score| *score *= scale);
    }
}
