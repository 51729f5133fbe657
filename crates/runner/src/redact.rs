//! Secrets leave a run event here, at the one place where events leave the runner.
//!
//! Payloads are redacted: what the agent was given, said and did, and messages made of it. Names, ids, counts and times are ours
//! and stay.

use std::sync::Arc;

use agentci_plan::{Cases, Suite};
use agentci_trace::{Redactor, canonical};
use agentci_verdict::{Body, CaseEnd, Finding, RunStart};
use regex::Regex;
use serde_json::Value;

use crate::prompts;

/// Removes secrets from an event; those found by their key are remembered for everything that follows.
pub(crate) fn redact(body: &mut Body, secrets: &mut Redactor) {
    match body {
        Body::TaskStart(start) => secrets.shared_learning(&mut start.input),
        Body::TurnStart(start) => secrets.shared_learning(&mut start.input),
        Body::Text(said) => secrets.scrub(&mut said.text),
        Body::ToolCall(call) => {
            secrets.shared_learning(&mut call.args);
            secrets.scrub(&mut call.call_id);
        }
        Body::ToolResult(result) => {
            secrets.shared_learning(&mut result.result);
            scrub_option(&mut result.error, secrets);
            secrets.scrub(&mut result.call_id);
        }
        Body::ModelCall(call) => {
            secrets.shared_learning(&mut call.request);
            secrets.shared_learning(&mut call.response);
        }
        Body::Log(log) => {
            data(&mut log.data, secrets);
            secrets.scrub(&mut log.message);
            secrets.scrub(&mut log.level);
        }
        Body::TaskError(error) => {
            data(&mut error.data, secrets);
            secrets.scrub(&mut error.message);
        }
        Body::FinalOutput(output) => secrets.shared_learning(&mut output.output),
        Body::Check(check) => {
            scrub_option(&mut check.message, secrets);
            scrub_option(&mut check.subject, secrets);
            data(&mut check.evidence, secrets);
        }
        Body::CaseEnd(end) => case_end(Arc::make_mut(end), secrets),
        Body::RunStart(start) => run_start(start, secrets),
        Body::Gates(report) => {
            secrets.value(&mut report.written);
            scrub_option(&mut report.problem, secrets);
        }
        Body::Usage(_) | Body::Stability(_) | Body::RunEnd(_) => {}
    }
}

/// What must not leave the run of a suite: the environment's secrets and the suite's own rules.
pub(crate) fn suite_secrets(suite: &Suite, cases: &Cases, base: &Redactor) -> Redactor {
    let mut secrets = base.clone();
    for (name, value) in environment(suite, cases) {
        secrets.learn_pair(name, value);
    }
    suite.redact.keys.iter().for_each(|key| secrets.add_key(key));
    // Patterns were compiled when the suite was read; one that fails now would have been refused then.
    suite
        .redact
        .patterns
        .iter()
        .filter_map(|pattern| Regex::new(pattern).ok())
        .for_each(|pattern| secrets.add_pattern(pattern));
    secrets
}

/// The variables of the files that the suite's agents bring along, those of one file once.
fn environment<'s>(suite: &'s Suite, cases: &'s Cases) -> impl Iterator<Item = &'s (String, String)> {
    let mut before: &[(String, String)] = &[];
    let targets = cases.iter().map(|case| &case.target).chain(suite.agents.iter().map(|(_, agent)| agent));
    let files = targets.filter_map(move |target| {
        let values = target.environment();
        let same = std::ptr::eq(before, values);
        before = values;
        (!same).then_some(values)
    });
    files.flatten()
}

fn run_start(start: &mut RunStart, secrets: &Redactor) {
    secrets.arguments(&mut start.agent_command);
    start.environment.values_mut().for_each(|value| secrets.scrub(value));
    start.options.values_mut().for_each(|value| secrets.value(value));
    for problem in &mut start.not_loaded {
        secrets.scrub(&mut problem.message);
        scrub_option(&mut problem.help, secrets);
        secrets.scrub(&mut problem.place.text);
    }
}

fn case_end(end: &mut CaseEnd, secrets: &mut Redactor) {
    // A detail names the key that its values stood under; what is secret there may also stand in the message.
    for detail in end.findings.iter().flat_map(|finding| &finding.details) {
        let key = last_step(&detail.path);
        secrets.learn(&serde_json::json!({ key: [&detail.expected, &detail.actual] }));
    }
    for value in [&mut end.input, &mut end.expected, &mut end.metadata].into_iter().flatten() {
        secrets.value_learning(value);
    }
    let secrets = &*secrets;
    for words in [&mut end.description, &mut end.skip_reason].into_iter().flatten() {
        let mut text = String::from(std::mem::take(words));
        secrets.scrub(&mut text);
        *words = text.into();
    }
    end.place.iter_mut().for_each(|place| secrets.scrub(&mut place.text));
    end.findings.iter_mut().for_each(|finding| scrub_finding(finding, secrets));
    end.warnings.iter_mut().for_each(|warning| secrets.scrub(warning));
    for facts in end.similarities.iter_mut().map(|similarity| &mut similarity.facts) {
        facts.missing.iter_mut().chain(&mut facts.extra).for_each(|fact| secrets.scrub(&mut fact.text));
    }
    end.metrics.steps.iter_mut().for_each(|step| scrub_arguments(&mut step.args, secrets));
    prompts::scrub(end, secrets);
    if !end.stderr_tail.is_empty() {
        // A key may reach over several lines.
        let joined = end.stderr_tail.join("\n");
        if let std::borrow::Cow::Owned(clean) = secrets.text(&joined) {
            end.stderr_tail = clean.lines().map(str::to_owned).collect();
        }
    }
}

/// Arguments that are kept as JSON: a secret may have become known only after the call.
fn scrub_arguments(args: &mut Option<Box<str>>, secrets: &Redactor) {
    let Some(text) = args else { return };
    if let (false, std::borrow::Cow::Borrowed(_)) = (text.contains('\\'), secrets.text(text)) {
        return;
    }
    // What is escaped in JSON looks otherwise, so the values are looked at and not the text.
    *args = serde_json::from_str(text).ok().map(|mut value: Value| {
        secrets.value(&mut value);
        canonical(&value).into()
    });
}

fn scrub_finding(finding: &mut Finding, secrets: &Redactor) {
    secrets.scrub(&mut finding.message);
    secrets.scrub(&mut finding.label);
    scrub_option(&mut finding.help, secrets);
    finding.notes.iter_mut().for_each(|note| secrets.scrub(note));
    finding.place.iter_mut().for_each(|place| secrets.scrub(&mut place.text));
    for detail in &mut finding.details {
        let key = last_step(&detail.path).to_owned();
        for value in [&mut detail.expected, &mut detail.actual] {
            let mut whole = serde_json::json!({ &key: value.take() });
            secrets.value(&mut whole);
            *value = whole.as_object_mut().and_then(|map| map.values_mut().next()).map(Value::take).unwrap_or_default();
        }
    }
}

fn last_step(path: &str) -> &str {
    path.rsplit('/').next().expect("a split has a first part")
}

fn scrub_option(text: &mut Option<String>, secrets: &Redactor) {
    if let Some(text) = text {
        secrets.scrub(text);
    }
}

fn data(value: &mut Option<Arc<Value>>, secrets: &mut Redactor) {
    if let Some(value) = value {
        secrets.shared_learning(value);
    }
}
