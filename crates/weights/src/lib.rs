//! The weights of the built-in sentence embedder and nothing else: a data crate, so that the code that uses them can change
//! without ten megabytes being published anew.
//!
//! The model is paraphrase-MiniLM-L3-v2, its matrices stored in 4 bits. `assets/provenance.json` tells where each file comes
//! from and its digest, which a test compares; `assets/NOTICE` tells who made the model and how it was changed.

/// The tensors, in the safetensors format. A vector is stored as 32-bit floats. A matrix `name` is stored as `name.q4`, two
/// numbers a byte, the low half first, each 8 more than its value; and `name.scales`, a 16-bit float for every 32 numbers, by
/// which these are multiplied.
pub static MODEL: &[u8] = include_bytes!("../assets/model.safetensors");

/// The word pieces, one a line; the number of the line, from 0, is the id.
pub static VOCABULARY: &str = include_str!("../assets/vocab.txt");

/// The licence of the weights and the vocabulary.
pub static LICENSE: &str = include_str!("../assets/LICENSE");

/// Who made the model, and how it was changed; it must accompany every copy of the weights.
pub static NOTICE: &str = include_str!("../assets/NOTICE");

/// Where each file comes from, with its digest, as JSON.
pub static PROVENANCE: &str = include_str!("../assets/provenance.json");

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use sha2::{Digest as _, Sha256};

    use super::*;

    #[test]
    fn files_match_stated_digests() {
        let provenance: Value = serde_json::from_str(PROVENANCE).unwrap();
        for (name, bytes) in
            [("model.safetensors", MODEL), ("vocab.txt", VOCABULARY.as_bytes()), ("LICENSE", LICENSE.as_bytes())]
        {
            let digest = format!("{:x}", Sha256::digest(bytes));
            assert_eq!(provenance["files"][name]["sha256"], digest.as_str(), "{name}");
        }
    }
}
