//! Normalizes a text: replaces ids, times, folders and addresses with marks, so that it is the same in every run.
//!
//! [`text::compare`](super::text) compares two complete texts. Of a text for later runs only the fingerprint is stored,
//! so the variable parts are removed first. All times are removed, and are kept next to the text: a time may differ
//! from that of another run only if both were the present of their run.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::clock::{Now, time_at};
use super::folders::{forms, is_at, text as folder};
use super::ids::places_of_ids;
use super::options::Circumstances;
use super::snowflake::are_snowflakes;
use super::temp_names::made_up_name;

/// How many times are removed from one text. Later ones stay, and must be equal.
const MOST_TIMES: usize = 64;

/// Addresses on this machine, whose ports differ in each run.
static ADDRESS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\b(?:127\.0\.0\.1|localhost):\d{2,5}\b|\[::1\]:\d{2,5}\b").ok());
static DIGITS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\b\d{17,19}\b").ok());

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NormalizedText {
    /// The text, with a mark such as `{id}` in place of each variable part.
    pub text: String,
    /// The same text with its original times, for display.
    pub shown: String,
    /// The removed times, in order.
    pub times: Vec<MentionedTime>,
}

/// A time in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MentionedTime {
    /// As written in the text.
    pub text: String,
    /// Whether it was the present of the run.
    pub now: bool,
}

/// Normalizes texts.
#[derive(Debug)]
pub struct TextNormalizer {
    now: Now,
    /// Each form of a folder, whether its slashes are dashes, and its mark; the longest first.
    roots: Vec<(String, bool, &'static str)>,
}

/// The mark of the temporary directory.
const TMP: &str = "{tmp}";

/// A part of a text that is replaced with a mark.
struct MarkedHole {
    place: Range<usize>,
    mark: String,
    time: Option<bool>,
}

impl TextNormalizer {
    /// For texts that were written within this many milliseconds after the start of these circumstances.
    pub fn new(surroundings: &Circumstances, elapsed_ms: u64) -> Self {
        let Circumstances { now_ms, offset_s, roots, .. } = surroundings;
        let folders = [(Some(&roots.cwd), "{cwd}"), (roots.home.as_ref(), "{home}"), (roots.tmp.as_ref(), TMP)];
        let mut all: Vec<(String, bool, &'static str)> = Vec::new();
        for (path, mark) in folders.iter().filter_map(|(path, mark)| Some((folder((*path)?)?, *mark))) {
            // `-tmp` is an option more often than a folder.
            let is_deep = path.matches('/').count() > 1;
            let known = forms(&path).into_iter().filter(|(_, dashed)| is_deep || !dashed);
            for (form, dashed) in known {
                if !all.iter().any(|(known, ..)| *known == form) {
                    all.push((form, dashed, mark));
                }
            }
        }
        all.sort_by_key(|(form, ..)| std::cmp::Reverse(form.len()));
        Self { now: Now::new(*now_ms, elapsed_ms.saturating_mul(1000), *offset_s), roots: all }
    }

    pub fn text(&self, text: &str) -> NormalizedText {
        let mut holes = Vec::new();
        self.folders(text, &mut holes);
        add(&mut holes, places_of_ids(text).map(|place| hole(place, "{id}")));
        let addresses = ADDRESS.iter().flat_map(|pattern| pattern.find_iter(text));
        add(&mut holes, addresses.map(|found| hole(found.range(), "{address}")));
        let digits = DIGITS.iter().flat_map(|pattern| pattern.find_iter(text));
        let is_made_now = |id: &str| are_snowflakes(id, id, (&self.now, &self.now));
        let made_now = digits.filter(|found| is_made_now(found.as_str()));
        add(&mut holes, made_now.map(|found| hole(found.range(), "{id}")));
        let times = self.times(text, &holes);
        add(&mut holes, times);
        rendered(text, holes)
    }

    fn folders(&self, text: &str, holes: &mut Vec<MarkedHole>) {
        let mut at = 0;
        while at < text.len() {
            let here = self.roots.iter().find(|(form, dashed, _)| is_at(text.as_bytes(), at, (form, *dashed)));
            let Some((form, _, mark)) = here else {
                at += 1;
                continue;
            };
            holes.push(hole(at..at + form.len(), mark));
            at += form.len();
            if *mark == TMP
                && let Some(name) = made_up_name(text, at)
            {
                at = name.end;
                holes.push(hole(name, "{name}"));
            }
        }
    }

    fn times(&self, text: &str, holes: &[MarkedHole]) -> Vec<MarkedHole> {
        let mut found = Vec::new();
        let mut taken = holes.iter().peekable();
        let mut at = 0;
        while at < text.len() && found.len() < MOST_TIMES {
            while taken.next_if(|hole| hole.place.end <= at).is_some() {}
            if let Some(hole) = taken.peek().filter(|hole| hole.place.start <= at) {
                at = hole.place.end;
                continue;
            }
            let Some((length, now)) = time_at(text.as_bytes(), at, &self.now) else {
                at += 1;
                continue;
            };
            let mark = format!("{{{}}}", shape(&text[at..at + length]));
            found.push(MarkedHole { place: at..at + length, mark, time: Some(now) });
            at += length;
        }
        found
    }
}

fn hole(place: Range<usize>, mark: &str) -> MarkedHole {
    MarkedHole { place, mark: mark.to_owned(), time: None }
}

/// Adds holes that do not overlap with existing ones, and keeps them in order.
fn add(holes: &mut Vec<MarkedHole>, more: impl IntoIterator<Item = MarkedHole>) {
    let before = holes.len();
    for hole in more {
        let apart = |other: &MarkedHole| other.place.end <= hole.place.start || hole.place.end <= other.place.start;
        if holes[..before].iter().all(apart) {
            holes.push(hole);
        }
    }
    holes.sort_by_key(|hole| hole.place.start);
}

/// The format of a time: times with the same format differ only in letters and digits.
fn shape(time: &str) -> String {
    let mut shape = String::new();
    for letter in time.chars() {
        let kind = match letter {
            _ if letter.is_ascii_digit() => '9',
            _ if letter.is_ascii_alphabetic() => 'A',
            other => other,
        };
        if kind != ' ' && !kind.is_ascii_alphanumeric() || !shape.ends_with(kind) {
            shape.push(kind);
        }
    }
    shape
}

fn rendered(text: &str, holes: Vec<MarkedHole>) -> NormalizedText {
    let mut normalized = NormalizedText::default();
    let mut done = 0;
    for MarkedHole { place, mark, time } in holes {
        if place.start < done {
            continue;
        }
        let written = &text[place.clone()];
        for (out, instead) in
            [(&mut normalized.text, &*mark), (&mut normalized.shown, if time.is_some() { written } else { &mark })]
        {
            out.push_str(&text[done..place.start]);
            out.push_str(instead);
        }
        normalized.times.extend(time.map(|now| MentionedTime { text: written.to_owned(), now }));
        done = place.end;
    }
    normalized.text.push_str(&text[done..]);
    normalized.shown.push_str(&text[done..]);
    normalized
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Roots;

    /// 2026-11-17, a Tuesday, at 03:54:34 UTC.
    const NOW_MS: u64 = 1_794_887_674_000;
    const DAY_MS: u64 = 86_400_000;

    fn normalizer(now_ms: u64, cwd: &str, home: &str, tmp: &str) -> TextNormalizer {
        let roots = Roots { cwd: cwd.into(), home: Some(home.into()), tmp: Some(tmp.into()) };
        TextNormalizer::new(&Circumstances { now_ms, roots, ..Circumstances::default() }, 1000)
    }

    fn here() -> TextNormalizer {
        normalizer(NOW_MS, "/work/shop", "/home/me", "/tmp")
    }

    #[test]
    fn replaces_ids_folders_and_addresses_with_placeholders() {
        for (text, normalized) in [
            ("run 1fe7d1e2-d166-42de-b7a7-c4dbac87138d now", "run {id} now"),
            ("sha ecde1dd25426481c9bba68dc88120b69.", "sha {id}."),
            ("in /work/shop/notes.md, /home/me/x and /work/shopping", "in {cwd}/notes.md, {home}/x and /work/shopping"),
            (
                "/tmp/tmp4o_e9l1o/a.txt /tmp/agent-tst4kbfy /tmp/cache",
                "{tmp}/{name}/a.txt {tmp}/agent-{name} {tmp}/cache",
            ),
            ("see -work-shop and --tmp", "see {cwd} and --tmp"),
            (
                "ask http://127.0.0.1:43305/v1, not http://10.0.0.1:43305",
                "ask http://{address}/v1, not http://10.0.0.1:43305",
            ),
            ("Grüße aus /home/me, ß", "Grüße aus {home}, ß"),
            ("Refund at most 50 USD.", "Refund at most 50 USD."),
        ] {
            let found = here().text(text);
            assert_eq!((found.text.as_str(), &found.shown), (normalized, &found.text), "{text}");
        }
    }

    #[test]
    fn extracts_times_and_marks_those_that_are_now() {
        for (text, normalized, times) in [
            (
                "Today is Tuesday, November 17, 2026.",
                "Today is {A, A 9, 9}.",
                vec![("Tuesday, November 17, 2026", true)],
            ),
            ("2026-11-17T03:54:34.5Z", "{9-9-9A9:9:9.9A}", vec![("2026-11-17T03:54:34.5Z", true)]),
            ("17.11.2026 or 11/17/2026", "{9.9.9} or {9/9/9}", vec![("17.11.2026", true), ("11/17/2026", true)]),
            ("ends 2026-12-31", "ends {9-9-9}", vec![("2026-12-31", false)]),
            ("Monday, Tuesday", "{A}, {A}", vec![("Monday", false), ("Tuesday", true)]),
            ("Tue Nov 17 03:54:34 2026", "{A A 9 9:9:9 9}", vec![("Tue Nov 17 03:54:34 2026", true)]),
            ("Sat Dec  5 23:59:59 2026", "{A A 9 9:9:9 9}", vec![("Sat Dec  5 23:59:59 2026", false)]),
        ] {
            let found = here().text(text);
            assert_eq!(found.text, normalized);
            assert_eq!(found.shown, text);
            let said: Vec<_> = found.times.iter().map(|time| (time.text.as_str(), time.now)).collect();
            assert_eq!(said, times, "{text}");
        }
    }

    #[test]
    fn normalizes_equally_on_another_day_and_machine() {
        let one = here().text("Tuesday, November 17, 2026 in /work/shop, notes in /tmp/tmp4o_e9l1o");
        let tomorrow = normalizer(NOW_MS + DAY_MS, "/ci/checkout", "/root", "/var/tmp");
        let other = tomorrow.text("Wednesday, November 18, 2026 in /ci/checkout, notes in /var/tmp/tmpabcdefgh");
        assert_eq!(one.text, other.text);
        assert!(one.times[0].now && other.times[0].now);
        // The date of yesterday is not the present any more.
        assert!(!tomorrow.text("Tuesday, November 17, 2026").times[0].now);
    }

    #[test]
    fn times_beyond_the_limit_stay_in_text() {
        let text = "12:30 ".repeat(MOST_TIMES + 2);
        let found = here().text(&text);
        assert_eq!((found.times.len(), found.text.matches("12:30").count()), (MOST_TIMES, 2));
    }
}
