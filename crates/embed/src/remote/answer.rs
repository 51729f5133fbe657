//! Reads the response of a service, and describes everything that can be wrong with it.

use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

/// The longest part of an unusable response that is shown, in characters.
const SHOWN: usize = 300;

/// Why a service returned no embeddings.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EmbeddingError {
    /// The request failed.
    #[error("{0}")]
    Request(String),
    /// The API key or the URL is invalid.
    #[error("{0}")]
    Unsendable(String),
    /// The service returned an error status.
    #[error("HTTP {status}{}{said}", if said.is_empty() { "" } else { ": " })]
    Status {
        /// The HTTP status code.
        status: u16,
        /// The error message of the service.
        said: String,
    },
    /// The response does not follow the protocol.
    #[error("the response contains no embeddings: {0}")]
    Garbage(String),
    /// The response has too many or too few embeddings.
    #[error("sent {asked} texts, received {given} embeddings")]
    Count {
        /// The number of texts that were sent.
        asked: usize,
        /// The number of embeddings in the response.
        given: usize,
    },
    /// A number is infinite or NaN.
    #[error("an embedding contains a number that is not finite")]
    NotFinite,
    /// All numbers are zero, or there are none.
    #[error("an embedding is empty or all zeros")]
    NoDirection,
    /// The embeddings have different dimensions.
    #[error("an embedding has {given} dimensions, others of the model have {expected}")]
    Dimensions {
        /// The dimensions of the first embedding.
        expected: usize,
        /// The dimensions of this embedding.
        given: usize,
    },
    /// The total time limit is reached, or would be by waiting.
    #[error(
        "the time limit of {limit:?} is used up{}",
        last.as_ref().map(|last| format!("; the last error: {last}")).unwrap_or_default()
    )]
    TooLong {
        /// The total time limit.
        limit: Duration,
        /// The error of the last attempt.
        last: Option<Box<EmbeddingError>>,
    },
}

#[derive(Deserialize)]
struct EmbeddingsBody {
    data: Vec<EmbeddingItem>,
}

#[derive(Deserialize)]
struct EmbeddingItem {
    embedding: Vec<f64>,
    index: Option<usize>,
}

/// Reads the vectors of a response, in the order of their texts.
pub fn read(body: &[u8], asked: usize) -> Result<Vec<Vec<f32>>, EmbeddingError> {
    let answer: EmbeddingsBody = serde_json::from_slice(body).map_err(|error| unreadable(body, &error))?;
    let given = answer.data.len();
    if given != asked {
        return Err(EmbeddingError::Count { asked, given });
    }
    let mut vectors = vec![Vec::new(); asked];
    let mut dimensions = None;
    for (position, item) in answer.data.into_iter().enumerate() {
        let index = item.index.unwrap_or(position);
        #[expect(clippy::cast_possible_truncation, reason = "the nearest float is wanted")]
        let vector: Vec<f32> = item.embedding.into_iter().map(|value| value as f32).collect();
        check(&vector, *dimensions.get_or_insert(vector.len()))?;
        match vectors.get_mut(index) {
            Some(place) if place.is_empty() => *place = vector,
            Some(_) => return Err(EmbeddingError::Garbage(format!("index {index} occurs twice"))),
            None => return Err(EmbeddingError::Garbage(format!("index {index} is out of range for {asked} texts"))),
        }
    }
    Ok(vectors)
}

/// The error for a response that is not the expected JSON. Some servers write numbers that JSON does not have.
fn unreadable(body: &[u8], error: &serde_json::Error) -> EmbeddingError {
    let text = String::from_utf8_lossy(body);
    let text = text.trim();
    if text.starts_with('{') && (text.contains("NaN") || text.contains("Infinity")) {
        return EmbeddingError::NotFinite;
    }
    EmbeddingError::Garbage(format!("{error}, in `{}`", excerpt(text)))
}

/// Checks that a vector can be compared with others.
pub(super) fn check(vector: &[f32], expected: usize) -> Result<(), EmbeddingError> {
    if vector.iter().any(|value| !value.is_finite()) {
        Err(EmbeddingError::NotFinite)
    } else if vector.iter().all(|&value| value == 0.0) {
        Err(EmbeddingError::NoDirection)
    } else if vector.len() != expected {
        Err(EmbeddingError::Dimensions { expected, given: vector.len() })
    } else {
        Ok(())
    }
}

/// The error message in a response, or the beginning of the body.
pub(super) fn said(body: &[u8]) -> String {
    let json = serde_json::from_slice(body).unwrap_or(Value::Null);
    match json["error"]["message"].as_str().or(json["error"].as_str()).or(json["message"].as_str()) {
        Some(message) => excerpt(message),
        None => excerpt(&String::from_utf8_lossy(body)),
    }
}

fn excerpt(text: &str) -> String {
    agentci_text::excerpt(text.trim(), SHOWN).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_embeddings_by_text_index() {
        let body = br#"{"data":[{"index":1,"embedding":[0,2]},{"index":0,"embedding":[1.5,-0.25e0]}],"usage":{}}"#;
        assert_eq!(read(body, 2), Ok(vec![vec![1.5, -0.25], vec![0.0, 2.0]]));
        let without = br#"{"data":[{"embedding":[1]},{"embedding":[2]}]}"#;
        assert_eq!(read(without, 2), Ok(vec![vec![1.0], vec![2.0]]));
    }

    #[test]
    fn reports_invalid_embeddings() {
        let one = |embedding: &str| format!(r#"{{"data":[{{"index":0,"embedding":{embedding}}}]}}"#);
        for number in ["1e39", "NaN", "-Infinity"] {
            assert_eq!(
                read(one(&format!("[0.5, {number}]")).as_bytes(), 1),
                Err(EmbeddingError::NotFinite),
                "{number}"
            );
        }
        assert_eq!(read(one("[0, -0.0]").as_bytes(), 1), Err(EmbeddingError::NoDirection));
        assert_eq!(read(one("[]").as_bytes(), 1), Err(EmbeddingError::NoDirection));
        assert_eq!(read(one("[1]").as_bytes(), 2), Err(EmbeddingError::Count { asked: 2, given: 1 }));
        let mixed = br#"{"data":[{"embedding":[1,2]},{"embedding":[1]}]}"#;
        assert_eq!(read(mixed, 2), Err(EmbeddingError::Dimensions { expected: 2, given: 1 }));
        let twice = br#"{"data":[{"index":1,"embedding":[1]},{"index":1,"embedding":[1]}]}"#;
        assert_eq!(read(twice, 2), Err(EmbeddingError::Garbage("index 1 occurs twice".into())));
        let beyond = br#"{"data":[{"index":7,"embedding":[1]}]}"#;
        assert_eq!(read(beyond, 1), Err(EmbeddingError::Garbage("index 7 is out of range for 1 texts".into())));
    }

    #[test]
    fn refuses_responses_without_embeddings() {
        let embedding = |text: &str| format!(r#"{{"data":[{{"embedding":{text}}}]}}"#);
        let bodies = ["", "<html>", "[]", r#"{"data":3}"#, r#"{"error":{}}"#, "\u{0}"].map(str::to_owned);
        let wrong = ["[null]", r#"["1"]"#, "\"AACAPw==\"", "[1e999]", "[[1]]"].map(embedding);
        for body in bodies.iter().chain(&wrong) {
            let Err(trouble) = read(body.as_bytes(), 1) else { panic!("{body}") };
            assert!(matches!(trouble, EmbeddingError::Garbage(_)), "{body}: {trouble:?}");
        }
    }

    #[test]
    fn extracts_error_message_of_the_service() {
        assert_eq!(said(br#"{"error":{"message":"Rate limit reached"}}"#), "Rate limit reached");
        assert_eq!(said(br#"{"error":"model not found"}"#), "model not found");
        assert_eq!(said(b" upstream is down\n"), "upstream is down");
        assert_eq!(said("ü".repeat(1_000).as_bytes()).chars().count(), SHOWN + 3);
    }
}
