//! The conditions of rules, compiled.

use agentci_plan::{ModelCondition, ModelRule, WantedOffer, WantedWords};
use regex::Regex;

use super::{index::IndexError, parsed_request::ParsedRequest};

/// The conditions of all rules, by rule number.
#[derive(Debug)]
pub(super) struct Conditions {
    by_rule: Vec<RuleCondition>,
    /// The rules that have `nth`.
    pub(super) counted: Vec<usize>,
    pub(super) looks_closer: bool,
}

impl Conditions {
    pub(super) fn new(rules: &[ModelRule]) -> Result<Self, IndexError> {
        let by_rule = rules.iter().map(|rule| RuleCondition::new(&rule.when)).collect::<Result<_, _>>()?;
        let counted = rules.iter().enumerate().filter(|(_, rule)| rule.when.nth.is_some()).map(|(number, _)| number);
        let looks_closer = rules.iter().any(|rule| rule.when.looks_closer());
        Ok(Self { by_rule, counted: counted.collect(), looks_closer })
    }

    /// Whether a request meets the conditions of a rule, other than `nth`.
    pub(super) fn fit(&self, rule: usize, parsed: &ParsedRequest) -> bool {
        self.by_rule[rule].fits(parsed)
    }

    /// The rules with `nth` that count this request.
    pub(super) fn counting<'c>(&'c self, parsed: &'c ParsedRequest) -> impl Iterator<Item = usize> + 'c {
        self.counted.iter().copied().filter(|rule| self.fit(*rule, parsed))
    }
}

/// The conditions of one rule, other than `nth`.
#[derive(Debug)]
pub(super) struct RuleCondition {
    when: ModelCondition,
    system: Option<RequiredWords>,
    user: Option<RequiredWords>,
    messages: Option<RequiredWords>,
}

impl RuleCondition {
    pub(super) fn new(when: &ModelCondition) -> Result<Self, IndexError> {
        let words = |wanted: &Option<WantedWords>| wanted.as_ref().map(RequiredWords::new).transpose();
        Ok(Self {
            system: words(&when.system)?,
            user: words(&when.user)?,
            messages: words(&when.messages)?,
            when: when.clone(),
        })
    }

    pub(super) fn fits(&self, parsed: &ParsedRequest) -> bool {
        self.when.model.as_ref().is_none_or(|model| parsed.model.as_ref() == Some(model))
            && self.when.turn.is_none_or(|turn| turn == parsed.turn())
            && self.when.tool_result.is_none_or(|wanted| wanted != parsed.results.is_empty())
            && self.user.as_ref().is_none_or(|wanted| wanted.are_in(&parsed.user))
            && self.when.tools.as_ref().is_none_or(|wanted| is_offered(wanted, parsed))
            && self.system.as_ref().is_none_or(|wanted| wanted.are_in(&parsed.spoken.system))
            && self.messages.as_ref().is_none_or(|wanted| parsed.spoken.messages.iter().any(|text| wanted.are_in(text)))
    }
}

/// A string or pattern that a text must contain.
#[derive(Debug)]
pub(super) enum RequiredWords {
    Contained(String),
    Matched(Regex),
}

impl RequiredWords {
    pub(super) fn new(wanted: &WantedWords) -> Result<Self, IndexError> {
        Ok(match wanted {
            WantedWords::Contains(text) => Self::Contained(text.clone()),
            WantedWords::Matches(pattern) => {
                Self::Matched(Regex::new(&pattern.value).map_err(|error| IndexError::new(&error))?)
            }
        })
    }

    pub(super) fn are_in(&self, text: &str) -> bool {
        match self {
            Self::Contained(wanted) => text.contains(wanted.as_str()),
            Self::Matched(pattern) => pattern.is_match(text),
        }
    }
}

/// Whether a request offers these tools.
pub(super) fn is_offered(wanted: &WantedOffer, parsed: &ParsedRequest) -> bool {
    let offered = &parsed.spoken.tools;
    wanted.names.iter().all(|name| offered.contains(name))
        && (!wanted.exactly || offered.iter().all(|name| wanted.names.contains(name)))
}
