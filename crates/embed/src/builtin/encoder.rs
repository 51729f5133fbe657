//! Embeds a text with the built-in model.

use std::sync::OnceLock;

use super::layers::{EmbeddingModel, MOST_TOKENS};
use super::pieces::pieces;
use crate::tokenize::{CLS, SEP, Tokenizer};

/// The most tokens of a piece, without the two markers around it.
const PIECE: usize = MOST_TOKENS - 2;
/// The most pieces of a text that are read; about 3,000 English words.
const MOST_PIECES: usize = 32;

/// The built-in embedder. It is loaded once, when the first text is embedded.
#[derive(Debug, Clone, Copy, Default)]
pub struct Builtin;

/// How a text was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EncodedText {
    /// How many pieces it was cut into; its vector is the mean of theirs.
    pub pieces: usize,
    /// Whether the text is longer than the part that is read.
    pub cut: bool,
}

/// The weights cannot be used.
#[derive(Debug, Clone, thiserror::Error)]
#[error("the weights of the built-in embedder cannot be used: {0}\nhelp: rebuild agentci from a complete checkout")]
pub struct WeightsError(String);

impl Builtin {
    /// The id: the model, and the beginning of the digest of its weights. Vectors of different ids cannot be compared.
    pub const ID: &str = "builtin:paraphrase-minilm-l3-q4@dabb40d5";

    /// The default threshold: the similarity above which two texts count as having the same meaning.
    pub const THRESHOLD: f64 = 0.5;

    /// The vector of a text, of length 1; empty for a blank text.
    pub fn embed(self, text: &str) -> Result<Vec<f32>, WeightsError> {
        let loaded = LoadedModel::get()?;
        let ids = loaded.ids(text);
        let mut vector = Vec::new();
        for piece in pieces(&ids, PIECE).take(MOST_PIECES) {
            let framed = [&[CLS], piece, &[SEP]].concat();
            let mean = loaded.model.mean(&framed);
            vector.resize(mean.len(), 0.0);
            // A piece is weighted by its length, as in one mean over all tokens.
            #[expect(clippy::cast_precision_loss, reason = "at most 128")]
            let weight = framed.len() as f32;
            for (sum, value) in vector.iter_mut().zip(mean) {
                *sum += value * weight;
            }
        }
        normalize(&mut vector);
        Ok(vector)
    }

    /// How a text is read.
    pub fn reading(self, text: &str) -> Result<EncodedText, WeightsError> {
        let ids = LoadedModel::get()?.ids(text);
        let count = pieces(&ids, PIECE).count();
        Ok(EncodedText { pieces: count.min(MOST_PIECES), cut: count > MOST_PIECES })
    }

    /// The token ids of the first piece of a text, including the two markers around it.
    pub fn token_ids(self, text: &str) -> Result<Vec<u16>, WeightsError> {
        let mut ids = LoadedModel::get()?.tokenizer.ids(text, PIECE);
        ids.insert(0, CLS);
        ids.push(SEP);
        Ok(ids)
    }
}

/// The tokenizer and the model, loaded once.
struct LoadedModel {
    tokenizer: Tokenizer,
    model: EmbeddingModel,
}

impl LoadedModel {
    fn get() -> Result<&'static Self, WeightsError> {
        static LOADED: OnceLock<Result<LoadedModel, String>> = OnceLock::new();
        LOADED.get_or_init(Self::load).as_ref().map_err(|reason| WeightsError(reason.clone()))
    }

    fn load() -> Result<Self, String> {
        let tokenizer = Tokenizer::new(agentci_weights::VOCABULARY);
        Ok(Self { tokenizer, model: EmbeddingModel::load(agentci_weights::MODEL)? })
    }

    /// The token ids of a text: one more than are read, to know whether the text is longer.
    fn ids(&self, text: &str) -> Vec<u16> {
        self.tokenizer.ids(text, PIECE * MOST_PIECES + 1)
    }
}

fn normalize(vector: &mut [f32]) {
    let length = vector.iter().map(|&value| f64::from(value).powi(2)).sum::<f64>().sqrt();
    if length > 0.0 {
        for value in vector {
            #[expect(clippy::cast_possible_truncation, reason = "the nearest float is wanted")]
            let scaled = (f64::from(*value) / length) as f32;
            *value = scaled;
        }
    }
}

#[cfg(test)]
mod tests {
    use sha2::{Digest as _, Sha256};

    use super::*;
    use crate::cosine;

    #[test]
    fn id_contains_the_digest_of_the_weights() {
        let [a, b, c, d, ..]: [u8; 32] = Sha256::digest(agentci_weights::MODEL).into();
        let start = format!("@{:08x}", u32::from_be_bytes([a, b, c, d]));
        assert!(Builtin::ID.ends_with(&start), "{start}");
    }

    #[test]
    fn blank_text_has_no_vector() {
        for text in ["", " \n\t", "\u{200b}\u{0}"] {
            assert!(Builtin.embed(text).unwrap().is_empty(), "{text:?}");
        }
    }

    #[test]
    fn vectors_have_unit_length() {
        for text in ["a", "Your invoice was paid.", &"and so on ".repeat(300)] {
            let vector = Builtin.embed(text).unwrap();
            let length: f32 = vector.iter().map(|value| value * value).sum();
            assert!((length - 1.0).abs() < 1e-5, "{length}");
        }
    }

    #[test]
    fn end_of_long_text_affects_the_vector() {
        let start = "The weather was mild and the hills were green. ".repeat(14);
        let with = |end: &str| Builtin.embed(&format!("{start}{end}")).unwrap();
        let question = Builtin.embed("The refund was sent to your bank account.").unwrap();
        let refund = with(&"Your refund has gone to your bank. ".repeat(14));
        let cats = with(&"Cats like to sleep in the sun. ".repeat(14));
        assert!(cosine(&question, &refund).unwrap() > cosine(&question, &cats).unwrap() + 0.2);
        assert!(Builtin.reading(&start).unwrap().pieces == 2);
    }

    #[test]
    fn truncates_huge_text() {
        let reading = Builtin.reading(&"word ".repeat(1_000_000)).unwrap();
        assert_eq!(reading, EncodedText { pieces: MOST_PIECES, cut: true });
    }
}
