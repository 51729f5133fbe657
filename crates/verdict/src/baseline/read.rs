//! Reads a baseline file.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::case::came_to_its_end;
use super::record::{mode_of, sorted};
use super::summary;
use crate::document::DocumentPlace;
use crate::{Baseline, BaselineCase, CallStep, CaseSample, CaseStatus, History, Measure, PastRun, Prompts};

/// The version of the fields of a baseline file; version 1 is a summary.
pub(crate) const VERSION: u64 = 2;

pub(super) fn document(document: &Value, problems: &mut Vec<String>) -> Option<Baseline> {
    let top = DocumentPlace::top(document);
    let schema_version = top.field("schema_version", problems).count(problems);
    if document.get("runs").is_none() {
        return summary::document(&top, schema_version, problems);
    }
    let suite = top.field("suite", problems);
    let name = suite.field("name", problems).text(problems);
    let steps_rule = suite.optional("tool_steps_rule").and_then(|at| at.count(problems)).unwrap_or(1);
    let runs = top.field("runs", problems).fields(problems);
    let runs: Vec<DocumentPlace<'_>> = runs.iter().flat_map(|list| list.items(problems)).collect();
    let wanted = "the results of a run";
    let run = |at: &DocumentPlace<'_>, problems: &mut Vec<String>| at.take_as::<PastRun>(wanted, problems);
    let history = History::new(runs.iter().filter_map(|at| run(at, problems)).collect::<Vec<_>>());
    let newest = history.newest();
    let cases = top.field("cases", problems).items(problems);
    let cases = cases.iter().filter_map(|at| case(at, &history, problems)).collect();
    Some(Baseline {
        schema_version: schema_version?,
        steps_rule,
        suite: name?.to_owned(),
        mode: newest.map(|run| mode_of(&run.mode)).unwrap_or_default(),
        pass_rate: newest.map(|run| run.pass_rate).unwrap_or_default(),
        wall_ms_mean: newest.and_then(|run| run.wall_ms).map(|wall| wall.mean),
        wall_ms_p95: newest.and_then(|run| run.wall_ms).map(|wall| wall.p95),
        cases: sorted(cases),
        prompts: prompts(&top, problems),
        history,
    })
}

/// The prompts of the cases, if they were recorded.
pub(super) fn prompts(top: &DocumentPlace<'_>, problems: &mut Vec<String>) -> Option<Arc<Prompts>> {
    top.optional("prompts")?.take_as::<Prompts>("the prompts of a run", problems).map(Arc::new)
}

fn case(at: &DocumentPlace<'_>, history: &History, problems: &mut Vec<String>) -> Option<BaselineCase> {
    let case = shared(at, problems)?;
    // The newest run that has the case; a run of a part of the suite leaves cases out.
    let newest = history.runs().iter().rev().find_map(|run| run.cases.get(&case.id)).copied();
    let sample = newest.unwrap_or_default();
    let total = history.total(&case.id);
    Some(BaselineCase { wall_ms: sample.wall_ms.unwrap_or_default(), sample, history: total, ..case })
}

/// The fields that a case has in a baseline and in a summary.
pub(super) fn shared(at: &DocumentPlace<'_>, problems: &mut Vec<String>) -> Option<BaselineCase> {
    let id = at.field("id", problems).text(problems);
    let status = at.field("status", problems).take("pass, fail, error or skipped", CaseStatus::read, problems);
    for name in ["tool_calls", "tool_errors"] {
        at.field(name, problems).count(problems);
    }
    let assertions = at.field("assertions", problems);
    for name in ["total", "failed"] {
        assertions.field(name, problems).count(problems);
    }
    let steps = at.optional("tool_steps").map(|at| steps(&at, problems));
    let similarity = at.optional("similarity").and_then(|at| at.number(problems));
    let embedder = at.optional("embedder").and_then(|at| at.text(problems));
    let similarity =
        similarity.zip(embedder).map(|(similarity, embedder)| Measure { similarity, embedder: embedder.into() });
    let seen_by_others = at.optional("calls").is_some()
        || at.optional("seen_by_others").and_then(|at| at.truth(problems)).unwrap_or_default();
    let asked = at
        .optional("asked")
        .map(|at| at.items(problems).iter().filter_map(|at| at.text(problems)).map(str::to_owned).collect::<Vec<_>>());
    let deterministic = at.optional("deterministic").and_then(|at| at.truth(problems)).unwrap_or_default();
    let cause = at.optional("cause").and_then(|at| at.text(problems));
    let status = status?;
    let came_to_its_end = match cause {
        // Without a cause, only an error means that the case did not finish.
        None => status != CaseStatus::Error,
        Some(cause) => serde_json::from_value(cause.into()).is_ok_and(|cause| came_to_its_end(Some(cause))),
    };
    Some(BaselineCase {
        id: id?.to_owned(),
        status,
        wall_ms: 0.0,
        steps,
        seen_by_others,
        asked,
        came_to_its_end,
        similarity,
        deterministic,
        most_runs: None,
        sample: CaseSample::default(),
        history: CaseSample::default().into(),
    })
}

fn steps(at: &DocumentPlace<'_>, problems: &mut Vec<String>) -> Vec<CallStep> {
    let step = |at: &DocumentPlace<'_>, problems: &mut Vec<String>| {
        let tool = at.field("tool", problems).text(problems);
        let args_hash = at.field("args_hash", problems).text(problems);
        let args = at.optional("args").and_then(|at| at.text(problems)).map(Into::into);
        let only_answered = at.optional("only_answered").and_then(|at| at.truth(problems)).unwrap_or_default();
        let within = at.optional("within").and_then(|at| at.truth(problems)).unwrap_or_default();
        Some(CallStep { tool: tool?.to_owned(), args_hash: args_hash?.to_owned(), args, only_answered, within })
    };
    at.items(problems).iter().filter_map(|at| step(at, problems)).collect()
}

impl CaseStatus {
    fn read(value: &Value) -> Option<Self> {
        let word = value.as_str()?;
        [CaseStatus::Pass, CaseStatus::Skipped, CaseStatus::Fail, CaseStatus::Error]
            .into_iter()
            .find(|status| status.name() == word)
    }
}

/// The results of the cases of a version 1 file, which has one run.
pub(super) fn only_run(cases: &[BaselineCase]) -> BTreeMap<String, CaseSample> {
    let ran = cases.iter().filter(|case| case.sample.runs > 0);
    ran.map(|case| (case.id.clone(), case.sample)).collect()
}
