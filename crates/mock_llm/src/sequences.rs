//! Conversations with scripted steps: finds the conversation that a request belongs to, and its next step.
//!
//! A conversation is recognised by its content. A request belongs to it if it includes results of the calls in the last
//! answer, if it names that answer or its conversation, if it begins with the messages that this answer replied to, or
//! if the last answer that it repeats is this one. A request that belongs to no conversation starts the first unused
//! steps.

use std::ops::Range;

use agentci_plan::ModelRule;

use super::parsed_request::{ParsedRequest, Standing, words_of};
use super::{answer::SpokenAnswer, conditions::RuleCondition, index::IndexError};

/// The lists of steps in a script, as ranges of rule numbers.
#[derive(Debug)]
pub(super) struct Sequences(Vec<Sequence>);

#[derive(Debug)]
struct Sequence {
    rules: Range<usize>,
    /// The conditions for every request of the conversation.
    asker: RuleCondition,
}

/// The progress of the conversations, by the index of their steps.
#[derive(Debug, Default)]
pub(super) struct SequenceProgress(Vec<Option<OngoingConversation>>);

/// A conversation after an answer.
#[derive(Debug)]
struct OngoingConversation {
    /// The rule of the next step; past the end if there is none.
    next: usize,
    standing: Standing,
    /// The ids of the calls in the last answer.
    calls: Vec<String>,
    /// A digest of the last answer's text, if it has any.
    words: Option<u64>,
    /// The ids of the last answer, and of answers that other rules gave since.
    names: Vec<String>,
    /// The provider's conversation that it is in.
    conversation: Option<String>,
}

/// The steps for a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum StepMatch {
    /// The rules of the remaining steps, the next one first.
    Next(Range<usize>),
    /// The request belongs to a conversation whose steps are used up; this is their first rule.
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

    /// The next steps for a request; `begins` tests whether it meets the conditions of the first step's rule.
    pub(super) fn find(
        &self,
        parsed: &ParsedRequest,
        progress: &SequenceProgress,
        begins: impl Fn(usize) -> bool,
    ) -> StepMatch {
        let ongoing = |at: usize| progress.0.get(at).and_then(Option::as_ref);
        let near = |(at, sequence): (usize, &Sequence)| {
            let nearness = ongoing(at)?.nearness(parsed).filter(|_| sequence.asker.fits(parsed))?;
            Some((nearness, at))
        };
        // Of equally near conversations, the first in the script.
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

    /// Records the answer of a rule. If the rule is a step, its conversation moves to the next step. If another rule
    /// answered in the middle of a conversation, later requests may also continue from that answer.
    pub(super) fn said(
        &self,
        rule: usize,
        parsed: &ParsedRequest,
        answer: &SpokenAnswer,
        progress: &mut SequenceProgress,
    ) {
        let Some(at) = self.0.iter().position(|sequence| sequence.rules.contains(&rule)) else {
            let named = parsed.previous.as_ref().or(parsed.thread.as_ref());
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
            standing: parsed.standing(),
            calls: answer.calls.iter().map(|call| call.id.clone()).collect(),
            words: answer.text.as_deref().filter(|text| !text.is_empty()).map(words_of),
            names: names(answer),
            conversation: parsed.conversation.clone(),
        });
    }
}

impl OngoingConversation {
    /// How likely it is that a request continues this conversation; `None` if it does not.
    fn nearness(&self, parsed: &ParsedRequest) -> Option<(bool, usize)> {
        let certain = Some((true, usize::MAX));
        if let Some(named) = parsed.previous.as_ref().or(parsed.thread.as_ref()) {
            return certain.filter(|_| self.names.contains(named));
        }
        if parsed.conversation.is_some() {
            return certain.filter(|_| self.conversation == parsed.conversation);
        }
        let answers = parsed.results.iter().any(|result| self.calls.contains(&result.call_id));
        let length = parsed.length_from(self.standing);
        let repeats = self.words.is_some() && self.words == parsed.repeats;
        (answers || length.is_some() || repeats).then(|| (answers, length.unwrap_or_default()))
    }
}

/// The ids by which requests can name an answer.
fn names(answer: &SpokenAnswer) -> Vec<String> {
    vec![answer.id("resp_"), answer.id("msg_")]
}
