//! How near two texts are in meaning.
//!
//! Texts go in, vectors come out, and the cosine of two vectors is the similarity of their texts. The vectors come from the
//! [`builtin`] embedder, which is inside the program, or from a [`remote`] service. A similarity tells texts on the subject
//! from others and no more: an answer with the wrong number is as near as the right one. So [`facts`] are compared beside it.

pub mod builtin;
mod choice;
mod embedder;
pub mod facts;
pub mod remote;
mod similarity;
pub mod tokenize;

pub use builtin::Builtin;
pub use choice::{DEFAULT_BASE_URL, DEFAULT_MODEL, EmbedderChoice, UnknownEmbedderError, choose};
pub use embedder::{EmbedError, Embedder};
pub use remote::{Remote, Service};
pub use similarity::{DimensionsError, cosine};
