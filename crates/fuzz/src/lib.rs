//! Any bytes at all, against the parts that read what others send. A target takes bytes and returns; it panics where something
//! does not hold.
//!
//! `fuzz/` makes programs of them that look for such bytes; the test `corpus` plays those that were kept.

#![expect(clippy::unwrap_used, reason = "what does not hold is a finding")]

mod bases;
mod dialects;
mod models;
mod protocols;
mod recorded;
mod served;
mod stored;
mod streams;
mod texts;

/// A part that reads what others send.
#[derive(Debug, Clone, Copy)]
pub struct FuzzTarget {
    /// Its name, and that of its folder in `fuzz/corpus`.
    pub name: &'static str,
    /// What must hold, for people.
    pub holds: &'static str,
    /// Tries some bytes.
    pub check: fn(&[u8]),
}

macro_rules! targets {
    ($($name:literal, $check:path, $holds:literal;)*) => {
        &[$(FuzzTarget { name: $name, holds: $holds, check: $check }),*]
    };
}

/// Every target.
pub const TARGETS: &[FuzzTarget] = targets! {
    "native", dialects::native, "a suite is read or refused with places in its text, and its checks compile or are refused";
    "runledger", dialects::runledger, "the same";
    "aumai", dialects::aumai, "the same";
    "ananke", dialects::ananke, "the same";
    "scenario", dialects::scenario, "the same";
    "yao", dialects::yao, "the same";
    "convert", dialects::convert, "a native suite that is printed and read again is the same suite, and printed the same";
    "yaml", texts::yaml, "the reader of plain YAML and the parser of all of it make the same tree";
    "model_script", models::script, "a script is read or refused, and one that is read answers";
    "process", protocols::process, "a line of an agent is read or refused";
    "agui", protocols::agui, "events are read or refused, and the turn has an ending";
    "a2a", protocols::a2a, "cards and items are read or refused, and the turn has an ending";
    "mcp", protocols::mcp, "messages reach the call they are for, and results are read or refused";
    "chat", protocols::chat, "answers of models are put together or refused";
    "sse", streams::sse, "a stream read in one piece and read byte by byte gives the same events, and their bytes are the stream";
    "cassette", stored::cassette, "a recording is read or refused, and gives each answer to its own call";
    "recording", stored::recording, "a recorded conversation is read or refused, and stored again is read as the same";
    "world_recording", recorded::world_recording, "a recording of everything is read or refused, and stored again is read as the same";
    "matching", recorded::matching, "requests are in their own recording, and others are answered or told";
    "baseline", stored::baseline, "a baseline is read or refused, and does not regress against itself";
    "run_jsonl", stored::run_jsonl, "an event that is read is written and read as the same, and every report can be made of it";
    "llm_requests", served::llm, "the scripted model's server answers or closes, and goes on";
    "tool_requests", served::tools, "the stub server answers or closes, and goes on";
    "embeddings", models::embeddings, "what an embedder says is read or refused";
    "facts", texts::facts, "a text has no facts that differ from its own";
    "redact", texts::redact, "a text without secrets has none any more when looked at again";
    "typescript", texts::typescript, "a script is made ready or refused";
};

/// The target of this name.
pub fn target(name: &str) -> Option<&'static FuzzTarget> {
    TARGETS.iter().find(|target| target.name == name)
}
