//! Chunks: a shorthand in which what continues need not say what it continues.
//!
//! Each agent and subagent is a lane, and a lane has at most one stream of chunks open. The first chunk of a stream carries its
//! id; those that follow may leave it out. Nearly anything else in the lane ends the stream.

use super::frame::Type;
use super::lint::Named;

/// What is streamed in chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stream {
    Text,
    Reasoning,
    Call,
}

impl Stream {
    fn noun(self) -> &'static str {
        match self {
            Stream::Text => "message",
            Stream::Reasoning => "reasoning message",
            Stream::Call => "call",
        }
    }
}

/// An open stream of chunks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lane {
    /// The subagent; nothing for the agent itself.
    pub(super) owner: Option<String>,
    pub(super) stream: Stream,
    pub(super) id: String,
    /// What the first chunk said beside; a later one may repeat it.
    pub(super) said: [(&'static str, Option<String>); 2],
}

/// Where a chunk belongs.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// To an open stream, by its position.
    Continue(usize),
    /// To a new one in the lane of this owner.
    Open(Option<String>),
}

/// Which streams an event ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ends {
    None,
    Lane,
    All,
}

/// Which streams an event ends. Chunks see to it themselves.
pub(super) fn ends(kind: Type) -> Ends {
    match kind {
        Type::RunStarted | Type::RunFinished | Type::RunError | Type::MessagesSnapshot => Ends::All,
        Type::Raw
        | Type::ActivitySnapshot
        | Type::ActivityDelta
        | Type::ReasoningEncryptedValue
        | Type::SubagentStarted
        | Type::TextMessageChunk
        | Type::ToolCallChunk
        | Type::ReasoningMessageChunk => Ends::None,
        Type::StepStarted
        | Type::StepFinished
        | Type::TextMessageStart
        | Type::TextMessageContent
        | Type::TextMessageEnd
        | Type::ToolCallStart
        | Type::ToolCallArgs
        | Type::ToolCallEnd
        | Type::ToolCallResult
        | Type::StateSnapshot
        | Type::StateDelta
        | Type::Custom
        | Type::ReasoningStart
        | Type::ReasoningMessageStart
        | Type::ReasoningMessageContent
        | Type::ReasoningMessageEnd
        | Type::ReasoningEnd
        | Type::SubagentFinished
        | Type::SubagentError
        | Type::ThinkingStart
        | Type::ThinkingEnd
        | Type::ThinkingTextMessageStart
        | Type::ThinkingTextMessageContent
        | Type::ThinkingTextMessageEnd => Ends::Lane,
    }
}

/// The open streams, at most one a lane.
#[derive(Debug, Default)]
pub(super) struct Lanes(Vec<Lane>);

impl Lanes {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn get(&self, position: usize) -> Option<&Lane> {
        self.0.get(position)
    }

    pub(super) fn open(&mut self, lane: Lane) {
        self.0.push(lane);
    }

    /// Ends the stream of a lane.
    pub(super) fn close(&mut self, owner: Option<&str>) -> Option<Lane> {
        let found = self.0.iter().position(|lane| lane.owner.as_deref() == owner)?;
        Some(self.0.remove(found))
    }

    /// Ends the stream that was opened first.
    pub(super) fn close_first(&mut self) -> Option<Lane> {
        if self.0.is_empty() { None } else { Some(self.0.remove(0)) }
    }

    /// Where a chunk belongs, or in words why it belongs nowhere.
    pub(super) fn place(&self, stream: Stream, id: Option<&str>, owner: Option<&str>) -> Result<Place, String> {
        let noun = stream.noun();
        if let Some(id) = id {
            let found = self.0.iter().position(|lane| lane.stream == stream && lane.id == id);
            return Ok(found.map_or_else(|| Place::Open(owner.map(str::to_owned)), Place::Continue));
        }
        let of_owner = self.0.iter().position(|lane| lane.stream == stream && lane.owner.as_deref() == owner);
        if let Some(found) = of_owner {
            return Ok(Place::Continue(found));
        }
        if let Some(owner) = owner {
            return Err(format!("it has no id, and no {noun} of subagent {} is open to continue", Named(owner)));
        }
        let mut others = self.0.iter().enumerate().filter(|(_, lane)| lane.stream == stream);
        match (others.next(), others.next()) {
            (Some((found, _)), None) => Ok(Place::Continue(found)),
            (Some(_), Some(_)) => Err(format!("it has no id, and more than one {noun} is open to continue")),
            (None, _) => Err(format!("it has no id, and no {noun} is open to continue")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lanes(open: &[(Option<&str>, Stream, &str)]) -> Lanes {
        let lane = |(owner, stream, id): &(Option<&str>, Stream, &str)| Lane {
            owner: owner.map(str::to_owned),
            stream: *stream,
            id: (*id).to_owned(),
            said: [("role", None), ("name", None)],
        };
        Lanes(open.iter().map(lane).collect())
    }

    #[test]
    fn a_chunk_without_an_id_finds_its_stream() {
        let open = [(None, Stream::Text, "m"), (Some("s"), Stream::Call, "c"), (Some("t"), Stream::Text, "n")];
        let lanes = lanes(&open);
        assert_eq!(lanes.place(Stream::Text, None, None), Ok(Place::Continue(0)), "the agent's own comes first");
        assert_eq!(lanes.place(Stream::Text, None, Some("t")), Ok(Place::Continue(2)));
        assert_eq!(lanes.place(Stream::Call, None, None), Ok(Place::Continue(1)), "the only one of its kind");
        assert_eq!(lanes.place(Stream::Text, Some("n"), None), Ok(Place::Continue(2)), "an id finds it anywhere");
        assert_eq!(lanes.place(Stream::Text, Some("x"), Some("s")), Ok(Place::Open(Some("s".into()))));
    }

    #[test]
    fn a_chunk_that_belongs_nowhere_is_told_why() {
        let lanes = lanes(&[(Some("s"), Stream::Text, "m"), (Some("t"), Stream::Text, "n")]);
        let why = |stream, owner| lanes.place(stream, None, owner).unwrap_err();
        assert_eq!(why(Stream::Text, None), "it has no id, and more than one message is open to continue");
        assert_eq!(why(Stream::Call, None), "it has no id, and no call is open to continue");
        assert_eq!(why(Stream::Call, Some("s")), "it has no id, and no call of subagent `s` is open to continue");
    }
}
