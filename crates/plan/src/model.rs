//! A scripted model: what it answers to which request, how fast, and what goes wrong on purpose.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::Missed;
use agentci_source::{Diagnostics, Span, Spanned};

/// The scripted model that a case's agent meets.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelWorld {
    /// The file of the script.
    pub path: PathBuf,
    /// Where the suite names it.
    pub span: Span,
    /// What the file says.
    pub script: Arc<ModelScript>,
    /// What the suite says of requests that no rule fits, before the script.
    pub miss: Option<Missed>,
    /// Whether the suite wants what providers refuse to be refused, before the script.
    pub strict: Option<bool>,
}

impl ModelWorld {
    /// A model that is nothing but its script.
    pub fn new(path: PathBuf, span: Span) -> Self {
        Self { path, span, script: Arc::default(), miss: None, strict: None }
    }

    /// What happens when no rule fits a request.
    pub fn missed(&self) -> Missed {
        self.miss.or(self.script.miss).unwrap_or_default()
    }

    /// Whether it refuses what its provider would refuse.
    pub fn is_strict(&self) -> bool {
        self.strict.unwrap_or_else(|| self.script.is_strict())
    }
}

/// What a scripted model does.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelScript {
    /// The name it reports when the request names none.
    pub model: Option<String>,
    /// The only key it accepts; any when absent.
    pub api_key: Option<String>,
    /// What every draw depends on.
    pub seed: Option<u64>,
    /// What it answers, the first that fits.
    pub rules: Vec<ModelRule>,
    /// What it answers when no rule fits, one after the other and round again.
    pub default: Vec<String>,
    /// Whether it refuses what its provider would refuse; it does when absent.
    pub strict: Option<bool>,
    /// What happens when no rule fits a request; the case fails when absent.
    pub miss: Option<Missed>,
    /// Settings that have no effect, for `agentci check`.
    pub warnings: Diagnostics,
}

impl ModelScript {
    /// Whether it refuses what its provider would refuse.
    pub fn is_strict(&self) -> bool {
        self.strict.unwrap_or(true)
    }

    /// Whether anything is left to a draw that the script's own seed does not decide.
    pub fn draws(&self) -> bool {
        let by_chance = |rule: &ModelRule| rule.failure.as_ref().is_some_and(|failure| failure.rate < 1.0);
        self.seed.is_none() && self.rules.iter().any(by_chance)
    }
}

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
    pub pace: Pace,
    /// The tokens it says it used; estimated when absent.
    pub usage: Option<ScriptedUsage>,
    /// Why it says it stopped; by what it answers when absent.
    pub finish: Option<Finish>,
    /// What goes wrong.
    pub failure: Option<ModelFailure>,
    /// Whether it does on purpose what models do not do: calls what was not offered, or leaves the format that was asked for.
    pub misbehaves: bool,
    /// Where the rule stands.
    pub span: Span,
}

impl ModelRule {
    /// Whether it answers every request that it fits. Without an answer of its own, a failure that is over or left to chance lets
    /// the next rule answer.
    pub fn always_answers(&self) -> bool {
        let always_fails = |failure: &ModelFailure| failure.times.is_none() && failure.rate >= 1.0;
        !self.replies.is_empty() || !self.tool_calls.is_empty() || self.failure.as_ref().is_some_and(always_fails)
    }
}

/// What a request must be like; what is absent holds for any.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelCondition {
    /// The model it names.
    pub model: Option<String>,
    /// The last text of the user.
    pub user: Option<UserText>,
    /// Whether it brings results of tools.
    pub tool_result: Option<bool>,
    /// How many answers the model has given in this conversation, and one more.
    pub turn: Option<u32>,
}

impl ModelCondition {
    /// Whether it is met by every request, as far as that shows without reading a pattern.
    pub fn is_met_by_all(&self) -> bool {
        let Self { model, user, tool_result, turn } = self;
        let any_user = user.as_ref().is_none_or(|user| matches!(user, UserText::Contains(text) if text.is_empty()));
        any_user && model.is_none() && tool_result.is_none() && turn.is_none()
    }
}

/// What is asked of a user's text.
#[derive(Debug, Clone, PartialEq)]
pub enum UserText {
    /// It contains this.
    Contains(String),
    /// It matches this pattern.
    Matches(Spanned<String>),
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
pub struct Pace {
    /// The time until the answer begins.
    pub latency: Duration,
    /// The time from there to the first token.
    pub first_token: Duration,
    /// How many tokens come in a second; all at once when absent.
    pub tokens_per_second: Option<f64>,
}

impl Pace {
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

/// What goes wrong with an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelFailure {
    /// What happens.
    pub kind: ModelFailureKind,
    /// For which share of the requests that fit, by a draw that the seed decides.
    pub rate: f64,
    /// How often at most.
    pub times: Option<u32>,
}

/// How an answer goes wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelFailureKind {
    /// An error in the provider's own shape.
    Status {
        /// The HTTP status.
        status: u16,
        /// When to try again.
        retry_after: Option<Duration>,
        /// Its words.
        message: Option<String>,
    },
    /// An answer that is no JSON.
    Malformed,
    /// An answer that breaks off, and the connection with it.
    Cut,
    /// No answer at all.
    Hang,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_due_by_their_number_and_not_by_the_one_before() {
        let pace = Pace { first_token: Duration::from_millis(50), tokens_per_second: Some(40.0), ..Pace::default() };
        assert_eq!(pace.due(1), Duration::from_millis(50));
        assert_eq!(pace.due(41), Duration::from_millis(1050));
        assert_eq!(Pace::default().due(1000), Duration::ZERO);
    }
}
