//! Chunks: a shorthand in which later events need not name what they continue.
//!
//! Each agent and subagent is a lane, and a lane has at most one open stream of chunks. The first chunk of a stream has
//! its id; later chunks may omit it. Nearly any other event in the lane ends the stream.

use super::lint::QuotedName;

/// The content of a stream of chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChunkStream {
    Text,
    Reasoning,
    Call,
}

impl ChunkStream {
    pub(super) fn noun(self) -> &'static str {
        match self {
            ChunkStream::Text => "message",
            ChunkStream::Reasoning => "reasoning message",
            ChunkStream::Call => "call",
        }
    }
}

/// An open stream of chunks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ChunkLane {
    /// The subagent; `None` for the agent itself.
    pub(super) owner: Option<String>,
    pub(super) stream: ChunkStream,
    pub(super) id: String,
    /// Further fields of the first chunk, which later ones may repeat.
    pub(super) said: [(&'static str, Option<String>); 2],
}

/// Where a chunk belongs.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ChunkTarget {
    /// It continues an open stream.
    Continue(ChunkLane),
    /// It opens a stream with this id.
    Open(String),
}

/// Which streams an event ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EndedStreams {
    None,
    Lane,
    All,
}

/// The open streams, at most one per lane.
#[derive(Debug, Default)]
pub(super) struct ChunkLanes(pub(super) Vec<ChunkLane>);

impl ChunkLanes {
    /// Ends the stream of a lane.
    pub(super) fn close(&mut self, owner: Option<&str>) -> Option<ChunkLane> {
        let found = self.0.iter().position(|lane| lane.owner.as_deref() == owner)?;
        Some(self.0.remove(found))
    }

    /// Where a chunk belongs, or an error message if it belongs nowhere.
    pub(super) fn place(
        &self,
        stream: ChunkStream,
        id: Option<String>,
        owner: Option<&str>,
    ) -> Result<ChunkTarget, String> {
        let noun = stream.noun();
        let mut same = self.0.iter().filter(|lane| lane.stream == stream);
        if let Some(id) = id {
            let found = same.find(|lane| lane.id == id).cloned();
            return Ok(found.map_or(ChunkTarget::Open(id), ChunkTarget::Continue));
        }
        if let Some(found) = same.clone().find(|lane| lane.owner.as_deref() == owner) {
            return Ok(ChunkTarget::Continue(found.clone()));
        }
        match (owner, same.next(), same.next()) {
            (Some(owner), ..) => {
                Err(format!("it has no id, and no {noun} of subagent {} is open to continue", QuotedName(owner)))
            }
            (None, Some(found), None) => Ok(ChunkTarget::Continue(found.clone())),
            (None, Some(_), Some(_)) => Err(format!("it has no id, and more than one {noun} is open to continue")),
            (None, None, _) => Err(format!("it has no id, and no {noun} is open to continue")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lanes(open: &[(Option<&str>, ChunkStream, &str)]) -> ChunkLanes {
        let lane = |(owner, stream, id): &(Option<&str>, ChunkStream, &str)| ChunkLane {
            owner: owner.map(str::to_owned),
            stream: *stream,
            id: (*id).to_owned(),
            said: [("role", None), ("name", None)],
        };
        ChunkLanes(open.iter().map(lane).collect())
    }

    #[test]
    fn chunk_without_id_continues_open_stream() {
        let open =
            [(None, ChunkStream::Text, "m"), (Some("s"), ChunkStream::Call, "c"), (Some("t"), ChunkStream::Text, "n")];
        let lanes = lanes(&open);
        assert_eq!(
            lanes.place(ChunkStream::Text, None, None),
            Ok(ChunkTarget::Continue(lanes.0[0].clone())),
            "the agent's own comes first"
        );
        assert_eq!(lanes.place(ChunkStream::Text, None, Some("t")), Ok(ChunkTarget::Continue(lanes.0[2].clone())));
        assert_eq!(
            lanes.place(ChunkStream::Call, None, None),
            Ok(ChunkTarget::Continue(lanes.0[1].clone())),
            "the only one of its kind"
        );
        assert_eq!(
            lanes.place(ChunkStream::Text, Some("n".into()), None),
            Ok(ChunkTarget::Continue(lanes.0[2].clone())),
            "an id finds it anywhere"
        );
        assert_eq!(lanes.place(ChunkStream::Text, Some("x".into()), Some("s")), Ok(ChunkTarget::Open("x".into())));
    }

    #[test]
    fn unassignable_chunk_is_reported_with_a_reason() {
        let lanes = lanes(&[(Some("s"), ChunkStream::Text, "m"), (Some("t"), ChunkStream::Text, "n")]);
        let why = |stream, owner| lanes.place(stream, None, owner).unwrap_err();
        assert_eq!(why(ChunkStream::Text, None), "it has no id, and more than one message is open to continue");
        assert_eq!(why(ChunkStream::Call, None), "it has no id, and no call is open to continue");
        assert_eq!(why(ChunkStream::Call, Some("s")), "it has no id, and no call of subagent `s` is open to continue");
    }
}
