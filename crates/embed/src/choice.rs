//! Which embedder to use, from what is pinned and what is there.

use agentci_plan::is_meant;

use crate::builtin::Builtin;

/// The model that is asked for when only the service is named.
pub const DEFAULT_MODEL: &str = "text-embedding-3-small";
/// Where that model is, unless the caller knows better.
pub const DEFAULT_BASE_URL: &str = "https://api.openai.com/v1";

/// The embedder to use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EmbedderChoice {
    /// The one inside the program.
    Builtin,
    /// A service.
    Remote {
        /// The model to ask it for.
        model: String,
    },
}

/// A pinned embedder that there is not.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no embedder `{0}`\nhelp: use `builtin` (`{id}`), or `openai:MODEL` for a service with OpenAI's API", id = Builtin::ID)]
pub struct UnknownEmbedderError(pub String);

/// The pinned embedder; if none is, the service when there is a key for it, else the built-in one. A blank key is none: that
/// is what a secret looks like where it is not given out.
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
    fn what_is_pinned_counts_whether_there_is_a_key_or_not() {
        for key in [None, Some("sk-x")] {
            for builtin in ["builtin", "builtin:paraphrase-minilm-l3-q4", Builtin::ID] {
                assert_eq!(choose(Some(builtin), key), Ok(EmbedderChoice::Builtin), "{builtin}");
            }
            assert_eq!(choose(Some("openai"), key), Ok(remote(DEFAULT_MODEL)));
            assert_eq!(choose(Some("openai:nomic-embed-text:v1.5"), key), Ok(remote("nomic-embed-text:v1.5")));
        }
    }

    #[test]
    fn a_key_decides_where_nothing_is_pinned() {
        assert_eq!(choose(None, Some("sk-x")), Ok(remote(DEFAULT_MODEL)));
        for none in [None, Some(""), Some(" ")] {
            assert_eq!(choose(None, none), Ok(EmbedderChoice::Builtin));
        }
    }

    #[test]
    fn refuses_what_there_is_not() {
        for name in
            ["", "built", "builtin:", "builtin:other", "builtin:paraphrase-minilm-l3-q4@0000", "openai:", "local:x"]
        {
            assert_eq!(choose(Some(name), Some("sk-x")), Err(UnknownEmbedderError(name.into())));
        }
    }
}
