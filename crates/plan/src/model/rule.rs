//! One answer of a scripted model: what it says, how fast, and to which requests.

use std::time::Duration;

use agentci_source::Span;
use serde_json::Value;

use super::{ModelCondition, ModelFailure};

/// An answer and the requests it is for.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelRule {
    /// The requests it is for.
    pub when: ModelCondition,
    /// Its texts: one after the other, the last repeats.
    pub replies: Vec<String>,
    /// The tools that the model wants called.
    pub tool_calls: Vec<ScriptedCall>,
    /// How fast the answer comes.
    pub pace: AnswerPace,
    /// The tokens it says it used; estimated when absent.
    pub usage: Option<ScriptedUsage>,
    /// Why it says it stopped; by what it answers when absent.
    pub finish: Option<Finish>,
    /// What goes wrong.
    pub failure: Option<ModelFailure>,
    /// Which step of a conversation it is; nothing for an answer that any conversation may get.
    pub step: Option<SequenceStep>,
    /// Whether it does on purpose what models do not do: calls what was not offered, or leaves the format that was asked for.
    pub misbehaves: bool,
    /// Where the rule stands.
    pub span: Span,
}

impl ModelRule {
    /// Whether it says something, or asks for calls.
    pub fn has_answer(&self) -> bool {
        !self.replies.is_empty() || !self.tool_calls.is_empty()
    }

    /// Whether it only answers requests that go on after an answer, as most agents do that were asked to call a tool.
    pub fn goes_on(&self) -> bool {
        let later_step = self.step.is_some_and(|step| !step.is_first());
        later_step || self.when.tool_result == Some(true) || self.when.turn > Some(1)
    }

    /// Whether it answers every request that it fits. Without an answer of its own, a failure that is over or left to chance lets
    /// the next rule answer.
    pub fn always_answers(&self) -> bool {
        let always_fails = |failure: &ModelFailure| failure.times.is_none() && failure.rate >= 1.0;
        self.has_answer() || self.failure.as_ref().is_some_and(always_fails)
    }
}

/// Where an answer stands among the steps of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SequenceStep {
    /// The steps it belongs to: their number among all of the script, from 0.
    pub of: usize,
    /// Its number among them, from 0.
    pub at: usize,
}

impl SequenceStep {
    /// Whether a conversation begins with it.
    pub fn is_first(self) -> bool {
        self.at == 0
    }
}

/// A tool that the model wants called.
#[derive(Debug, Clone, PartialEq)]
pub struct ScriptedCall {
    /// The tool.
    pub name: String,
    /// Its arguments, an object.
    pub args: Value,
}

/// How fast an answer comes.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct AnswerPace {
    /// The time until the answer begins.
    pub latency: Duration,
    /// The time from there to the first token.
    pub first_token: Duration,
    /// How many tokens come in a second; all at once when absent.
    pub tokens_per_second: Option<f64>,
}

impl AnswerPace {
    /// Whether everything comes at once.
    pub fn is_immediate(&self) -> bool {
        *self == Self::default()
    }

    /// When a token is due, counted from the beginning of the answer; the first is 1.
    pub fn due(&self, token: u32) -> Duration {
        let Some(rate) = self.tokens_per_second else { return self.first_token };
        let rest = f64::from(token.saturating_sub(1)) / rate;
        self.first_token.saturating_add(Duration::try_from_secs_f64(rest).unwrap_or(Duration::MAX))
    }
}

/// The tokens that an answer says it used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScriptedUsage {
    /// Those of the request.
    pub input: Option<u32>,
    /// Those of the answer.
    pub output: Option<u32>,
}

/// Why a model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finish {
    /// It had nothing more to say.
    Stop,
    /// It was not allowed to say more.
    Length,
    /// It wants tools called.
    ToolCalls,
    /// It refused.
    ContentFilter,
}

impl Finish {
    /// The names a script uses.
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
    fn tokens_are_due_by_their_number_and_not_by_the_one_before() {
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
