//! The one thing the rest of the program asks for vectors, whoever makes them.

use crate::builtin::{Builtin, EncodedText, WeightsError};
use crate::remote::{Remote, RemoteError};

/// Who makes vectors.
#[derive(Debug)]
pub enum Embedder {
    /// This program itself.
    Builtin(Builtin),
    /// A service.
    Remote(Box<Remote>),
}

/// There are no vectors.
#[derive(Debug, Clone, thiserror::Error)]
pub enum EmbedError {
    /// The built-in embedder is broken.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// A service gave none.
    #[error(transparent)]
    Remote(#[from] RemoteError),
    /// The thread that worked at them ended.
    #[error("the embedder stopped at work: {0}\nhelp: this is a mistake in agentci; please report it")]
    Stopped(String),
}

impl Embedder {
    /// What made the vectors, down to the version. Similarities of different ids can not be compared.
    pub fn id(&self) -> &str {
        match self {
            Embedder::Builtin(_) => Builtin::ID,
            Embedder::Remote(remote) => remote.id(),
        }
    }

    /// The vectors of texts, in their order; that of a blank text is empty. The built-in embedder works on a thread of its own,
    /// so that others do not wait meanwhile.
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

    /// How a text is read: a long one is cut into pieces by the built-in embedder, and a very long one is read in part. A
    /// service gets all of it, and refuses what is too long.
    pub fn reading(&self, text: &str) -> Result<EncodedText, EmbedError> {
        match self {
            Embedder::Builtin(builtin) => Ok(builtin.reading(text)?),
            Embedder::Remote(_) => Ok(EncodedText { pieces: 1, cut: false }),
        }
    }

    /// The threshold to use where none is given, if one is known for this model. A threshold belongs to a model: texts that
    /// say the same have 0.66 with one and 0.85 with another.
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
    async fn the_builtin_one_keeps_the_order_of_texts() {
        let embedder = Embedder::Builtin(Builtin);
        let texts = ["A cat sleeps.", "", "The invoice is due."];
        let vectors = embedder.embed(&texts).await.unwrap();
        let alone: Vec<Vec<f32>> = texts.iter().map(|text| Builtin.embed(text).unwrap()).collect();
        assert_eq!(vectors, alone);
        assert_eq!((embedder.id(), embedder.default_threshold()), (Builtin::ID, Some(0.5)));
        assert_eq!(embedder.reading("A cat sleeps.").unwrap(), EncodedText { pieces: 1, cut: false });
    }
}
