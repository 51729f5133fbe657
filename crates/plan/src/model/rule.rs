//! A rule of a scripted model: its answer, how fast it comes, and the requests it matches.

use std::time::Duration;

use agentci_source::Span;
use serde_json::Value;

use super::{ModelCondition, ModelFailure};

/// An answer and the conditions of the requests it is for.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelRule {
    /// The conditions of a request.
    pub when: ModelCondition,
    /// Its texts, one per request; the last one repeats.
    pub replies: Vec<String>,
    /// The tools that the model requests.
    pub tool_calls: Vec<ScriptedCall>,
    pub pace: AnswerPace,
    /// The token usage it reports; estimated when absent.
    pub usage: Option<ScriptedUsage>,
    /// The finish reason it reports; derived from the answer when absent.
    pub finish: Option<Finish>,
    /// The failure to inject.
    pub failure: Option<ModelFailure>,
    /// The step of a conversation it belongs to; `None` if it can answer any conversation.
    pub step: Option<SequenceStep>,
    /// Whether it deliberately does what models do not do: it calls tools that were not offered, or ignores the
    /// requested format.
    pub misbehaves: bool,
    /// Where the rule is defined.
    pub span: Span,
}

impl ModelRule {
    /// Whether it has a text or tool calls.
    pub fn has_answer(&self) -> bool {
        !self.replies.is_empty() || !self.tool_calls.is_empty()
    }

    /// Whether it only answers requests that follow an earlier answer, such as those with tool results.
    pub fn goes_on(&self) -> bool {
        let later_step = self.step.is_some_and(|step| !step.is_first());
        later_step || self.when.tool_result == Some(true) || self.when.turn > Some(1)
    }

    /// Whether it answers every request that it matches. If a rule has no answer, and its failure is random or limited
    /// in number, the next rule may answer.
    pub fn always_answers(&self) -> bool {
        let always_fails = |failure: &ModelFailure| failure.times.is_none() && failure.rate >= 1.0;
        self.has_answer() || self.failure.as_ref().is_some_and(always_fails)
    }
}

/// The position of an answer in a sequence of steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SequenceStep {
    /// The index of the sequence in the script, from 0.
    pub of: usize,
    /// The index of the step in the sequence, from 0.
    pub at: usize,
}

impl SequenceStep {
    /// Whether it is the first step of a conversation.
    pub fn is_first(self) -> bool {
        self.at == 0
    }
}

/// A tool call that the model requests.
#[derive(Debug, Clone, PartialEq)]
pub struct ScriptedCall {
    /// The tool.
    pub name: String,
    /// Its arguments, as an object.
    pub args: Value,
}

/// How fast an answer comes.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct AnswerPace {
    /// The time until the answer starts.
    pub latency: Duration,
    /// The time from there to the first token.
    pub first_token: Duration,
    /// Tokens per second; all at once when absent.
    pub tokens_per_second: Option<f64>,
}

impl AnswerPace {
    /// Whether everything comes at once.
    pub fn is_immediate(&self) -> bool {
        *self == Self::default()
    }

    /// The time of a token, counted from the start of the answer; the first token is 1.
    pub fn due(&self, token: u32) -> Duration {
        let Some(rate) = self.tokens_per_second else { return self.first_token };
        let rest = f64::from(token.saturating_sub(1)) / rate;
        self.first_token.saturating_add(Duration::try_from_secs_f64(rest).unwrap_or(Duration::MAX))
    }
}

/// The token usage that an answer reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScriptedUsage {
    /// Tokens of the request.
    pub input: Option<u32>,
    /// Tokens of the answer.
    pub output: Option<u32>,
}

/// Why a model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finish {
    /// It was finished.
    Stop,
    /// It reached the token limit.
    Length,
    /// It requested tools.
    ToolCalls,
    /// Its answer was filtered.
    ContentFilter,
}

impl Finish {
    /// The names in a script.
    pub const NAMES: [(&'static str, Finish); 4] = [
        ("stop", Finish::Stop),
        ("length", Finish::Length),
        ("tool_calls", Finish::ToolCalls),
        ("content_filter", Finish::ContentFilter),
    ];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_due_time_depends_only_on_its_index() {
        let pace = AnswerPace {
            first_token: Duration::from_millis(50),
            tokens_per_second: Some(40.0),
            ..AnswerPace::default()
        };
        assert_eq!(pace.due(1), Duration::from_millis(50));
        assert_eq!(pace.due(41), Duration::from_millis(1050));
        assert_eq!(AnswerPace::default().due(1000), Duration::ZERO);
    }
}
