//! A text as it is whenever and wherever it is written: with marks in the place of ids, times, folders and addresses.
//!
//! [`text::compare`](super::text) looks at two texts at once and needs both of them whole. What is kept of a text for later runs
//! is its fingerprint, so what may differ is taken out of it before. A time is taken out whichever it is, and what it said is
//! kept beside the text: it may differ from that of another run only where both were the present of their run.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::answered::Surroundings;
use super::clock::{Now, time_at};
use super::ids::places_of_ids;
use super::roots::{forms, is_at, text as folder};
use super::snowflake::is_snowflake;
use super::temp_names::made_up_name;

/// How many times are taken out of one text. Those after them stay, and must be equal.
const MOST_TIMES: usize = 64;

/// Addresses on this machine, whose ports are chosen anew for each run.
static ADDRESS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\b(?:127\.0\.0\.1|localhost):\d{2,5}\b|\[::1\]:\d{2,5}\b").ok());
static DIGITS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\b\d{17,19}\b").ok());

/// A text without what differs from run to run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Steady {
    /// The text, with a mark such as `{id}` in the place of each part that may differ.
    pub text: String,
    /// The times that were in it, in order.
    pub times: Vec<SaidTime>,
}

/// A time in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaidTime {
    /// As it is written.
    pub text: String,
    /// Whether it was the present of the run.
    pub now: bool,
}

/// Takes out of texts what differs from run to run.
#[derive(Debug)]
pub struct Steadier {
    now: Now,
    /// Each form of a folder, whether its slashes are dashes, and its mark; the longest first.
    roots: Vec<(String, bool, &'static str)>,
}

/// The mark of the folder for temporary files.
const TMP: &str = "{tmp}";

/// A part of a text that a mark stands for.
struct Hole {
    place: Range<usize>,
    mark: String,
    time: Option<bool>,
}

impl Steadier {
    /// For texts that were written from the beginning of these surroundings until so many milliseconds later.
    pub fn new(surroundings: &Surroundings, elapsed_ms: u64) -> Self {
        let Surroundings { now_ms, offset_s, roots, .. } = surroundings;
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

    /// A text without what differs from run to run.
    pub fn text(&self, text: &str) -> Steady {
        let mut holes = Vec::new();
        self.folders(text, &mut holes);
        add(&mut holes, places_of_ids(text).map(|place| hole(place, "{id}")));
        let addresses = ADDRESS.iter().flat_map(|pattern| pattern.find_iter(text));
        add(&mut holes, addresses.map(|found| hole(found.range(), "{address}")));
        let digits = DIGITS.iter().flat_map(|pattern| pattern.find_iter(text));
        let made_now = digits.filter(|found| is_snowflake(found.as_str(), &self.now));
        add(&mut holes, made_now.map(|found| hole(found.range(), "{id}")));
        let times = self.times(text, &holes);
        add(&mut holes, times);
        rendered(text, holes)
    }

    fn folders(&self, text: &str, holes: &mut Vec<Hole>) {
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

    fn times(&self, text: &str, holes: &[Hole]) -> Vec<Hole> {
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
            found.push(Hole { place: at..at + length, mark, time: Some(now) });
            at += length;
        }
        found
    }
}

fn hole(place: Range<usize>, mark: &str) -> Hole {
    Hole { place, mark: mark.to_owned(), time: None }
}

/// Adds holes where none are yet; all are in order.
fn add(holes: &mut Vec<Hole>, more: impl IntoIterator<Item = Hole>) {
    let before = holes.len();
    for hole in more {
        let apart = |other: &Hole| other.place.end <= hole.place.start || hole.place.end <= other.place.start;
        if holes[..before].iter().all(apart) {
            holes.push(hole);
        }
    }
    holes.sort_by_key(|hole| hole.place.start);
}

/// How a time is written: times of one shape differ in letters and digits only.
fn shape(time: &str) -> String {
    let mut shape = String::new();
    for letter in time.chars() {
        let kind = match letter {
            _ if letter.is_ascii_digit() => '9',
            _ if letter.is_ascii_alphabetic() => 'A',
            other => other,
        };
        if !(kind.is_ascii_alphanumeric() && shape.ends_with(kind)) {
            shape.push(kind);
        }
    }
    shape
}

fn rendered(text: &str, holes: Vec<Hole>) -> Steady {
    let mut steady = Steady { text: String::with_capacity(text.len()), times: Vec::new() };
    let mut done = 0;
    for Hole { place, mark, time } in holes {
        if place.start < done {
            continue;
        }
        steady.text.push_str(&text[done..place.start]);
        steady.text.push_str(&mark);
        steady.times.extend(time.map(|now| SaidTime { text: text[place.clone()].to_owned(), now }));
        done = place.end;
    }
    steady.text.push_str(&text[done..]);
    steady
}
