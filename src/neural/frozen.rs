//! The finished network.

use std::sync::{Arc, OnceLock};

use super::derived::Derived;
use super::layout::Layout;
use super::parameters::Parameters;
use super::score::{FeedForwardScorer, UNIT};
use super::sums::Token;
use super::tensors;
use crate::error::Result;
use crate::features::{Columns, Vocabulary};
use crate::files::{Section, Sections};
use crate::linear::Precision;
use crate::model::{Frozen, Header, Model, ScorerKind, Scoring, Size};
use crate::scorer::Scorer;
use crate::system::Actions;

/// The model of a transition-based parser with a network.
pub type FeedForwardModel = Model<FeedForward>;

/// A network of one hidden layer over the embeddings of what stands in a configuration's places, or over what an encoder makes of
/// them.
#[derive(Debug, Clone)]
pub struct FeedForward {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    layout: Arc<Layout>,
    /// The commonest tokens of the training data, the commonest first.
    tokens: Arc<[Token]>,
    parameters: Parameters,
    precision: Precision,
    /// Values that follow from all this, once something is to be scored.
    derived: OnceLock<Derived>,
}

/// The section of [`Inner::tokens`], and that of a precision which is not full.
const TOKENS: &str = "common-tokens";
const PRECISION: &str = "precision";

impl FeedForward {
    /// The network of these parameters, which must fit the layout, for data whose commonest tokens these are.
    pub(super) fn new(
        layout: Arc<Layout>,
        tokens: Arc<[Token]>,
        parameters: Parameters,
        precision: Precision,
    ) -> FeedForward {
        FeedForward { inner: Arc::new(Inner { layout, tokens, parameters, precision, derived: OnceLock::new() }) }
    }

    /// The same with numbers of another precision. What is lost in fewer bits does not come back.
    #[must_use]
    pub fn quantise(self, precision: Precision) -> FeedForward {
        if precision == self.inner.precision {
            return self;
        }
        let Inner { layout, tokens, parameters, .. } = &*self.inner;
        let parameters = match precision {
            Precision::Full => parameters.clone(),
            Precision::I16 | Precision::I8 => parameters.clone().rounded(),
        };
        FeedForward::new(Arc::clone(layout), Arc::clone(tokens), parameters, precision)
    }

    /// The precision of what scores are made of.
    pub fn precision(&self) -> Precision {
        self.inner.precision
    }

    /// Scorer of the network.
    #[inline]
    pub fn network_scorer(&self) -> FeedForwardScorer<'_> {
        let Inner { layout, tokens, parameters, precision, derived } = &*self.inner;
        let derived = derived.get_or_init(|| Derived::finished(layout, parameters, tokens, *precision));
        FeedForwardScorer { layout, parameters, derived, noise: None }
    }

    /// The layout.
    pub fn layout(&self) -> &Layout {
        &self.inner.layout
    }

    /// The values that it knows.
    pub fn known(&self) -> &Vocabulary {
        &self.inner.layout.vocabulary
    }

    /// The parameters.
    pub fn parameters(&self) -> &Parameters {
        &self.inner.parameters
    }
}

impl Scoring for FeedForward {
    fn scorer(&self) -> Box<dyn Scorer + '_> {
        Box::new(self.network_scorer())
    }
}

impl Frozen for FeedForward {
    const KIND: &'static str = "feed-forward, bilstm or stack-lstm";

    fn kind(&self) -> &'static str {
        self.inner.layout.network.kind().name()
    }

    fn reads(kind: &[u8]) -> bool {
        [ScorerKind::FeedForward, ScorerKind::Bilstm, ScorerKind::StackLstm]
            .iter()
            .any(|known| known.name().as_bytes() == kind)
    }

    fn columns(&self) -> &Columns {
        &self.inner.layout.columns
    }

    fn vocabulary(&self) -> Option<&Vocabulary> {
        Some(self.known())
    }

    fn scale(&self) -> u32 {
        UNIT as u32
    }

    fn size(&self) -> Size {
        Size { features: self.known().n_values(), weights: self.inner.parameters.count() }
    }

    fn sections(&self) -> Vec<Section<'_>> {
        let mut sections = self.known().sections();
        if !self.inner.tokens.is_empty() {
            sections.push(Section::new(TOKENS, bytemuck::cast_slice::<Token, u8>(&self.inner.tokens)));
        }
        match self.inner.precision {
            Precision::Full => sections.extend(self.inner.parameters.sections()),
            precision => {
                sections.push(Section::new(PRECISION, precision.to_string().into_bytes()));
                sections.extend(self.inner.parameters.short_sections());
            }
        }
        sections
    }

    fn from_sections(sections: &Sections, header: &Header, actions: &Actions) -> Result<FeedForward> {
        let damaged = |error: crate::error::Error| sections.damaged(&error.to_string());
        let network = header.network.clone().ok_or_else(|| sections.damaged("the header has no network"))?;
        network.check().map_err(damaged)?;
        if network.kind().name().as_bytes() != sections.get("scorer")? {
            return Err(sections.damaged("the header has a network of another kind than the scorer is of"));
        }
        let columns = header.columns().map_err(damaged)?;
        let vocabulary = Vocabulary::from_sections(sections)?;
        let layout = Layout::new(network, columns, vocabulary);
        let parameters = tensors::read(sections, &layout, header.labels.len(), actions.width())?;
        let tokens = if sections.has(TOKENS) { sections.numbers::<Token>(TOKENS)?.to_vec() } else { Vec::new() };
        if !tokens.iter().all(|token| layout.vocabulary.has_token(token)) {
            return Err(sections.damaged("one of the common tokens has a value that the vocabulary has not"));
        }
        let known = [Precision::I16, Precision::I8];
        let precision = match sections.has(PRECISION) {
            false => Precision::Full,
            true => {
                let name = sections.get(PRECISION)?;
                let found = known.into_iter().find(|precision| precision.to_string().as_bytes() == name);
                found.ok_or_else(|| sections.damaged("the precision is neither `i16` nor `i8`"))?
            }
        };
        Ok(FeedForward::new(Arc::new(layout), tokens.into(), parameters, precision))
    }
}
