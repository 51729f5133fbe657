//! Finds the recorded exchange that answers a request.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::Value;

use super::clock::Now;
use super::compare::{ComparisonStop, RequestComparison, compare};
use super::conversation::{MatchedConversations, message_prints};
use super::fingerprints::RequestPrint;
use super::folders::RootPairs;
use super::index::ExchangeIndex;
use super::miss::{Miss, MissCandidate, miss};
use super::options::{Answered, Circumstances, Holes, MatchRules, ReplayTally};
use super::pairing::Pairing;
use super::place::split;
use super::reply::{id_of, may_repeat};
use super::request_view::RequestView;
use super::temp_names::TempNames;
use super::text::HoleContext;
use crate::{LearnedHole, RecordedBody, RecordedRequest, Recording, is_chatter};

/// Answers requests from a recording.
#[derive(Debug)]
pub struct Matcher {
    recording: Arc<Recording>,
    here: Circumstances,
    rules: MatchRules,
    index: ExchangeIndex,
    roots: RootPairs,
    temp_names: TempNames,
    pairing: Pairing,
    conversations: MatchedConversations,
    /// Which exchanges have been used as answers.
    used: Vec<bool>,
    tally: ReplayTally,
    /// The number of requests so far, without chatter.
    asked: usize,
}

/// How many exchanges of a place are compared to find the nearest.
const MOST_COMPARED: usize = 64;
/// An unused exchange is reported as the nearest if it has at most this many times the differences of a used one.
const ALMOST: usize = 3;

impl Matcher {
    /// Creates a matcher for one session.
    pub fn new(recording: Arc<Recording>, here: Circumstances, rules: MatchRules) -> Self {
        let roots = RootPairs::new(&recording.header.roots, &here.roots);
        Self {
            index: ExchangeIndex::of(&recording, &rules, &roots),
            roots,
            temp_names: TempNames::new(&recording.header.roots, &here.roots),
            pairing: Pairing::of(&recording, &rules.given),
            conversations: MatchedConversations::default(),
            used: vec![false; recording.exchanges.len()],
            tally: ReplayTally::default(),
            asked: 0,
            recording,
            here,
            rules,
        }
    }

    /// Answers a request. Its secrets must be removed, as in the recording.
    pub fn answer(&mut self, request: &RecordedRequest) -> Answered {
        if let Some(answered) = self.answer_recorded(request) {
            return answered;
        }
        let recording = Arc::clone(&self.recording);
        let view = self.unanswered(request, &recording.holes);
        let place = self.index.having(RequestPrint::place(&view));
        let is_chatter_place = !place.is_empty() && place.iter().all(|position| recording.exchanges[*position].chatter);
        if is_chatter_place || is_chatter(request) {
            self.tally.chatter += 1;
            let last = place.last().copied();
            return last.map_or(Answered::Chatter, |last| self.answered(last, request, Holes::default(), true));
        }
        Answered::Miss(Box::new(self.missed(request)))
    }

    /// Looks up the answer to a request without using it: unless it is a miss, the state does not change.
    pub(crate) fn look_up(&mut self, request: &RecordedRequest) -> Answered {
        let (used, tally, asked) = (self.used.clone(), self.tally.clone(), self.asked);
        let (pairing, conversations) = (self.pairing.clone(), self.conversations.clone());
        let answered = self.answer(request);
        if !matches!(answered, Answered::Miss(_)) {
            (self.used, self.tally, self.asked) = (used, tally, asked);
            (self.pairing, self.conversations) = (pairing, conversations);
        }
        answered
    }

    /// The recorded answer to a request, if there is one. Otherwise nothing is counted: it may be answered elsewhere.
    pub(crate) fn answer_recorded(&mut self, request: &RecordedRequest) -> Option<Answered> {
        if let Some(answered) = self.answer_equal(request) {
            return Some(answered);
        }
        let recording = Arc::clone(&self.recording);
        let messages = message_prints(request);
        let before = self.conversations.before(&messages);
        let view = RequestView::of(request, &self.rules, &recording.holes);
        let found = self.find(request, &view, before).or_else(|| {
            let path = self.roots.masked(split(&request.path).0, |pair| &pair.here)?;
            self.find(request, &view.at(path), before)
        });
        let (position, comparison) = found?;
        Some(self.found(position, comparison, request, &messages))
    }

    /// The recorded answer to an equal request, without any holes. It is not counted.
    pub(crate) fn answer_exact(&mut self, request: &RecordedRequest) -> Option<Answered> {
        let tally = self.tally.clone();
        let answered = self.found_exact(request);
        self.tally = tally;
        answered
    }

    fn found_exact(&mut self, request: &RecordedRequest) -> Option<Answered> {
        if let Some(answered) = self.answer_equal(request) {
            return Some(answered);
        }
        let recording = Arc::clone(&self.recording);
        let view = RequestView::of(request, &self.rules, &recording.holes);
        let exact = |position: &usize| self.compared(*position, &view).filter(|(_, found)| found.holes.is_empty());
        let equal = self.index.having(RequestPrint::exact(&view));
        let unused = equal.iter().filter(|position| !self.used[**position]);
        let again = equal.iter().rev().filter(|_| may_repeat(request));
        let (position, comparison) = unused.chain(again).find_map(exact)?;
        Some(self.found(position, comparison, request, &message_prints(request)))
    }

    /// Whether a request equals a recorded one except for holes. If so, its ids are paired with the recorded ones from
    /// now on.
    pub(crate) fn fits(&mut self, id: u64, request: &RecordedRequest) -> bool {
        let recording = Arc::clone(&self.recording);
        let Some(position) = recording.exchanges.iter().position(|exchange| exchange.id == id) else { return false };
        let view = RequestView::of(request, &self.rules, &recording.holes);
        let found = self.compared(position, &view);
        found.is_some_and(|(_, comparison)| {
            self.pairing.keep(comparison.tentative);
            true
        })
    }

    /// Counts a request without a recorded answer, and finds the nearest one.
    pub(crate) fn missed(&mut self, request: &RecordedRequest) -> Miss {
        let recording = Arc::clone(&self.recording);
        let messages = message_prints(request);
        let before = self.conversations.before(&messages);
        let view = self.unanswered(request, &recording.holes);
        self.asked += 1;
        self.tally.misses += 1;
        self.miss(request, &view, before, messages.len())
    }

    /// The view of a request without an answer: at its path with a mark for a folder, if it contains one.
    fn unanswered<'r>(&self, request: &'r RecordedRequest, learned: &[LearnedHole]) -> RequestView<'r> {
        let view = RequestView::of(request, &self.rules, learned);
        match self.roots.masked(split(&request.path).0, |pair| &pair.here) {
            Some(path) => view.at(path),
            None => view,
        }
    }

    /// The answer to a request that is byte for byte equal to a recorded one. It may still contain secrets: those in
    /// the recording are equal too.
    pub(crate) fn answer_equal(&mut self, request: &RecordedRequest) -> Option<Answered> {
        let recording = Arc::clone(&self.recording);
        let is_equal = |position: &usize| are_equal(&recording.exchanges[*position].request, request, &self.rules);
        let equal = self.index.having(RequestPrint::equal(request)).iter().copied();
        let position = equal.filter(|position| !self.used[*position]).find(is_equal)?;
        let (_, comparison) = self.compared(position, &RequestView::of(request, &self.rules, &recording.holes))?;
        Some(self.found(position, comparison, request, &message_prints(request)))
    }

    /// The result so far.
    pub fn tally(&self) -> ReplayTally {
        let exchanges = self.recording.exchanges.iter().zip(&self.used);
        let unused = exchanges.filter(|(exchange, used)| !**used && !exchange.chatter).map(|(exchange, _)| exchange.id);
        ReplayTally { unused: unused.collect(), ..self.tally.clone() }
    }

    /// Marks a request as answered by this exchange.
    fn found(
        &mut self,
        position: usize,
        comparison: RequestComparison,
        request: &RecordedRequest,
        messages: &[u64],
    ) -> Answered {
        let exchange = &self.recording.exchanges[position];
        let (id, chatter) = (exchange.id, exchange.chatter || is_chatter(request));
        self.conversations.answered(messages, id);
        if chatter {
            self.tally.chatter += 1;
        } else {
            self.asked += 1;
            self.tally.tell_renamed(id, comparison.tentative.renamed(), &comparison.renamed);
        }
        self.pairing.keep(comparison.tentative);
        self.answered(position, request, comparison.holes, chatter)
    }

    fn answered(&mut self, position: usize, request: &RecordedRequest, holes: Holes, chatter: bool) -> Answered {
        self.used[position] = true;
        if !chatter {
            self.tally.holes.add(holes);
            let kind = if holes.is_empty() { &mut self.tally.exact } else { &mut self.tally.with_holes };
            *kind += 1;
        }
        let exchange = &self.recording.exchanges[position];
        let sent: Option<&Value> = id_of(request);
        let reply_id = sent.filter(|sent| id_of(&exchange.request).is_some_and(|recorded| recorded != *sent)).cloned();
        Answered::Recorded { id: exchange.id, holes, reply_id }
    }

    /// Finds the exchange that answers a request: an unused equal one, one that differs only in holes, or one that may
    /// be repeated.
    fn find(
        &self,
        request: &RecordedRequest,
        view: &RequestView<'_>,
        before: Option<u64>,
    ) -> Option<(usize, RequestComparison)> {
        let equal = self.index.having(RequestPrint::exact(view));
        let unused = |position: &&usize| !self.used[**position];
        let exact = |position: &usize| self.compared(*position, view).filter(|(_, found)| found.holes.is_empty());
        if let Some(found) = equal.iter().filter(unused).find_map(exact) {
            return Some(found);
        }
        let alike = self.index.having(RequestPrint::shape(view));
        let continues = |position: &&usize| self.recording.exchanges[**position].after == before;
        for candidates in [self.index.having(RequestPrint::likely(view)), alike] {
            let first = candidates.iter().filter(unused).filter(continues);
            let then = candidates.iter().filter(unused).filter(|position| !continues(position));
            if let Some(found) = first.chain(then).find_map(|position| self.compared(*position, view)) {
                return Some(found);
            }
        }
        let again = equal.iter().rev().chain(alike.iter().rev()).filter(|_| may_repeat(request));
        again.copied().find_map(|position| self.compared(position, view))
    }

    /// Compares an exchange. `None` if it has differences other than holes.
    fn compared(&self, position: usize, view: &RequestView<'_>) -> Option<(usize, RequestComparison)> {
        let comparison = self.compare(position, view, ComparisonStop::Difference);
        (comparison.different == 0).then_some((position, comparison))
    }

    fn compare(&self, position: usize, view: &RequestView<'_>, until: ComparisonStop) -> RequestComparison {
        let request = &self.recording.exchanges[position].request;
        let header = &self.recording.header;
        let recorded = RequestView::of(request, &self.rules, &self.recording.holes);
        let then = Now::new(header.now_ms, request.at_us, header.offset_s);
        let now = Now::new(self.here.now_ms, view.at_us, self.here.offset_s);
        let (pairing, roots, temp_names) = (&self.pairing, &self.roots, &self.temp_names);
        let world = HoleContext { pairing, roots, temp_names, now: (then, now) };
        compare(&recorded, view, &world, until)
    }

    fn miss(&self, request: &RecordedRequest, view: &RequestView<'_>, before: Option<u64>, messages: usize) -> Miss {
        let mut positions: Vec<usize> = self.index.having(RequestPrint::place(view)).to_vec();
        let alike: HashSet<usize> = self.index.having(RequestPrint::shape(view)).iter().copied().collect();
        positions.sort_by_cached_key(|position| {
            let same_conversation = self.recording.exchanges[*position].after == before;
            (!same_conversation, self.used[*position], !alike.contains(position))
        });
        positions.truncate(MOST_COMPARED);
        let candidates = positions.into_iter().map(|position| {
            let exchange = &self.recording.exchanges[position];
            let comparison = self.compare(position, view, ComparisonStop::End);
            MissCandidate { exchange, comparison, used: self.used[position], continues: exchange.after == before }
        });
        let nearest = nearest(candidates.collect(), messages);
        miss(self.asked, request, nearest, &self.recording)
    }
}

/// Whether two requests are equal in everything that is compared. A body that was not recorded equals nothing.
fn are_equal(recorded: &RecordedRequest, sent: &RecordedRequest, rules: &MatchRules) -> bool {
    !matches!(sent.body, RecordedBody::TooLarge { .. })
        && recorded.method == sent.method
        && recorded.origin == sent.origin
        && recorded.path == sent.path
        && recorded.speaks == sent.speaks
        && recorded.body == sent.body
        && rules.headers.iter().all(|name| header(recorded, name).eq(header(sent, name)))
}

/// The values of a header, in order.
fn header<'r>(request: &'r RecordedRequest, name: &'r str) -> impl Iterator<Item = &'r str> {
    let named = request.headers.iter().filter(move |(given, _)| given.eq_ignore_ascii_case(name));
    named.map(|(_, value)| value.as_str())
}

/// The most likely candidate: the one with the fewest differences; on a tie an unused one, then one at the same depth
/// of its conversation. A used one is unlikely if another one is almost as near: a history that was shortened or
/// reordered may have more in common with an earlier, shorter request.
fn nearest(candidates: Vec<MissCandidate<'_>>, messages: usize) -> Option<MissCandidate<'_>> {
    let apart = |candidate: &MissCandidate<'_>| message_prints(&candidate.exchange.request).len().abs_diff(messages);
    let key = |candidate: &MissCandidate<'_>| (candidate.comparison.different, candidate.used, apart(candidate));
    let (used, unused): (Vec<_>, Vec<_>) = candidates.into_iter().partition(|candidate| candidate.used);
    let (used, unused) = (used.into_iter().min_by_key(key), unused.into_iter().min_by_key(key));
    match (used, unused) {
        (Some(used), Some(unused)) => {
            let (of_used, of_unused) = (used.comparison.different, unused.comparison.different);
            Some(if of_unused <= of_used * ALMOST { unused } else { used })
        }
        (used, unused) => used.or(unused),
    }
}
