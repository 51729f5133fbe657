//! The endpoints of a model.

use crate::events::Framing;
use crate::routes::{ModelRoute, Route, UnscriptedRoute};

/// The form of a model's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum GeminiForm {
    Whole,
    /// Server-sent events.
    Events,
    /// One JSON list, sent item by item.
    List,
}

impl GeminiForm {
    pub(in super::super) fn is_streamed(self) -> bool {
        self != GeminiForm::Whole
    }

    pub(in super::super) fn framing(self) -> Framing {
        match self {
            GeminiForm::Whole | GeminiForm::Events => Framing::Events,
            GeminiForm::List => Framing::List,
        }
    }
}

/// A method of a model that the script does not answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum UnscriptedGemini {
    CountTokens,
    Embed,
    EmbedBatch,
}

/// The endpoint of a path such as `/models/{model}:generateContent`.
pub(in super::super) fn route(path: &str, query: Option<&str>) -> Option<Route> {
    let (name, method) = path.rsplit_once(':')?;
    if !name.contains("odels/") || name.ends_with('/') {
        return None;
    }
    let has_events = || query.is_some_and(|query| query.split('&').any(|pair| pair == "alt=sse"));
    let form = match method {
        "generateContent" => GeminiForm::Whole,
        "streamGenerateContent" if has_events() => GeminiForm::Events,
        "streamGenerateContent" => GeminiForm::List,
        "countTokens" => return Some(unscripted(UnscriptedGemini::CountTokens)),
        "embedContent" => return Some(unscripted(UnscriptedGemini::Embed)),
        "batchEmbedContents" => return Some(unscripted(UnscriptedGemini::EmbedBatch)),
        _ => return None,
    };
    Some(Route::Scripted(ModelRoute::Gemini(form)))
}

fn unscripted(method: UnscriptedGemini) -> Route {
    Route::Unscripted(UnscriptedRoute::Gemini(method))
}
