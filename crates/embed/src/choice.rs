//! Chooses the embedder from the settings and the API key.

use agentci_plan::is_meant;

use crate::builtin::Builtin;

/// The default model of the service.
pub const DEFAULT_MODEL: &str = "text-embedding-3-small";
/// The default base URL of the service.
pub const DEFAULT_BASE_URL: &str = "https://api.openai.com/v1";

/// The embedder to use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EmbedderChoice {
    /// The built-in embedder.
    Builtin,
    /// An `OpenAI`-compatible service.
    Remote {
        /// The name of the model.
        model: String,
    },
}

/// The pinned embedder does not exist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown embedder `{0}`\nhelp: use `builtin` (`{id}`), or `openai:MODEL` for an OpenAI-compatible API",
    id = Builtin::ID
)]
pub struct UnknownEmbedderError(pub String);

/// Returns the pinned embedder; if none is pinned, the service if there is an API key, else the built-in embedder. A
/// blank key counts as none, since CI systems pass a secret that is not available as an empty string.
pub fn choose(pinned: Option<&str>, key: Option<&str>) -> Result<EmbedderChoice, UnknownEmbedderError> {
    let model = match pinned.map(|pinned| (pinned, pinned.split_once(':'))) {
        None => key.filter(|key| !key.trim().is_empty()).map(|_| DEFAULT_MODEL),
        Some((pinned, _)) if !pinned.is_empty() && is_meant(Builtin::ID, pinned) => None,
        Some(("openai", _)) => Some(DEFAULT_MODEL),
        Some((_, Some(("openai", model)))) if !model.trim().is_empty() => Some(model.trim()),
        Some((pinned, _)) => return Err(UnknownEmbedderError(pinned.to_owned())),
    };
    Ok(model.map_or(EmbedderChoice::Builtin, |model| EmbedderChoice::Remote { model: model.to_owned() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remote(model: &str) -> EmbedderChoice {
        EmbedderChoice::Remote { model: model.into() }
    }

    #[test]
    fn explicit_embedder_ignores_the_api_key() {
        for key in [None, Some("sk-x")] {
            for builtin in ["builtin", "builtin:paraphrase-minilm-l3-q4", Builtin::ID] {
                assert_eq!(choose(Some(builtin), key), Ok(EmbedderChoice::Builtin), "{builtin}");
            }
            assert_eq!(choose(Some("openai"), key), Ok(remote(DEFAULT_MODEL)));
            assert_eq!(choose(Some("openai:nomic-embed-text:v1.5"), key), Ok(remote("nomic-embed-text:v1.5")));
        }
    }

    #[test]
    fn api_key_selects_the_default_embedder() {
        assert_eq!(choose(None, Some("sk-x")), Ok(remote(DEFAULT_MODEL)));
        for none in [None, Some(""), Some(" ")] {
            assert_eq!(choose(None, none), Ok(EmbedderChoice::Builtin));
        }
    }

    #[test]
    fn refuses_unknown_embedder() {
        for name in
            ["", "built", "builtin:", "builtin:other", "builtin:paraphrase-minilm-l3-q4@0000", "openai:", "local:x"]
        {
            assert_eq!(choose(Some(name), Some("sk-x")), Err(UnknownEmbedderError(name.into())));
        }
    }
}
