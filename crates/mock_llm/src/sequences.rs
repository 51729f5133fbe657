//! Conversations that go by the steps of the script: which one a request belongs to, and what comes next in it.
//!
//! A conversation is recognised by its content. A request belongs to it when it brings results of the calls that its last answer
//! asked for, when it names that answer or its conversation, when it begins with the messages that this answer was given to, or when
//! the words of this answer are the last that it repeats. What belongs to none begins the first steps that no conversation has begun
//! yet.

use std::ops::Range;

use agentci_plan::ModelRule;

use super::parsed_request::{ParsedRequest, Standing, words_of};
use super::{answer::SpokenAnswer, conditions::RuleCondition, index::IndexError};

/// The steps of a script, each as the numbers of its rules.
#[derive(Debug)]
pub(super) struct Sequences(Vec<Sequence>);

#[derive(Debug)]
struct Sequence {
    rules: Range<usize>,
    /// What every request of its conversation is like.
    asker: RuleCondition,
}

/// How far the conversations have come, by the numbers of their steps.
#[derive(Debug, Default)]
pub(super) struct SequenceProgress(Vec<Option<OngoingConversation>>);

/// A conversation after an answer.
#[derive(Debug)]
struct OngoingConversation {
    /// The rule of the next step; behind the last where it is over.
    next: usize,
    standing: Standing,
    /// The calls that the last answer asked for, by their ids.
    calls: Vec<String>,
    /// The words of the last answer, as a digest; nothing where it has none.
    words: Option<u64>,
    /// What the last answer is called where it can be named, and those that rules gave since.
    names: Vec<String>,
    /// The conversation that the provider keeps it in.
    conversation: Option<String>,
}

/// What the steps have for a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum StepMatch {
    /// The rules of the steps that are left, the next one first.
    Next(Range<usize>),
    /// It belongs to a conversation whose steps are over; they begin with this rule.
    Over(usize),
    Nothing,
}

impl Sequences {
    pub(super) fn new(rules: &[ModelRule]) -> Result<Self, IndexError> {
        let mut found: Vec<Sequence> = Vec::new();
        for (number, rule) in rules.iter().enumerate() {
            let Some(step) = rule.step else { continue };
            match found.last_mut() {
                Some(last) if !step.is_first() && last.rules.end == number => last.rules.end += 1,
                _ => {
                    found.push(Sequence {
                        rules: number..number + 1,
                        asker: RuleCondition::new(&rule.when.of_asker())?,
                    });
                }
            }
        }
        Ok(Self(found))
    }

    /// What comes next for a request; `begins` says whether it is like the first request that a rule wants.
    pub(super) fn find(
        &self,
        asked: &ParsedRequest,
        progress: &SequenceProgress,
        begins: impl Fn(usize) -> bool,
    ) -> StepMatch {
        let ongoing = |at: usize| progress.0.get(at).and_then(Option::as_ref);
        let near = |(at, sequence): (usize, &Sequence)| {
            let nearness = ongoing(at)?.nearness(asked).filter(|_| sequence.asker.fits(asked))?;
            Some((nearness, at))
        };
        // Of conversations that are equally near, the one that stands first in the script.
        let nearest =
            self.0.iter().enumerate().filter_map(near).reduce(|best, next| if next.0 > best.0 { next } else { best });
        if let Some((ongoing, sequence)) = nearest.and_then(|(_, at)| ongoing(at).zip(self.0.get(at))) {
            let rules = ongoing.next..sequence.rules.end;
            return if rules.is_empty() { StepMatch::Over(sequence.rules.start) } else { StepMatch::Next(rules) };
        }
        let unused = self.0.iter().enumerate().filter(|(at, _)| ongoing(*at).is_none());
        let begun = unused.map(|(_, sequence)| &sequence.rules).find(|rules| begins(rules.start));
        begun.map_or(StepMatch::Nothing, |rules| StepMatch::Next(rules.clone()))
    }

    /// A rule answered. If it is one of these steps, its conversation goes on from there; if it answered in the middle of a
    /// conversation, that goes on from there as well.
    pub(super) fn said(
        &self,
        rule: usize,
        asked: &ParsedRequest,
        answer: &SpokenAnswer,
        progress: &mut SequenceProgress,
    ) {
        let Some(at) = self.0.iter().position(|sequence| sequence.rules.contains(&rule)) else {
            let named = asked.previous.as_ref().or(asked.thread.as_ref());
            for ongoing in progress.0.iter_mut().flatten() {
                if named.is_some_and(|named| ongoing.names.contains(named)) {
                    ongoing.names.extend(names(answer));
                }
            }
            return;
        };
        progress.0.resize_with(self.0.len(), || None);
        progress.0[at] = Some(OngoingConversation {
            next: rule + 1,
            standing: asked.standing(),
            calls: answer.calls.iter().map(|call| call.id.clone()).collect(),
            words: answer.text.as_deref().filter(|text| !text.is_empty()).map(words_of),
            names: names(answer),
            conversation: asked.conversation.clone(),
        });
    }
}

impl OngoingConversation {
    /// How certain it is that a request goes on from here; nothing if it does not.
    fn nearness(&self, asked: &ParsedRequest) -> Option<(bool, usize)> {
        let certain = Some((true, usize::MAX));
        if let Some(named) = asked.previous.as_ref().or(asked.thread.as_ref()) {
            return certain.filter(|_| self.names.contains(named));
        }
        if asked.conversation.is_some() {
            return certain.filter(|_| self.conversation == asked.conversation);
        }
        let answers = asked.results.iter().any(|result| self.calls.contains(&result.call_id));
        let length = asked.length_from(self.standing);
        let repeats = self.words.is_some() && self.words == asked.repeats;
        (answers || length.is_some() || repeats).then(|| (answers, length.unwrap_or_default()))
    }
}

/// What an answer is called by requests that go on from it.
fn names(answer: &SpokenAnswer) -> Vec<String> {
    vec![answer.id("resp_"), answer.id("msg_")]
}
