//! The conditions that a request must meet to count.

use agentci_source::{Span, read};
use agentci_trace::{Continued, ModelRequest};
use agentci_verdict::Detail;
use serde_json::Value;

use super::tools::{OnlyTools, WantedTool};
use crate::wanted_text::WantedText;
use agentci_text::shorten;

/// The longest text in a detail, in characters.
const DETAIL: usize = 2000;

/// A text part of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub(super) enum RequestPart {
    System,
    User,
    Messages,
    Model,
}

#[derive(Debug)]
pub(super) enum RequestCondition {
    /// A part meets a text condition.
    Text(RequestPart, WantedText),
    Offers(WantedTool),
    /// No other tools are offered.
    OffersOnly(OnlyTools),
}

impl RequestPart {
    pub(super) fn key(self) -> &'static str {
        self.into()
    }

    fn words(self) -> &'static str {
        match self {
            RequestPart::System => "system prompt",
            RequestPart::User => "last user message",
            RequestPart::Messages => "message",
            RequestPart::Model => "model",
        }
    }

    fn verb(self) -> &'static str {
        if self == RequestPart::Model { "names" } else { "has" }
    }

    /// The text of the part; `None` if it is empty.
    fn of<'r>(self, request: &'r ModelRequest<'_>) -> Option<&'r str> {
        let found = match self {
            RequestPart::System => Some(&*request.system),
            RequestPart::User => request.user.as_deref(),
            RequestPart::Messages => request.messages.last().map(|message| &*message.text),
            RequestPart::Model => request.model,
        };
        found.filter(|text| !text.is_empty())
    }
}

impl RequestCondition {
    /// For each request, whether it meets the condition.
    pub(super) fn met(&self, requests: &[ModelRequest<'_>]) -> Vec<bool> {
        let mut met: Vec<bool> = Vec::with_capacity(requests.len());
        for request in requests {
            let own = self.is_met(request);
            // Earlier messages are part of a request if the provider stores the conversation.
            let before = match (self, request.continues) {
                (RequestCondition::Text(RequestPart::Messages, _), Some(Continued::Request(at))) => {
                    met.get(at).copied()
                }
                _ => None,
            };
            met.push(own || before.unwrap_or_default());
        }
        met
    }

    fn is_met(&self, request: &ModelRequest<'_>) -> bool {
        match self {
            RequestCondition::Text(RequestPart::Messages, wanted) => {
                request.before.iter().chain(&request.messages).any(|message| wanted.is_met(&message.text))
            }
            RequestCondition::Text(part, wanted) => wanted.is_met(part.of(request).unwrap_or_default()),
            RequestCondition::Offers(tool) => tool.is_offered(&request.tools),
            RequestCondition::OffersOnly(only) => only.other(&request.tools).is_none(),
        }
    }

    /// The place of the condition in the suite.
    pub(super) fn span(&self) -> Span {
        match self {
            RequestCondition::Text(_, wanted) => wanted.span(),
            RequestCondition::Offers(tool) => tool.name.span,
            RequestCondition::OffersOnly(only) => only.span,
        }
    }

    /// Describes a request that meets the condition, `has a system prompt that contains ..`, or one that does not,
    /// `has no system prompt ..`.
    pub(super) fn words(&self, met: bool) -> String {
        let (offers, a, is) = if met { ("offers", "a", "offers no") } else { ("does not offer", "no", "offers") };
        match self {
            RequestCondition::Text(part, wanted) => format!("{} {a} {} {}", part.verb(), part.words(), wanted.words()),
            RequestCondition::Offers(tool) => format!("{offers} {}", tool.words()),
            RequestCondition::OffersOnly(only) if only.names.is_empty() => format!("{is} tools"),
            RequestCondition::OffersOnly(only) => format!("{offers} only {}", read::quoted_list(&only.names)),
        }
    }

    /// What was found in a request that does not meet the condition; `which` names the request.
    pub(super) fn seen(&self, which: &str, request: &ModelRequest<'_>) -> String {
        match self {
            RequestCondition::Text(part, wanted) => {
                let name = part.words();
                match part.of(request) {
                    None if *part == RequestPart::Model => format!("{which} names no model"),
                    None => format!("{which} has no {name}"),
                    Some(text) if *part == RequestPart::Messages => {
                        wanted.seen(&format!("the last message of {which}"), text)
                    }
                    Some(text) => wanted.seen(&format!("the {name} of {which}"), text),
                }
            }
            RequestCondition::Offers(tool) => tool.seen(which, &request.tools),
            RequestCondition::OffersOnly(only) => only.seen(which, &request.tools),
        }
    }

    /// The difference as a detail.
    pub(super) fn detail(&self, request: &ModelRequest<'_>) -> Detail {
        match self {
            RequestCondition::Text(part, wanted) => {
                let actual = part.of(request).map(|text| shorten(text, DETAIL));
                let (path, expected) = (format!("/{}", part.key()), wanted.expected());
                Detail { path, expected, actual: actual.map(Value::from).unwrap_or_default() }
            }
            RequestCondition::Offers(tool) => tool.detail(&request.tools),
            RequestCondition::OffersOnly(only) => only.detail(&request.tools),
        }
    }

    pub(super) fn weight(&self) -> u64 {
        match self {
            RequestCondition::Text(_, wanted) => wanted.weight(),
            RequestCondition::Offers(_) | RequestCondition::OffersOnly(_) => 1,
        }
    }
}
