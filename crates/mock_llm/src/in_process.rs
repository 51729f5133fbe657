//! A scripted model without a server, for code in this process: the same rules, no socket.

use std::sync::Arc;
use std::time::Duration;

use agentci_plan::ModelScript;

use super::index::{IndexError, RuleIndex};
use super::rule_engine::{Decision, RuleEngine};
use super::{journal::JournalEntry, openai, refusal::ModelRefusal};

/// A script with indexed rules, which many minds can share.
#[derive(Debug, Clone)]
pub struct ScriptIndex {
    pub(super) script: Arc<ModelScript>,
    pub(super) index: Arc<RuleIndex>,
}

impl ScriptIndex {
    /// Indexes the rules of a script.
    pub fn new(script: Arc<ModelScript>) -> Result<Self, IndexError> {
        let index = Arc::new(RuleIndex::new(&script.rules)?);
        Ok(Self { script, index })
    }
}

/// A scripted model with its own state.
#[derive(Debug)]
pub struct ScriptMind(RuleEngine);

impl ScriptMind {
    /// A model that has answered nothing yet. `seed` is for random choices, unless the script has its own.
    pub fn new(index: &ScriptIndex, seed: u64) -> Self {
        let seed = index.script.seed.unwrap_or(seed);
        Self(RuleEngine::new(index.clone(), Some(seed), None))
    }

    /// Decides on a request, which is the JSON body of a Chat Completions request.
    pub fn ask(&self, request: &str) -> Decision {
        self.decide(request).unwrap_or_else(|refusal| Decision::Refuse(refusal, Duration::ZERO))
    }

    fn decide(&self, request: &str) -> Result<Decision, ModelRefusal> {
        let body = serde_json::from_str(request).map_err(|error| ModelRefusal::new(400, error.to_string()))?;
        let mut asked = openai::chat::read(&body)?;
        self.0.look_closer(&mut asked, request.as_bytes());
        let mut entry = JournalEntry { number: self.0.begin(), ..JournalEntry::default() };
        Ok(self.0.decide(&asked, request.len(), &mut entry).0)
    }
}

#[cfg(test)]
mod tests {
    use agentci_plan::{AnswerPace, Finish, ModelCondition, ModelFailure, ModelFailureKind, ModelRule, WantedWords};
    use agentci_source::{Sources, Span};

    use super::*;
    use crate::AnswerFault;

    fn rule(user: &str, replies: &[&str]) -> ModelRule {
        ModelRule {
            when: ModelCondition { user: Some(WantedWords::Contains(user.into())), ..ModelCondition::default() },
            replies: replies.iter().map(|&reply| reply.to_owned()).collect(),
            tool_calls: Vec::new(),
            pace: AnswerPace::default(),
            usage: None,
            finish: None,
            failure: None,
            step: None,
            misbehaves: false,
            span: Span::whole(Sources::default().add(std::path::Path::new("m"), "")),
        }
    }

    /// The text of an answer, the status of a refusal, or the fault of an answer.
    fn said(mind: &ScriptMind, user: &str) -> Result<String, Result<u16, AnswerFault>> {
        let request = serde_json::json!({"model": "m", "messages": [{"role": "user", "content": user}]}).to_string();
        match mind.ask(&request) {
            Decision::Say(answer, None) => Ok(answer.pieces().concat()),
            Decision::Say(_, Some(fault)) => Err(Err(fault)),
            Decision::Refuse(refusal, _) => Err(Ok(refusal.status)),
        }
    }

    #[test]
    fn models_sharing_a_script_have_separate_state() {
        let script = ModelScript { rules: vec![rule("hi", &["one", "two"])], ..ModelScript::default() };
        let index = ScriptIndex::new(Arc::new(script)).unwrap();
        let (mine, yours) = (ScriptMind::new(&index, 0), ScriptMind::new(&index, 0));
        assert_eq!([said(&mine, "hi"), said(&mine, "hi")], [Ok("one".into()), Ok("two".into())]);
        assert_eq!(said(&yours, "hi"), Ok("one".into()));
        assert_eq!(said(&mine, "bye"), Err(Ok(400)));
    }

    #[test]
    fn injects_scripted_failures() {
        let failing = |kind, times| ModelRule {
            failure: Some(ModelFailure { kind, rate: 1.0, times }),
            finish: Some(Finish::Length),
            ..rule("", &["late but well"])
        };
        let mind = |rule| {
            let script = Arc::new(ModelScript { rules: vec![rule], ..ModelScript::default() });
            ScriptMind::new(&ScriptIndex::new(script).unwrap(), 0)
        };
        assert_eq!(said(&mind(failing(ModelFailureKind::Hang, None)), "x"), Err(Err(AnswerFault::Hang)));
        assert_eq!(said(&mind(failing(ModelFailureKind::Cut, None)), "x"), Err(Err(AnswerFault::Cut)));
        assert_eq!(said(&mind(failing(ModelFailureKind::Malformed, None)), "x"), Err(Err(AnswerFault::Malformed)));
        let busy = ModelFailureKind::Status { status: 429, retry_after: None, message: None };
        let mind = mind(failing(busy, Some(1)));
        assert_eq!(said(&mind, "x"), Err(Ok(429)));
        assert_eq!(said(&mind, "x"), Ok("late but well".into()));
    }
}
