//! Removes the secrets of a whole recording, and checks the written text once more.

use std::ops::Range;
use std::path::PathBuf;

use agentci_trace::Redactor;

use super::super::headers::is_secret_header;
use super::answer::{self, BodyForm};
use super::{events, frames, parameters, request, split, texts};
use crate::{EndKind, RecordedResponse, Recording};

/// Words of the format itself, and names that it keeps: they are not secrets.
const OWN: [&str; 24] = [
    "recording",
    "command",
    "request",
    "response",
    "headers",
    "chatter",
    "method",
    "speaks",
    "closed",
    "broken",
    "unreachable",
    "too_large",
    "base64",
    "json_text",
    "message",
    "filename",
    "content_type",
    "status",
    "now_ms",
    "content-type",
    "application/json",
    "[REDACTED]",
    "REDACTED",
    "openai",
];

/// Fields with numbers of the format.
const MOMENTS: [&str; 2] = ["\"at_us\":", "\"now_ms\":"];

/// The recording without its secrets. Adds the secrets found in it to the known ones.
pub(in super::super) fn cleaned(recording: &Recording, secrets: &mut Redactor) -> Recording {
    let mut clean = recording.clone();
    for response in clean.exchanges.iter_mut().filter_map(|exchange| exchange.response.as_mut()) {
        split::into_events(response);
    }
    secrets.learn_arguments(&recording.header.command);
    for exchange in &clean.exchanges {
        request::learn(&exchange.request, secrets);
        let plain = exchange.response.as_ref().and_then(split::plain);
        if let Some(response) = plain.as_ref().or(exchange.response.as_ref()) {
            learn_answer(response, secrets);
        }
    }
    scrub_header(&mut clean, secrets);
    for exchange in &mut clean.exchanges {
        request::scrub(&mut exchange.request, secrets);
        if let Some(response) = &mut exchange.response {
            scrub_packed(response, secrets);
            scrub_answer(response, secrets);
        }
        match &mut exchange.end.how {
            EndKind::Broken(message) | EndKind::Unreachable(message) => texts::scrub(message, secrets),
            EndKind::Closed | EndKind::Left | EndKind::TooLarge => {}
        }
    }
    for hole in &mut clean.holes {
        texts::scrub(&mut hole.at, secrets);
    }
    clean
}

fn learn_answer(response: &RecordedResponse, secrets: &mut Redactor) {
    request::learn_response(secrets, &response.headers);
    let body = answer::read(response);
    events::learn(&body.values, body.form != BodyForm::Json, secrets);
}

fn scrub_answer(response: &mut RecordedResponse, secrets: &Redactor) {
    response.headers.retain(|(name, _)| !is_secret_header(name));
    for (name, value) in &mut response.headers {
        if name == "location" {
            *value = parameters::clean_path("", value, secrets);
        } else {
            texts::scrub(value, secrets);
        }
    }
    frames::scrub(response, secrets);
}

/// Decompresses a compressed answer if it contains a secret; otherwise it is unchanged.
fn scrub_packed(response: &mut RecordedResponse, secrets: &Redactor) {
    let Some(mut plain) = split::plain(response) else { return };
    let packed = plain.frames.clone();
    scrub_answer(&mut plain, secrets);
    if plain.frames != packed {
        *response = plain;
    }
}

fn scrub_header(recording: &mut Recording, secrets: &Redactor) {
    let header = &mut recording.header;
    secrets.arguments(&mut header.command);
    let scrub = |path: &mut PathBuf| {
        if let Some(clean) = path.to_str().and_then(|path| texts::clean(path, secrets)) {
            *path = clean.into();
        }
    };
    scrub(&mut header.roots.cwd);
    header.roots.home.iter_mut().for_each(scrub);
    header.roots.tmp.iter_mut().for_each(scrub);
}

/// The first line of a text that still contains a known secret.
pub(in super::super) fn leftover(text: &str, secrets: &Redactor) -> Option<usize> {
    let places = secrets.known_places(text).into_iter();
    let left = places.filter(|place| !is_own(text, place));
    let first = left.map(|place| place.start).min()?;
    Some(text.as_bytes().iter().take(first).filter(|byte| **byte == b'\n').count() + 1)
}

/// Whether a match is a word of the format, or digits that only look like a secret: a part of a longer number, or a
/// time.
fn is_own(text: &str, place: &Range<usize>) -> bool {
    let Some(found) = text.get(place.clone()) else { return false };
    if OWN.contains(&found) {
        return true;
    }
    let (before, after) = text.split_at(place.start);
    let next = after.as_bytes().get(found.len());
    found.bytes().all(|byte| byte.is_ascii_digit())
        && (before.ends_with(|letter: char| letter.is_ascii_digit())
            || next.is_some_and(u8::is_ascii_digit)
            || MOMENTS.iter().any(|field| before.ends_with(field)))
}
