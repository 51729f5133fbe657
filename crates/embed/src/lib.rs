//! Measures how similar two texts are in meaning.
//!
//! An embedder turns texts into vectors, and the cosine of two vectors is the similarity of their texts. The vectors
//! come from the [`builtin`] embedder, which is part of the program, or from a [`remote`] service. A similarity only
//! tells texts on the subject from others: an answer with the wrong number is as similar as the right one. So [`facts`]
//! are compared as well.

pub mod builtin;
pub mod calibration;
mod choice;
pub mod contradictions;
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
