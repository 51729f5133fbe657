//! From text to the word pieces a BERT model knows, as the reference tokenizer cuts them, odd characters included: in goes a
//! text, out come ids. Every step is lazy and stops at the caller's limit, so a huge text costs no more than is read of it.

mod clean;
mod word_piece;

pub use word_piece::{CLS, SEP, Tokenizer};
