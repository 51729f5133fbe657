//! Converts a text to the token ids of a BERT model, exactly as the reference tokenizer does, unusual characters
//! included. Every step is lazy and stops at the caller's limit, so a huge text costs no more than the part that is
//! read.

mod clean;
mod word_piece;

pub use word_piece::{CLS, SEP, Tokenizer};
