//! Assembles the text of a message or call that is streamed over many events.
//!
//! Such an event has the string `delta` and refers to its message or call with `messageId` or `toolCallId`; without
//! either, it continues the previous one.

use std::collections::BTreeMap;
use std::ops::Range;

use agentci_trace::{PLACEHOLDER, Redactor};
use serde_json::Value;

use super::super::recording::{AnswerPiece, PieceKind};
use super::cleaner::frame;
use super::json;

/// A range of a text, and its replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Replacement {
    pub(super) at: Range<usize>,
    pub(super) with: &'static str,
}

/// A text and the events that it was streamed in.
#[derive(Debug, Default)]
pub(super) struct Streamed {
    pub(super) text: String,
    /// Which piece contains which range of the text.
    parts: Vec<(usize, Range<usize>)>,
}

impl Streamed {
    /// The new deltas of the events that contain secrets, by the index of the piece.
    pub(super) fn clean(&self, redactor: &Redactor) -> Vec<(usize, String)> {
        let cuts = json::cuts(&self.text, redactor).unwrap_or_else(|| {
            let places = redactor.places(&self.text).into_iter();
            places.map(|at| Replacement { at, with: PLACEHOLDER }).collect()
        });
        self.without(cuts)
    }

    fn without(&self, cuts: Vec<Replacement>) -> Vec<(usize, String)> {
        let mut changed = Vec::new();
        let mut cuts = cuts.into_iter().peekable();
        let mut done = 0;
        for (piece, part) in &self.parts {
            let mut clean = String::new();
            done = part.start.max(done);
            while let Some(cut) = cuts.next_if(|cut| cut.at.start < part.end) {
                clean.push_str(&self.text[done..cut.at.start]);
                clean.push_str(cut.with);
                done = cut.at.end;
            }
            if done < part.end {
                clean.push_str(&self.text[done..part.end]);
            }
            if clean != self.text[part.clone()] {
                changed.push((*piece, clean));
            }
        }
        changed
    }
}

/// The key of a message or call: the kind of event, and the id if there is one.
type StreamName = (String, Option<String>);

/// The streamed texts in the pieces of one answer.
pub(super) fn streams(pieces: &[AnswerPiece]) -> Vec<Streamed> {
    let mut streams: Vec<Streamed> = Vec::new();
    let mut open: BTreeMap<StreamName, usize> = BTreeMap::new();
    // The id that an event without one continues, by kind and agent.
    let mut last: BTreeMap<StreamName, Option<String>> = BTreeMap::new();
    for (index, piece) in pieces.iter().enumerate() {
        let Some(event) = event(piece, index == 0) else { continue };
        let text = |name: &str| event.get(name).and_then(Value::as_str);
        let (kind, step) = kind(text("type").unwrap_or_default());
        let lane = (kind.to_owned(), text("subagentRunId").map(str::to_owned));
        let id = text("toolCallId").or_else(|| text("messageId")).map(str::to_owned);
        let id = id.or_else(|| last.get(&lane).or_else(|| last.get(&(lane.0.clone(), None))).cloned().flatten());
        let name = (kind.to_owned(), id.clone());
        if matches!(step, "START" | "END") {
            open.remove(&name);
        }
        let Some(delta) = text("delta") else { continue };
        last.insert(lane, id);
        let stream = *open.entry(name).or_insert_with(|| {
            streams.push(Streamed::default());
            streams.len() - 1
        });
        if let Some(Streamed { text, parts }) = streams.get_mut(stream) {
            let start = text.len();
            text.push_str(delta);
            parts.push((index, start..text.len()));
        }
    }
    streams
}

fn event(piece: &AnswerPiece, first: bool) -> Option<Value> {
    match piece.part {
        PieceKind::Body | PieceKind::Line => None,
        PieceKind::Frame | PieceKind::Rest => serde_json::from_str(&frame(piece, first)?.data).ok(),
    }
}

/// Splits an event type into its kind and step: a message may continue in chunks after a `START`.
fn kind(event: &str) -> (&str, &str) {
    match event.rsplit_once('_') {
        Some((kind, step @ ("START" | "CONTENT" | "ARGS" | "CHUNK" | "END"))) => (kind, step),
        _ => (event, ""),
    }
}
