//! A scripted model without a server, for whoever asks from within this program: the same rules, and no socket.

use std::sync::Arc;
use std::time::Duration;

use agentci_plan::{AnswerPace, ModelScript};

use super::answer::SpokenAnswer;
use super::index::{IndexError, RuleIndex};
use super::journal::JournalEntry;
use super::openai;
use super::refusal::ModelRefusal;
use super::rule_engine::{AnswerFault, Decision, RuleEngine};
use super::tokens::tokens;
use serde_json::Value;

/// A script whose rules are indexed: once for many minds.
#[derive(Debug, Clone)]
pub struct ScriptIndex {
    script: Arc<ModelScript>,
    index: Arc<RuleIndex>,
}

impl ScriptIndex {
    /// Indexes the rules of a script.
    pub fn new(script: Arc<ModelScript>) -> Result<Self, IndexError> {
        let index = Arc::new(RuleIndex::new(&script.rules)?);
        Ok(Self { script, index })
    }
}

/// A scripted model that remembers what it said.
#[derive(Debug)]
pub struct ScriptMind(RuleEngine);

/// What a scripted model does with a request.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelReply {
    /// It answers.
    Said(ModelSpeech),
    /// It answers with an error.
    Refused {
        /// The HTTP status that it would have.
        status: u16,
        /// The words.
        message: String,
        /// When to try again.
        retry_after: Option<Duration>,
        /// How long it takes to say so.
        after: Duration,
    },
    /// It answers with what is no JSON.
    Malformed,
    /// Its answer breaks off.
    Cut,
    /// It never answers.
    Hang,
}

/// What a scripted model says.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelSpeech {
    /// The model that it says it is.
    pub model: String,
    /// Its words: all at once, or token by token where they take their time.
    pub pieces: Vec<String>,
    /// The tools that it wants called.
    pub calls: Vec<ModelCall>,
    /// Why it stops, in OpenAI's words.
    pub finish: &'static str,
    /// The tokens of the request.
    pub tokens_in: u32,
    /// Those of the answer.
    pub tokens_out: u32,
    /// When each piece is due.
    pub pace: AnswerPace,
}

/// A tool that a scripted model wants called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelCall {
    /// Its id.
    pub id: String,
    /// The tool.
    pub name: String,
    /// Its arguments as JSON.
    pub arguments: String,
}

impl ScriptMind {
    /// A model that has said nothing yet; the seed decides every draw that the script leaves open.
    pub fn new(index: &ScriptIndex, seed: u64) -> Self {
        let ScriptIndex { script, index } = index.clone();
        let seed = script.seed.unwrap_or(seed);
        Self(RuleEngine::indexed(script, index, Some(seed), None))
    }

    /// What it does with a request, which is the JSON of OpenAI's Chat Completions.
    pub fn ask(&self, request: &str) -> ModelReply {
        let body: Value = match serde_json::from_str(request) {
            Ok(body) => body,
            Err(error) => return refused(ModelRefusal::new(400, error.to_string()), Duration::ZERO),
        };
        let mut asked = match openai::chat::read(&body) {
            Ok(asked) => asked,
            Err(refusal) => return refused(refusal, Duration::ZERO),
        };
        self.0.look_closer(&mut asked, request.as_bytes());
        let mut entry = JournalEntry { number: self.0.begin(), ..JournalEntry::default() };
        match self.0.decide(&asked, request.len(), &mut entry).0 {
            Decision::Say(answer) => ModelReply::Said(speech(answer)),
            Decision::Refuse(refusal, after) => refused(refusal, after),
            Decision::Miss(refusal, _) => refused(refusal, Duration::ZERO),
            Decision::Spoil(AnswerFault::Malformed, _) => ModelReply::Malformed,
            Decision::Spoil(AnswerFault::Cut, _) => ModelReply::Cut,
            Decision::Spoil(AnswerFault::Hang, _) => ModelReply::Hang,
        }
    }
}

fn refused(refusal: ModelRefusal, after: Duration) -> ModelReply {
    let ModelRefusal { status, message, retry_after, .. } = refusal;
    ModelReply::Refused { status, message, retry_after, after }
}

fn speech(answer: SpokenAnswer) -> ModelSpeech {
    let finish = openai::finish_reason(&answer);
    let calls = answer.calls.into_iter().map(|call| ModelCall { id: call.id, name: call.name, arguments: call.json });
    let pieces = match answer.text {
        None => Vec::new(),
        Some(text) if answer.pace.is_immediate() => vec![text],
        Some(text) => tokens(&text).map(str::to_owned).collect(),
    };
    ModelSpeech {
        model: answer.model,
        pieces,
        calls: calls.collect(),
        finish,
        tokens_in: answer.input_tokens,
        tokens_out: answer.output_tokens,
        pace: answer.pace,
    }
}

#[cfg(test)]
mod tests {
    use agentci_plan::{Finish, ModelCondition, ModelFailure, ModelFailureKind, ModelRule, WantedWords};
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

    fn said(mind: &ScriptMind, user: &str) -> Result<String, Box<ModelReply>> {
        let request = serde_json::json!({"model": "m", "messages": [{"role": "user", "content": user}]}).to_string();
        match mind.ask(&request) {
            ModelReply::Said(speech) => Ok(speech.pieces.concat()),
            other => Err(Box::new(other)),
        }
    }

    #[test]
    fn minds_of_one_script_remember_each_their_own() {
        let script = ModelScript { rules: vec![rule("hi", &["one", "two"])], ..ModelScript::default() };
        let index = ScriptIndex::new(Arc::new(script)).unwrap();
        let (mine, yours) = (ScriptMind::new(&index, 0), ScriptMind::new(&index, 0));
        assert_eq!([said(&mine, "hi"), said(&mine, "hi")], [Ok("one".into()), Ok("two".into())]);
        assert_eq!(said(&yours, "hi"), Ok("one".into()));
        assert!(matches!(*said(&mine, "bye").unwrap_err(), ModelReply::Refused { status: 400, .. }));
    }

    #[test]
    fn what_goes_wrong_on_purpose_does() {
        let failing = |kind, times| ModelRule {
            failure: Some(ModelFailure { kind, rate: 1.0, times }),
            finish: Some(Finish::Length),
            ..rule("", &["late but well"])
        };
        let mind = |rule| {
            let script = Arc::new(ModelScript { rules: vec![rule], ..ModelScript::default() });
            ScriptMind::new(&ScriptIndex::new(script).unwrap(), 0)
        };
        assert_eq!(said(&mind(failing(ModelFailureKind::Hang, None)), "x"), Err(Box::new(ModelReply::Hang)));
        assert_eq!(said(&mind(failing(ModelFailureKind::Cut, None)), "x"), Err(Box::new(ModelReply::Cut)));
        assert_eq!(said(&mind(failing(ModelFailureKind::Malformed, None)), "x"), Err(Box::new(ModelReply::Malformed)));
        let busy = ModelFailureKind::Status { status: 429, retry_after: None, message: None };
        let mind = mind(failing(busy, Some(1)));
        assert!(matches!(*said(&mind, "x").unwrap_err(), ModelReply::Refused { status: 429, .. }));
        assert_eq!(said(&mind, "x"), Ok("late but well".into()));
    }
}
