//! A model in another's hands or in one's own.

use std::ops::Deref;
use std::sync::Arc;

/// Owned or borrowed model of a parser.
#[derive(Debug)]
pub(crate) enum Held<'m, M> {
    /// It is borrowed: the parser lives no longer than the model.
    Borrowed(&'m M),
    /// It is shared: the parser may live as long as it likes.
    Shared(Arc<M>),
}

impl<M> Clone for Held<'_, M> {
    fn clone(&self) -> Self {
        match self {
            Held::Borrowed(model) => Held::Borrowed(model),
            Held::Shared(model) => Held::Shared(Arc::clone(model)),
        }
    }
}

impl<M> Deref for Held<'_, M> {
    type Target = M;

    fn deref(&self) -> &M {
        match self {
            Held::Borrowed(model) => model,
            Held::Shared(model) => model,
        }
    }
}
