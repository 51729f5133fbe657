//! Ollama's own format: `POST /api/chat`, `POST /api/generate` and related endpoints. Answers are streamed by default,
//! as JSON lines.

mod answer;
mod read;
pub(super) mod unscripted;

pub(super) use answer::{events, whole};
pub(super) use read::{loads, read_chat, read_generate, read_offer};

use agentci_plan::civil_date;
use hyper::Method;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OllamaEndpoint {
    Chat,
    Generate,
    /// The available models.
    Tags,
    /// The models in memory.
    Running,
    Show,
    Pull,
    Version,
    Embed,
    /// A single embedding; the predecessor of `embed`.
    Embedding,
}

impl OllamaEndpoint {
    /// The endpoint of a path, and the method that it accepts.
    pub(super) fn find(path: &str) -> Option<(Self, Method)> {
        Some(match path.strip_prefix("/api/")? {
            "chat" => (OllamaEndpoint::Chat, Method::POST),
            "generate" => (OllamaEndpoint::Generate, Method::POST),
            "tags" => (OllamaEndpoint::Tags, Method::GET),
            "ps" => (OllamaEndpoint::Running, Method::GET),
            "show" => (OllamaEndpoint::Show, Method::POST),
            "pull" => (OllamaEndpoint::Pull, Method::POST),
            "version" => (OllamaEndpoint::Version, Method::GET),
            "embed" => (OllamaEndpoint::Embed, Method::POST),
            "embeddings" => (OllamaEndpoint::Embedding, Method::POST),
            _ => return None,
        })
    }
}

/// Formats a Unix time in seconds: `2025-01-01T00:00:00Z`.
fn moment(unix: u64) -> String {
    let ((year, month, day), second) = (civil_date(unix / 86_400), unix % 86_400);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", second / 3600, second / 60 % 60, second % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_timestamps_as_rfc_3339() {
        assert_eq!(moment(1_735_689_600), "2025-01-01T00:00:00Z");
        assert_eq!(moment(1_735_689_600 + 3_661), "2025-01-01T01:01:01Z");
    }
}
