//! A scripted model without a server, for code in this process: the same rules, no socket.

use std::sync::Arc;
use std::time::Duration;

use agentci_plan::ModelScript;
use agentci_protocols::chat::{AnswerCall, AnswerUsage, ModelAnswer, ModelReply, PacedAnswer, ScriptedModel};

use super::answer::{SpokenAnswer, WantedCall};
use super::index::{IndexError, RuleIndex};
use super::rule_engine::{AnswerFault, Decision, RuleEngine};
use super::{journal::JournalEntry, openai, refusal::ModelRefusal, tokens};

/// A script with indexed rules, which many models can share.
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
pub struct InProcessModel(RuleEngine);

impl InProcessModel {
    /// A model that has answered nothing yet. `seed` is for random choices, unless the script has its own.
    pub fn new(index: &ScriptIndex, seed: u64) -> Self {
        let seed = index.script.seed.unwrap_or(seed);
        Self(RuleEngine::new(index.clone(), Some(seed), None))
    }

    fn decide(&self, request: &str) -> Result<Decision, ModelRefusal> {
        let body = serde_json::from_str(request).map_err(|error| ModelRefusal::new(400, error.to_string()))?;
        let mut asked = openai::chat::read(&body)?;
        self.0.look_closer(&mut asked, request.as_bytes());
        let mut entry = JournalEntry { number: self.0.begin(), ..JournalEntry::default() };
        Ok(self.0.decide(&asked, request.len(), &mut entry).0)
    }
}

impl ScriptedModel for InProcessModel {
    fn ask(&self, request: &str) -> ModelReply {
        match self.decide(request).unwrap_or_else(|refusal| Decision::Refuse(refusal, Duration::ZERO)) {
            Decision::Say(answer, None) => ModelReply::Said(Box::new(paced(answer))),
            Decision::Say(_, Some(AnswerFault::Malformed)) => ModelReply::Malformed,
            Decision::Say(_, Some(AnswerFault::Cut)) => ModelReply::Cut,
            Decision::Say(_, Some(AnswerFault::Hang)) => ModelReply::Hang,
            Decision::Refuse(ModelRefusal { status, message, retry_after, .. }, after) => {
                ModelReply::Refused { status, message, retry_after, after }
            }
        }
    }
}

fn paced(answer: SpokenAnswer) -> PacedAnswer {
    let pace = answer.pace;
    let finish = Some(answer.finish_reason().to_owned());
    // One piece, or one per token if it is paced.
    let pieces: Vec<&str> = match &answer.text {
        None => Vec::new(),
        Some(text) if pace.is_immediate() => vec![text],
        Some(text) => tokens::tokens(text).collect(),
    };
    let pieces = (1..).zip(pieces).map(|(token, piece)| (pace.due(token), piece.to_owned())).collect();
    let [input, output] = [answer.input_tokens, answer.output_tokens].map(|tokens| Some(tokens.into()));
    let calls = answer.calls.into_iter();
    let answer = ModelAnswer {
        model: Some(answer.model),
        calls: calls.map(|WantedCall { id, name, json, .. }| AnswerCall { id, name, arguments: json }).collect(),
        usage: Some(AnswerUsage { input, output, ..AnswerUsage::default() }),
        finish,
        text: answer.text.unwrap_or_default(),
        complete: true,
        ..ModelAnswer::default()
    };
    PacedAnswer { answer, latency: pace.latency, pieces }
}

#[cfg(test)]
mod tests {
    use agentci_plan::{AnswerPace, Finish, ModelCondition, ModelFailure, ModelFailureKind, ModelRule, WantedWords};
    use agentci_source::{Sources, Span};

    use super::*;

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

    /// The text of an answer, the status of a refusal, or another reply.
    fn said(model: &InProcessModel, user: &str) -> Result<String, Result<u16, ModelReply>> {
        let request = serde_json::json!({"model": "m", "messages": [{"role": "user", "content": user}]}).to_string();
        match model.ask(&request) {
            ModelReply::Said(paced) => Ok(paced.pieces.into_iter().map(|(_, piece)| piece).collect()),
            ModelReply::Refused { status, .. } => Err(Ok(status)),
            other => Err(Err(other)),
        }
    }

    #[test]
    fn models_sharing_a_script_have_separate_state() {
        let script = ModelScript { rules: vec![rule("hi", &["one", "two"])], ..ModelScript::default() };
        let index = ScriptIndex::new(Arc::new(script)).unwrap();
        let (mine, yours) = (InProcessModel::new(&index, 0), InProcessModel::new(&index, 0));
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
        let model = |rule| {
            let script = Arc::new(ModelScript { rules: vec![rule], ..ModelScript::default() });
            InProcessModel::new(&ScriptIndex::new(script).unwrap(), 0)
        };
        assert_eq!(said(&model(failing(ModelFailureKind::Hang, None)), "x"), Err(Err(ModelReply::Hang)));
        assert_eq!(said(&model(failing(ModelFailureKind::Cut, None)), "x"), Err(Err(ModelReply::Cut)));
        assert_eq!(said(&model(failing(ModelFailureKind::Malformed, None)), "x"), Err(Err(ModelReply::Malformed)));
        let busy = ModelFailureKind::Status { status: 429, retry_after: None, message: None };
        let model = model(failing(busy, Some(1)));
        assert_eq!(said(&model, "x"), Err(Ok(429)));
        assert_eq!(said(&model, "x"), Ok("late but well".into()));
    }
}
