//! Compares two texts that are equal except for holes: ids, times and folders in them.

use agentci_trace::PLACEHOLDER;
use serde_json::Value;

use super::clock::{LONGEST, Now, both_present, may_begin};
use super::folders::RootPairs;
use super::ids::pair_over;
use super::options::Holes;
use super::pairing::{Pairing, TentativePairs};
use super::snowflake;
use super::temp_names::TempNames;

/// The context that decides what is a hole.
pub(super) struct HoleContext<'w> {
    pub(super) pairing: &'w Pairing,
    pub(super) roots: &'w RootPairs,
    pub(super) temp_names: &'w TempNames,
    /// The present when the request was recorded, and now.
    pub(super) now: (Now, Now),
}

/// How many levels of JSON inside strings are parsed.
const DEPTH: usize = 4;
/// How many of the characters after a secret must be found again.
const ANCHOR: usize = 24;

/// The JSON object or list that a text contains.
pub(super) fn opened(text: &str, depth: usize) -> Option<Value> {
    let inner = text.trim();
    let looks = (inner.starts_with('{') && inner.ends_with('}')) || (inner.starts_with('[') && inner.ends_with(']'));
    if depth >= DEPTH || !looks {
        return None;
    }
    serde_json::from_str(inner).ok()
}

/// Compares two texts. Counts the holes; the error is the position in each text of the first other difference.
pub(super) fn compare(
    recorded: &str,
    sent: &str,
    world: &HoleContext<'_>,
    tentative: &mut TentativePairs,
    holes: &mut Holes,
) -> Result<(), (usize, usize)> {
    let (mut at, mut of_sent) = (0, 0);
    loop {
        let equal = common(&recorded.as_bytes()[at..], &sent.as_bytes()[of_sent..]);
        let apart = (at + equal, of_sent + equal);
        if apart == (recorded.len(), sent.len()) {
            return same(&recorded[at..], world, tentative).ok_or(apart);
        }
        let texts = TextPair { recorded, sent, at, of_sent, equal };
        let hole = texts.hole(world, tentative, holes).ok_or(apart)?;
        same(&recorded[at..at + hole.start], world, tentative).ok_or(apart)?;
        (at, of_sent) = (at + hole.start + hole.recorded, of_sent + hole.start + hole.sent);
    }
}

fn same(text: &str, world: &HoleContext<'_>, tentative: &mut TentativePairs) -> Option<()> {
    world.pairing.pair_same(text, tentative).then_some(())
}

/// The length of the common prefix.
fn common(one: &[u8], other: &[u8]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

/// Two texts that have been compared up to some position.
struct TextPair<'t> {
    recorded: &'t str,
    sent: &'t str,
    at: usize,
    of_sent: usize,
    equal: usize,
}

/// A hole: its start relative to the position, and its length on each side.
struct TextHole {
    start: usize,
    recorded: usize,
    sent: usize,
}

impl TextPair<'_> {
    fn hole(&self, world: &HoleContext<'_>, tentative: &mut TentativePairs, holes: &mut Holes) -> Option<TextHole> {
        if let Some(secret) = self.secret() {
            return Some(secret);
        }
        let (one, other) = ((self.recorded.as_bytes(), self.at), (self.sent.as_bytes(), self.of_sent));
        if let Some((start, recorded, sent)) = world.roots.find(one, other, self.equal) {
            holes.roots += 1;
            return Some(TextHole { start, recorded, sent });
        }
        if let Some(time) = self.time(world) {
            holes.clock += 1;
            return Some(time);
        }
        let id = self.id(world, tentative)?;
        holes.ids += 1;
        Some(id)
    }

    fn time(&self, world: &HoleContext<'_>) -> Option<TextHole> {
        let covers = |start: usize, length: usize| start + length >= self.equal;
        let begins = |start: &usize| may_begin(self.recorded.as_bytes(), self.at + start);
        (self.equal.saturating_sub(LONGEST)..=self.equal).filter(begins).find_map(|start| {
            let one = (self.recorded.as_bytes(), self.at + start);
            let other = (self.sent.as_bytes(), self.of_sent + start);
            let mut lengths = both_present(one, other, (&world.now.0, &world.now.1));
            let (recorded, sent) = lengths.find(|(recorded, sent)| {
                let differ = one.0[one.1..one.1 + recorded] != other.0[other.1..other.1 + sent];
                differ && covers(start, *recorded) && covers(start, *sent)
            })?;
            Some(TextHole { start, recorded, sent })
        })
    }

    fn id(&self, world: &HoleContext<'_>, tentative: &mut TentativePairs) -> Option<TextHole> {
        let (one, other) =
            ((self.recorded, self.at, self.at + self.equal), (self.sent, self.of_sent, self.of_sent + self.equal));
        let found = pair_over(one, other).or_else(|| world.temp_names.pair_over(one, other));
        let found = found.or_else(|| snowflake::pair_over(one, other, (&world.now.0, &world.now.1)));
        let (start, recorded, sent) = found?;
        let (at, at_sent) = (self.at + start, self.of_sent + start);
        let paired =
            world.pairing.pair(&self.recorded[at..at + recorded], &self.sent[at_sent..at_sent + sent], tentative);
        paired.then_some(TextHole { start, recorded, sent })
    }

    /// A secret that was removed from the recording matches any text, up to the text that follows it.
    fn secret(&self) -> Option<TextHole> {
        let recorded = self.recorded.as_bytes();
        let earliest = self.equal.saturating_sub(PLACEHOLDER.len() - 1);
        let is_here = |start: &usize| recorded[self.at + start..].starts_with(PLACEHOLDER.as_bytes());
        let start = (earliest..=self.equal).find(is_here)?;
        let rest = &self.recorded[self.at + start + PLACEHOLDER.len()..];
        let literal = rest.split(PLACEHOLDER).next().expect("a split has a first part");
        // Text that may be part of a hole itself is not searched for.
        let of_hole =
            |(at, letter): (usize, char)| (at > 0 && (letter.is_ascii_digit() || letter == '/')).then_some(at);
        let end = literal.char_indices().find_map(of_hole).unwrap_or(literal.len());
        let anchor = &literal[..literal.floor_char_boundary(end.min(ANCHOR))];
        let said = self.sent.get(self.of_sent + start..)?;
        let sent = if rest.is_empty() { said.len() } else { said.find(anchor)? };
        Some(TextHole { start, recorded: PLACEHOLDER.len(), sent })
    }
}
