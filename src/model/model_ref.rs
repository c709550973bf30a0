//! Reference to a model that is borrowed or shared.

use std::ops::Deref;
use std::sync::Arc;

/// Borrowed or shared model of a parser.
#[derive(Debug)]
pub(crate) enum ModelRef<'m, M> {
    /// It is borrowed: the parser lives no longer than the model.
    Borrowed(&'m M),
    /// It is shared: the parser may live as long as it likes.
    Shared(Arc<M>),
}

impl<M> Clone for ModelRef<'_, M> {
    fn clone(&self) -> Self {
        match self {
            ModelRef::Borrowed(model) => ModelRef::Borrowed(model),
            ModelRef::Shared(model) => ModelRef::Shared(Arc::clone(model)),
        }
    }
}

impl<M> Deref for ModelRef<'_, M> {
    type Target = M;

    fn deref(&self) -> &M {
        match self {
            ModelRef::Borrowed(model) => model,
            ModelRef::Shared(model) => model,
        }
    }
}
