//! Compares the built-in embedder with the reference that `interop/embed_reference.py` computed with the same weights.

#![expect(clippy::unwrap_used, reason = "what does not hold here is a failed test")]

use agentci_embed::Builtin;
use serde_json::Value;

const REFERENCE: &str = include_str!("../../../fixtures/embeddings/reference.jsonl");

fn lines() -> impl Iterator<Item = Value> {
    REFERENCE.lines().map(|line| serde_json::from_str(line).unwrap())
}

#[test]
fn matches_reference_tokenizer_on_unusual_text() {
    let mut count = 0;
    for line in lines() {
        let text = line["text"].as_str().unwrap();
        let expected: Vec<u64> = line["ids"].as_array().unwrap().iter().map(|id| id.as_u64().unwrap()).collect();
        let ids: Vec<u64> = Builtin.token_ids(text).unwrap().into_iter().map(u64::from).collect();
        assert_eq!(ids, expected, "{text:?}");
        count += 1;
    }
    assert!(count > 25, "{count} texts");
}

#[test]
fn vectors_match_numpy_reference() {
    let mut count = 0;
    for line in lines() {
        let text = line["text"].as_str().unwrap();
        let Some(expected) = line["vector"].as_array() else { continue };
        let vector = Builtin.embed(text).unwrap();
        assert_eq!(vector.len(), expected.len(), "{text:?}");
        for (ours, theirs) in vector.iter().zip(expected) {
            assert!((f64::from(*ours) - theirs.as_f64().unwrap()).abs() < 1e-3, "{text:?}: {ours} and {theirs}");
        }
        count += usize::from(!vector.is_empty());
    }
    assert!(count > 20, "{count} vectors");
}
