//! Fuzz targets for every parser of untrusted input. A target takes bytes and returns; it panics if an expectation
//! fails.
//!
//! `fuzz/` builds programs from them that search for such bytes; the test `corpus` replays the stored ones.

#![expect(clippy::unwrap_used, reason = "what does not hold is a finding")]

mod bases;
mod data;
mod dialects;
mod models;
mod protocols;
mod recorded;
mod served;
mod stored;
mod streams;
mod texts;

/// A parser of untrusted input.
#[derive(Debug, Clone, Copy)]
pub struct FuzzTarget {
    /// Its name, and that of its folder in `fuzz/corpus`.
    pub name: &'static str,
    /// The expectation, in words.
    pub holds: &'static str,
    /// Checks the expectation for some bytes.
    pub check: fn(&[u8]),
}

macro_rules! targets {
    ($($name:literal, $check:path, $holds:literal;)*) => {
        &[$(FuzzTarget { name: $name, holds: $holds, check: $check }),*]
    };
}

/// Every target.
pub const TARGETS: &[FuzzTarget] = targets! {
    "native", dialects::native, "a suite is read or rejected with positions, and its checks compile or are rejected";
    "runledger", dialects::runledger, "the same";
    "aumai", dialects::aumai, "the same";
    "ananke", dialects::ananke, "the same";
    "scenario", dialects::scenario, "the same";
    "yao", dialects::yao, "the same";
    "convert", dialects::convert, "a native suite that is printed and read again is the same suite";
    "yaml", texts::yaml, "the fast reader of plain YAML and the full parser build the same tree";
    "data", data::files, "rows of data files are read or rejected, and each can be read again by itself";
    "model_script", models::script, "a script is read or rejected, and one that is read answers";
    "process", protocols::process, "a line of an agent is read or rejected";
    "agui", protocols::agui, "events are read or rejected, and the turn ends";
    "a2a", protocols::a2a, "cards and items are read or rejected, and the turn ends";
    "mcp", protocols::mcp, "messages reach the call they belong to, and results are read or rejected";
    "chat", protocols::chat, "answers of models are assembled or rejected";
    "sse", streams::sse, "a stream gives the same events in one piece and byte by byte, and no byte is lost";
    "cassette", stored::cassette, "a cassette is read or rejected, and answers each of its own calls";
    "recording", stored::recording, "a recorded conversation is read or rejected, and survives a round trip";
    "world_recording", recorded::world_recording, "a recording is read or rejected, and survives a round trip";
    "matching", recorded::matching, "requests match their own recording, and others are answered or reported";
    "baseline", stored::baseline, "a baseline is read or rejected, and does not regress against itself";
    "run_jsonl", stored::run_jsonl, "an event survives a round trip, and every report accepts it";
    "llm_requests", served::llm, "the server of the scripted model answers or closes, and keeps running";
    "tool_requests", served::tools, "the stub server answers or closes, and keeps running";
    "embeddings", models::embeddings, "the answer of an embedder is read or rejected";
    "facts", texts::facts, "a text does not differ from itself in its facts, nor contradict itself";
    "redact", texts::redact, "redacting a text a second time changes nothing";
    "typescript", texts::typescript, "a script is compiled or rejected";
};

pub fn target(name: &str) -> Option<&'static FuzzTarget> {
    TARGETS.iter().find(|target| target.name == name)
}
