//! Compares two requests, leaf by leaf.

use agentci_text::pointer;
use agentci_trace::{PLACEHOLDER, fits_recorded, same_value};
use serde_json::{Map, Value};

use super::call_ids::at_call_id;
use super::clock::same_present;
use super::excerpts::{around, both_around, line_of, shown, typed};
use super::options::{Holes, MOST_TOLD};
use super::pairing::TentativePairs;
use super::pattern::{IgnoreReason, RemainingSteps};
use super::request_view::{RequestView, TOO_LARGE};
use super::snowflake::are_snowflakes;
use super::text::{self, HoleContext, opened};

/// How many keys of one object may differ in holes.
const MOST_RENAMED: usize = 256;

/// The result of comparing two requests.
#[derive(Debug, Default)]
pub(super) struct RequestComparison {
    pub(super) holes: Holes,
    pub(super) tentative: TentativePairs,
    pub(super) leaves: usize,
    pub(super) different: usize,
    pub(super) first: Option<RequestDifference>,
    /// Ids that this request replaced: the recorded one, the one sent, and the place.
    pub(super) renamed: Vec<(String, String, String)>,
}

/// A difference that is not a hole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RequestDifference {
    /// A JSON pointer, or another name, such as `path`.
    pub(super) at: String,
    /// The line, in a text of several lines.
    pub(super) line: Option<usize>,
    pub(super) recorded: String,
    pub(super) sent: String,
    pub(super) rank: DifferenceRank,
}

/// Which of several differences is reported first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum DifferenceRank {
    /// Path, query, headers.
    Head,
    System,
    Model,
    Tools,
    Rest,
}

/// When a comparison stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ComparisonStop {
    /// At the first difference that is not a hole.
    Difference,
    End,
}

/// Compares a recorded request with the one that was sent.
pub(super) fn compare(
    recorded: &RequestView<'_>,
    sent: &RequestView<'_>,
    world: &HoleContext<'_>,
    until: ComparisonStop,
) -> RequestComparison {
    let mut walk = CompareWalk { world, until, sent, found: RequestComparison::default(), at: String::new() };
    walk.head(&recorded.head, &sent.head);
    if !walk.over() {
        // A body that was not recorded cannot be compared.
        let is_kept = recorded.kind != TOO_LARGE && sent.kind != TOO_LARGE;
        if is_kept && recorded.kind == sent.kind {
            let patterns = [recorded.patterns.as_slice(), &sent.patterns].concat();
            walk.value(&RemainingSteps::of(&patterns), &recorded.body, &sent.body, 0);
        } else {
            walk.at = "body".into();
            walk.found.leaves += usize::from(!is_kept);
            walk.differ(recorded.kind.into(), sent.kind.into(), None);
        }
    }
    walk.found
}

struct CompareWalk<'w> {
    world: &'w HoleContext<'w>,
    until: ComparisonStop,
    sent: &'w RequestView<'w>,
    found: RequestComparison,
    at: String,
}

impl CompareWalk<'_> {
    fn over(&self) -> bool {
        self.until == ComparisonStop::Difference && self.found.different > 0
    }

    fn head(&mut self, recorded: &[(String, String)], sent: &[(String, String)]) {
        let mut left: Vec<&(String, String)> = sent.iter().collect();
        for (name, value) in recorded {
            self.at.clone_from(name);
            self.found.leaves += 1;
            let given = left.iter().position(|(given, _)| given == name).map(|index| left.remove(index));
            match given {
                None => self.differ(value.clone(), shown(None), None),
                Some((_, given)) if !name.starts_with("header") => self.text(value, given),
                Some((_, given)) if !fits_recorded(value, given) => self.differ(value.clone(), given.clone(), None),
                Some(_) => {}
            }
        }
        for (name, value) in left {
            self.at.clone_from(name);
            self.found.leaves += 1;
            self.differ(shown(None), value.clone(), None);
        }
        self.at.clear();
    }

    fn value(&mut self, below: &RemainingSteps<'_>, recorded: &Value, sent: &Value, depth: usize) {
        if self.over() {
            return;
        }
        if let Some(why) = below.here() {
            self.found.leaves += 1;
            return self.left_out(why, !same_value(recorded, sent));
        }
        match (recorded, sent) {
            (Value::Object(one), Value::Object(other)) if one.keys().eq(other.keys()) => {
                for ((name, item), given) in one.iter().zip(other.values()) {
                    self.step(name, below, (Some(item), Some(given)), depth);
                }
            }
            (Value::Object(one), Value::Object(other)) => {
                let renamed = self.renamed(one, other);
                for (name, item) in one {
                    let new = renamed.iter().find(|(old, _)| *old == name).map_or(name, |(_, new)| new);
                    self.step(name, below, (Some(item), other.get(new)), depth);
                }
                let is_new = |name: &&String| !one.contains_key(*name) && !renamed.iter().any(|(_, new)| new == name);
                for name in other.keys().filter(is_new) {
                    self.step(name, below, (None, other.get(name)), depth);
                }
            }
            (Value::Array(one), Value::Array(other)) => {
                for index in 0..one.len().max(other.len()) {
                    self.step(&index.to_string(), below, (one.get(index), other.get(index)), depth);
                }
            }
            (Value::String(one), Value::String(other)) if at_call_id(&self.at) => {
                self.found.leaves += 1;
                self.call_id(one, other);
            }
            (Value::String(one), Value::String(other)) if one != other => {
                if let (Some(one), Some(other)) = (opened(one, depth), opened(other, depth)) {
                    self.value(below, &one, &other, depth + 1);
                } else {
                    self.found.leaves += 1;
                    self.text(one, other);
                }
            }
            _ => {
                self.found.leaves += 1;
                self.leaf(recorded, sent);
            }
        }
    }

    /// Keys that differ only in holes, such as paths: pairs of keys that only one side has, in their order.
    fn renamed<'v>(
        &mut self,
        one: &'v Map<String, Value>,
        other: &'v Map<String, Value>,
    ) -> Vec<(&'v String, &'v String)> {
        let gone: Vec<&String> = one.keys().filter(|name| !other.contains_key(*name)).collect();
        let new: Vec<&String> = other.keys().filter(|name| !one.contains_key(*name)).collect();
        if gone.len() != new.len() || gone.len() > MOST_RENAMED {
            return Vec::new();
        }
        let found = &mut self.found;
        let mut fits = |(old, new): &(&String, &String)| {
            let mut holes = Holes::default();
            let same = text::compare(old, new, self.world, &mut found.tentative, &mut holes).is_ok();
            found.holes.add(if same { holes } else { Holes::default() });
            same
        };
        gone.into_iter().zip(new).filter(|pair| fits(pair)).collect()
    }

    fn step(&mut self, name: &str, below: &RemainingSteps<'_>, both: (Option<&Value>, Option<&Value>), depth: usize) {
        if self.over() {
            return;
        }
        let length = self.at.len();
        pointer::push(&mut self.at, name);
        let below = below.step(name);
        match (both, below.here()) {
            ((Some(recorded), Some(sent)), _) => self.value(&below, recorded, sent, depth),
            (_, Some(why)) => self.left_out(why, true),
            ((recorded, sent), None) => {
                let leaves = recorded.or(sent).map_or(1, count);
                self.found.leaves += leaves;
                self.differ(shown(recorded), shown(sent), None);
                self.found.different += leaves - 1;
            }
        }
        self.at.truncate(length);
    }

    fn left_out(&mut self, why: IgnoreReason, differs: bool) {
        match why {
            IgnoreReason::Ignored => self.found.holes.ignored += usize::from(differs),
            IgnoreReason::Learned => self.found.holes.learned += usize::from(differs),
            IgnoreReason::Number => {}
        }
    }

    fn leaf(&mut self, recorded: &Value, sent: &Value) {
        match (recorded, sent) {
            (Value::String(one), Value::String(_)) => self.same_text(one),
            (Value::Number(one), Value::Number(other)) if !same_value(recorded, sent) => {
                let known = self.found.tentative.renamed();
                let now = (&self.world.now.0, &self.world.now.1);
                let (one, other) = (one.as_str(), other.as_str());
                if same_present(one, other, now) {
                    self.found.holes.clock += 1;
                } else if are_snowflakes(one, other, now)
                    && self.world.pairing.pair(one, other, &mut self.found.tentative)
                {
                    self.found.holes.ids += 1;
                    self.tell_renamed(known);
                } else {
                    self.differ(shown(Some(recorded)), shown(Some(sent)), None);
                }
            }
            _ if same_value(recorded, sent) => {}
            _ => self.differ(typed(recorded, sent), typed(sent, recorded), None),
        }
    }

    fn call_id(&mut self, recorded: &str, sent: &str) {
        let known = self.found.tentative.renamed();
        if self.world.pairing.pair_call(recorded, sent, &mut self.found.tentative) {
            self.found.holes.ids += usize::from(recorded != sent);
            self.tell_renamed(known);
        } else {
            self.differ(around(recorded, 0), around(sent, 0), None);
        }
    }

    /// A text that is equal on both sides: each of its ids stands for itself, unless it was paired with another before.
    fn same_text(&mut self, text: &str) {
        if !self.world.pairing.pair_same(text, &mut self.found.tentative) {
            self.differ(around(text, 0), around(text, 0), None);
        }
    }

    fn text(&mut self, recorded: &str, sent: &str) {
        let found = &mut self.found;
        if recorded == sent {
            return self.same_text(recorded);
        }
        // The version of a model may look like an id or a date, but another version is another model.
        if self.at == "/model" && !recorded.contains(PLACEHOLDER) {
            return self.differ(shown(Some(&recorded.into())), shown(Some(&sent.into())), None);
        }
        let mut holes = Holes::default();
        let known = found.tentative.renamed();
        match text::compare(recorded, sent, self.world, &mut found.tentative, &mut holes) {
            Ok(()) => {
                found.holes.add(holes);
                self.tell_renamed(known);
            }
            Err((at, at_sent)) => {
                let several = recorded.contains('\n') || sent.contains('\n');
                let line = several.then(|| line_of(recorded, at));
                let (recorded, sent) = both_around((recorded, at), (sent, at_sent));
                self.differ(recorded, sent, line);
            }
        }
    }

    /// Adds the pairs of ids that were made here; `known` is the number of pairs before.
    fn tell_renamed(&mut self, known: usize) {
        let RequestComparison { tentative, renamed, .. } = &mut self.found;
        let new = tentative.pairs_from(known).take(MOST_TOLD.saturating_sub(renamed.len()));
        renamed.extend(new.map(|(recorded, sent)| (recorded.to_owned(), sent.to_owned(), self.at.clone())));
    }

    /// System prompts come before tools, tools before messages: a later difference is often a consequence of an earlier
    /// one.
    fn rank(&self) -> DifferenceRank {
        let leads = |prompt: &String| {
            self.at.strip_prefix(prompt.as_str()).is_some_and(|end| end.is_empty() || end.starts_with('/'))
        };
        match self.at.split('/').nth(1) {
            None => DifferenceRank::Head,
            Some(_) if self.sent.system().iter().any(leads) => DifferenceRank::System,
            Some("model") => DifferenceRank::Model,
            Some("tools") => DifferenceRank::Tools,
            Some(_) => DifferenceRank::Rest,
        }
    }

    fn differ(&mut self, recorded: String, sent: String, line: Option<usize>) {
        self.found.different += 1;
        let rank = self.rank();
        if self.found.first.as_ref().is_none_or(|first| rank < first.rank) {
            self.found.first = Some(RequestDifference { at: self.at.clone(), line, recorded, sent, rank });
        }
    }
}

fn count(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(count).sum::<usize>().max(1),
        Value::Object(map) => map.values().map(count).sum::<usize>().max(1),
        _ => 1,
    }
}
