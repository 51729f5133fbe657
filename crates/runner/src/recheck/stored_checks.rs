//! The results of checks in a stored attempt, and what of them a recheck may use.

use std::cell::RefCell;

use agentci_checks::{EvidenceQuestion, ReadyCheck};
use agentci_trace::PLACEHOLDER;
use agentci_verdict::{Body, CheckEnd, CheckStatus, Finding};
use serde_json::{Value, json};

use super::obstacle::Obstacle;
use crate::evidence::{BUILTIN, differing};
use crate::{job::CaseJob, secrets::Secrets};

/// The checks of a stored attempt.
pub(crate) struct StoredChecks {
    /// When the attempt ended, in Unix milliseconds.
    pub(crate) ended_at: u64,
    /// The embedder of the stored run, if it is known.
    pub(super) embedder: Option<String>,
    /// Whether the trace contains redacted values.
    pub(super) is_redacted: bool,
    pub(super) checks: Vec<CheckEnd>,
    /// The findings of these checks.
    pub(super) findings: Vec<Finding>,
    /// The checks whose results were kept, by position; a shared reference is enough to keep one.
    pub(super) kept: RefCell<Vec<(usize, Obstacle)>>,
    /// The results that were emitted instead.
    pub(super) emitted: RefCell<Vec<CheckEnd>>,
}

/// The stored result of a check that could not be evaluated again.
pub(crate) struct KeptCheck {
    pub(crate) check: CheckEnd,
    /// The stored finding, if it failed.
    pub(crate) finding: Option<Box<Finding>>,
}

impl StoredChecks {
    /// The stored answer to the question of a check; `None` if the question can be answered again. Fails if the check
    /// cannot be evaluated.
    pub(crate) fn evidence(
        &self,
        job: &CaseJob<'_>,
        ready: &ReadyCheck,
        (question, identity): (Option<&EvidenceQuestion>, Option<&str>),
    ) -> Result<Option<Value>, Obstacle> {
        if ready.waits_for_variables() {
            return Err(Obstacle::Variables);
        }
        if self.is_redacted {
            return Err(Obstacle::Redacted);
        }
        match question {
            None
            | Some(EvidenceQuestion::Script { .. } | EvidenceQuestion::Bounded(_) | EvidenceQuestion::Numbers { .. }) => {
                Ok(None)
            }
            Some(EvidenceQuestion::Similarity { expected, said, contradictions }) => {
                self.similarity(job, (expected, said, *contradictions), identity)
            }
            Some(EvidenceQuestion::Agent { .. }) => {
                let answer = self.answer(identity).filter(|answer| !is_redacted(answer));
                answer.cloned().map(Some).ok_or(Obstacle::Judge)
            }
        }
    }

    /// The stored similarity, unless it can be measured again without a remote service.
    fn similarity(
        &self,
        job: &CaseJob<'_>,
        (expected, said, contradictions): (&str, &str, bool),
        identity: Option<&str>,
    ) -> Result<Option<Value>, Obstacle> {
        let chosen = crate::evidence::chosen_embedder(job.run.suite, job.run.options);
        if self.embedder.is_none() || chosen != self.embedder {
            return Err(Obstacle::OtherEmbedder);
        }
        if chosen.as_deref() == Some(BUILTIN) {
            return Ok(None);
        }
        let answer = self.answer(identity).ok_or(Obstacle::Embedder)?;
        let (similarity, embedder) = (&answer["similarity"], &answer["embedder"]);
        let facts = differing(expected, said, contradictions);
        Ok(Some(json!({ "similarity": similarity, "embedder": embedder, "facts": facts })))
    }

    /// Records a result that is emitted.
    pub(crate) fn saw(&self, body: &Body) {
        if let Body::Check(check) = body {
            self.emitted.borrow_mut().push(check.clone());
        }
    }

    /// The stored evidence for a question.
    fn answer(&self, identity: Option<&str>) -> Option<&Value> {
        let of_question = |check: &&CheckEnd| check.question.is_some() && check.question.as_deref() == identity;
        self.checks.iter().find(of_question)?.evidence.as_deref()
    }

    /// The stored result of a check that cannot be evaluated, if the check is unchanged.
    pub(crate) fn keep(&self, obstacle: Obstacle, turn: Option<u32>, definition: Option<&str>) -> Option<KeptCheck> {
        let definition = definition.filter(|_| obstacle.keeps_result())?;
        let mut kept = self.kept.borrow_mut();
        let same = |position: &usize| {
            let check = &self.checks[*position];
            check.turn == turn
                && check.definition.as_deref() == Some(definition)
                && check.status != CheckStatus::NotEvaluated
                && kept.iter().all(|(other, _)| other != position)
        };
        let position = (0..self.checks.len()).find(same)?;
        kept.push((position, obstacle));
        let check = self.checks[position].clone();
        let finding = self.findings.iter().find(|finding| is_of(finding, &check)).cloned().map(Box::new);
        // Without its finding a failure would count as a pass.
        (check.status == CheckStatus::Passed || finding.is_some()).then_some(KeptCheck { check, finding })
    }
}

pub(super) fn is_of(finding: &Finding, check: &CheckEnd) -> bool {
    let message = check.message.as_deref().unwrap_or_default();
    let same_message = match check.status {
        CheckStatus::Passed => false,
        CheckStatus::Failed | CheckStatus::Error => finding.message == message,
        CheckStatus::NotEvaluated => finding.message.ends_with(message),
    };
    same_message && finding.name == check.name && finding.turn == check.turn
}

/// Identifies a question whose answer a recheck takes from the stored run, computed without secrets; `None` for
/// questions that can be answered again.
pub(crate) fn stored_question(question: &EvidenceQuestion, secrets: &Secrets) -> Option<String> {
    let question = match question {
        EvidenceQuestion::Similarity { expected, said, .. } => json!(["similarity", expected, said]),
        EvidenceQuestion::Agent { agent, message } => json!(["agent", agent, message]),
        EvidenceQuestion::Script { .. } | EvidenceQuestion::Bounded(_) | EvidenceQuestion::Numbers { .. } => {
            return None;
        }
    };
    Some(secrets.fingerprint(&question).0)
}

/// Whether a value contains the placeholder for a secret. The recursion is safe, since parsed values have limited
/// depth.
pub(super) fn is_redacted(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains(PLACEHOLDER),
        Value::Array(items) => items.iter().any(is_redacted),
        Value::Object(map) => map.iter().any(|(key, value)| key.contains(PLACEHOLDER) || is_redacted(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}
