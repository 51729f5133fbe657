//! The built-in embedder: three layers of a BERT model whose weights are compiled in. It needs no network, no API key
//! and no file, is loaded on first use, and takes a few milliseconds per sentence. It turns a text into a vector of
//! length 1.

mod encoder;
mod layers;
mod pieces;
mod tensors;

pub use encoder::{Builtin, EncodedText, WeightsError};
