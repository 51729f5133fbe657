//! The common interface of all embedders.

use crate::builtin::{Builtin, EncodedText, WeightsError};
use crate::remote::{Remote, RemoteError};

#[derive(Debug)]
pub enum Embedder {
    /// The built-in embedder.
    Builtin(Builtin),
    /// A remote service.
    Remote(Box<Remote>),
}

/// Why an embedder returned no vectors.
#[derive(Debug, Clone, thiserror::Error)]
pub enum EmbedError {
    /// The weights of the built-in embedder cannot be used.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// The service returned no embeddings.
    #[error(transparent)]
    Remote(#[from] RemoteError),
    /// The thread of the built-in embedder ended.
    #[error("the embedder stopped unexpectedly: {0}\nhelp: this is a bug in agentci; please report it")]
    Stopped(String),
}

impl Embedder {
    /// The id of the embedder, including its version. Similarities of different ids cannot be compared.
    pub fn id(&self) -> &str {
        match self {
            Embedder::Builtin(_) => Builtin::ID,
            Embedder::Remote(remote) => remote.id(),
        }
    }

    /// Embeds texts; returns the vectors in the same order, an empty one for a blank text. The built-in embedder runs
    /// on a blocking thread, so that other tasks continue.
    pub async fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        match self {
            Embedder::Builtin(builtin) => {
                let builtin = *builtin;
                let texts: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
                let work = tokio::task::spawn_blocking(move || {
                    texts.iter().map(|text| builtin.embed(text)).collect::<Result<Vec<_>, _>>()
                });
                Ok(work.await.map_err(|error| EmbedError::Stopped(error.to_string()))??)
            }
            Embedder::Remote(remote) => Ok(remote.embed(texts).await?),
        }
    }

    /// How a text is read: the built-in embedder cuts a long text into pieces, and reads only the beginning of a very
    /// long one. A service gets the whole text, and rejects it if it is too long.
    pub fn reading(&self, text: &str) -> Result<EncodedText, EmbedError> {
        match self {
            Embedder::Builtin(builtin) => Ok(builtin.reading(text)?),
            Embedder::Remote(_) => Ok(EncodedText { pieces: 1, cut: false }),
        }
    }

    /// The default threshold, if one is known for this model. Thresholds depend on the model: texts with the same
    /// meaning have a similarity of 0.66 with one and 0.85 with another.
    pub fn default_threshold(&self) -> Option<f64> {
        match self {
            Embedder::Builtin(_) => Some(Builtin::THRESHOLD),
            Embedder::Remote(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn builtin_embedder_preserves_text_order() {
        let embedder = Embedder::Builtin(Builtin);
        let texts = ["A cat sleeps.", "", "The invoice is due."];
        let vectors = embedder.embed(&texts).await.unwrap();
        let alone: Vec<Vec<f32>> = texts.iter().map(|text| Builtin.embed(text).unwrap()).collect();
        assert_eq!(vectors, alone);
        assert_eq!((embedder.id(), embedder.default_threshold()), (Builtin::ID, Some(0.5)));
        assert_eq!(embedder.reading("A cat sleeps.").unwrap(), EncodedText { pieces: 1, cut: false });
    }
}
