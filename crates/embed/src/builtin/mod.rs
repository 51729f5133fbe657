//! The embedder inside the program: three layers of a BERT model whose weights are compiled in. It needs no network, no key
//! and no file, is loaded when it is first asked, and takes some milliseconds a sentence. In goes a text, out comes a vector
//! of length 1.

mod encoder;
mod layers;
mod pieces;
mod tensors;

pub use encoder::{Builtin, EncodedText, WeightsError};
