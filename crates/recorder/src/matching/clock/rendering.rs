//! A rendering of the current time at some position of a text.

use super::calendar::NameSpelling;
use super::now::{Now, PartialMoment, both_say_now};
use super::{letters, numbers};

/// The longest rendering, such as `Wednesday, September 30, 2026`.
pub(in super::super) const LONGEST: usize = 48;

/// A rendering: its style, the time it states, and its length.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rendering {
    pub(super) style: TimeFormat,
    pub(super) said: PartialMoment,
    pub(super) length: usize,
}

impl Rendering {
    /// A rendering that ends at the position of the scan.
    pub(super) fn new(parts: (&'static str, u8, u8), said: PartialMoment, scan: RenderingScan<'_>) -> Self {
        Self { style: TimeFormat { parts, weekday: None, month: None }, said, length: scan.at }
    }

    /// Sets the spelling of the month.
    pub(super) fn named(mut self, month: NameSpelling) -> Self {
        self.style.month = Some(month);
        self
    }
}

/// How a time is written. Two renderings of one style differ only in the time.
#[derive(Debug, Clone, Copy)]
pub(super) struct TimeFormat {
    /// The parts with their order, and the separators.
    pub(super) parts: (&'static str, u8, u8),
    pub(super) weekday: Option<NameSpelling>,
    pub(super) month: Option<NameSpelling>,
}

impl TimeFormat {
    fn agrees(&self, other: &Self) -> bool {
        let agree = |one: Option<NameSpelling>, other: Option<NameSpelling>| match (one, other) {
            (Some(one), Some(other)) => one.agrees(other),
            (None, None) => true,
            _ => false,
        };
        self.parts == other.parts && agree(self.weekday, other.weekday) && agree(self.month, other.month)
    }
}

/// The lengths of two renderings at these positions that have the same style and are the present of their side.
pub(in super::super) fn both_present(
    recorded: (&[u8], usize),
    sent: (&[u8], usize),
    now: (&Now, &Now),
) -> impl Iterator<Item = (usize, usize)> {
    let ours = renderings(recorded.0, recorded.1);
    let theirs = if ours.is_empty() { Vec::new() } else { renderings(sent.0, sent.1) };
    let mut lengths = Vec::new();
    for one in &ours {
        for other in theirs.iter().filter(|other| one.style.agrees(&other.style)) {
            if both_say_now((now.0, one.said), (now.1, other.said)) {
                lengths.push((one.length, other.length));
            }
        }
    }
    lengths.sort_unstable_by(|one, other| other.cmp(one));
    lengths.into_iter()
}

/// Whether a rendering may begin here: the characters before it do not belong to it.
pub(in super::super) fn may_begin(bytes: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| bytes.get(before));
    bytes.get(at).is_some_and(u8::is_ascii_alphanumeric) && !before.is_some_and(u8::is_ascii_alphanumeric)
}

/// Replaces every time in a text with a mark, whether or not it is the present.
pub(in super::super) fn without_times(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut at, mut done) = (0, 0);
    while at < text.len() {
        let found = if may_begin(text.as_bytes(), at) { renderings(text.as_bytes(), at) } else { Vec::new() };
        match found.iter().map(|rendering| rendering.length).max() {
            Some(length) => {
                out.push_str(&text[done..at]);
                out.push('\u{2}');
                at += length;
                done = at;
            }
            None => at += 1,
        }
    }
    out.push_str(&text[done..]);
    out
}

/// The length of the time at this position, and whether it is the present; `None` if there is no time here.
pub(in super::super) fn time_at(bytes: &[u8], at: usize, now: &Now) -> Option<(usize, bool)> {
    let found = if may_begin(bytes, at) { renderings(bytes, at) } else { return None };
    let length = found.iter().map(|rendering| rendering.length).max()?;
    let mut longest = found.iter().filter(|rendering| rendering.length == length);
    Some((length, longest.any(|rendering| now.says(rendering.said))))
}

fn renderings(bytes: &[u8], at: usize) -> Vec<Rendering> {
    let end = bytes.len().min(at + LONGEST);
    // Includes the byte after the longest rendering, so that a longer number does not match.
    let part = &bytes[at..bytes.len().min(end + 1)];
    let Some(first) = part.first() else { return Vec::new() };
    let mut found = if first.is_ascii_digit() { numbers::renderings(part) } else { letters::renderings(part) };
    found.extend(numbers::year_alone(bytes, at));
    let ends = |length: usize| !part.get(length).is_some_and(u8::is_ascii_alphanumeric);
    found.into_iter().filter(|rendering| ends(rendering.length)).collect()
}

/// Reads a rendering from its beginning.
#[derive(Debug, Clone, Copy)]
pub(super) struct RenderingScan<'t> {
    bytes: &'t [u8],
    pub(super) at: usize,
}

impl<'t> RenderingScan<'t> {
    pub(super) fn new(bytes: &'t [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// This byte, if it comes next.
    pub(super) fn take(&mut self, byte: u8) -> Option<u8> {
        let next = self.peek().filter(|next| *next == byte)?;
        self.at += 1;
        Some(next)
    }

    /// One of these bytes, if it comes next.
    pub(super) fn take_any(&mut self, bytes: &[u8]) -> Option<u8> {
        bytes.iter().find_map(|byte| self.take(*byte))
    }

    /// All digits that come next, if their number is within these limits.
    pub(super) fn number(&mut self, least: usize, most: usize) -> Option<i64> {
        let digits = self.bytes[self.at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if !(least..=most).contains(&digits) {
            return None;
        }
        let text = std::str::from_utf8(&self.bytes[self.at..self.at + digits]).ok()?;
        self.at += digits;
        text.parse().ok()
    }

    /// All letters that come next.
    pub(super) fn word(&mut self) -> &'t str {
        let letters = self.bytes[self.at..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let word = std::str::from_utf8(&self.bytes[self.at..self.at + letters]).expect("ASCII letters are UTF-8");
        self.at += letters;
        word
    }
}
