//! Generates `schemas/*.json`: JSON Schemas of the output of a run for programs. The schemas of stored types come from
//! their declarations; those of hand-written report formats are defined here, and checked against real runs by
//! `crates/agentci/tests/cli/docs_schemas.rs`.

use serde_json::{Map, Value, json};

use super::Generated;
use super::pieces::{count, counts_by_name, fields, list, number, object, one_of, or_null, text, truth};
use super::types::Types;

const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";

/// Every schema.
pub(crate) fn all() -> Vec<Generated> {
    vec![
        events(),
        comparison(),
        trajectories(),
        list_of_cases(),
        summary(),
        aumai_result(),
        ananke_result(),
        yao_result(),
        yao_lines(),
    ]
}

/// The file of a schema, with the types that it refers to.
fn made(name: &str, title: &str, mut schema: Value, types: Types) -> Generated {
    let mut whole = json!({ "$schema": DRAFT, "title": title });
    let fields = whole.as_object_mut().unwrap();
    fields.append(schema.as_object_mut().unwrap());
    if !types.made.is_empty() {
        fields.insert("$defs".to_owned(), types.made.into());
    }
    Generated::new(format!("schemas/{name}.json"), serde_json::to_string_pretty(&whole).unwrap() + "\n")
}

fn events() -> Generated {
    let mut types = Types::read();
    let mut events = Vec::new();
    for (name, docs, written) in types.bodies() {
        let inner = written.trim_end_matches('>').rsplit('<').next().unwrap().to_owned();
        let (body, always) = types.fields(&inner);
        let mut properties = Map::from_iter([
            ("v".to_owned(), json!({ "const": agentci::verdict::VERSION })),
            ("type".to_owned(), json!({ "const": name })),
            ("suite".to_owned(), text()),
            ("case_id".to_owned(), text()),
            ("attempt".to_owned(), json!({ "type": "integer", "minimum": 1 })),
            ("timestamp".to_owned(), json!({ "type": "integer", "description": "Unix milliseconds" })),
        ]);
        properties.extend(body);
        let envelope = ["v", "type", "suite", "timestamp"].map(str::to_owned);
        let required: Vec<String> = envelope.into_iter().chain(always).collect();
        let mut event = object(properties, &required);
        event["description"] = docs.into();
        events.push(event);
    }
    made("run-event", "A line of run.jsonl", json!({ "oneOf": events }), types)
}

/// The result of gates and a baseline.
fn regression(types: &mut Types) -> Value {
    let mut of = |name: &str| types.reference(name);
    fields(json!({
        "baseline_path": or_null(text()), "passed": truth(), "checks": list(of("GateCheck")),
        "metrics": of("MetricChanges"), "case_diffs": of("CaseChanges"), "warnings": list(text()), "problem?": text(),
        "pending?": truth(),
    }))
}

fn comparison() -> Generated {
    let mut types = Types::read();
    let regression = regression(&mut types);
    made("diff", "What agentci diff --baseline FILE --run RUN_DIR --json prints", regression, types)
}

fn trajectories() -> Generated {
    let mut types = Types::read();
    let prompt = types.reference("PromptChange");
    let any = || json!({});
    let kind = || one_of(&["turn", "model", "call", "text", "output", "error"]);
    let part = || {
        one_of(&[
            "input",
            "model",
            "system_prompt",
            "tools",
            "parameters",
            "messages",
            "requested",
            "answer",
            "arguments",
            "state",
            "result",
            "error",
        ])
    };
    let origin = || fields(json!({ "path": text(), "kind": one_of(&["run", "baseline"]), "suite": text() }));
    let result = || {
        fields(json!({
            "runs": count(), "passes": count(), "attempt": or_null(count()), "status": or_null(text()),
            "cause": or_null(text()), "wall_ms": or_null(number()), "tokens_in": or_null(count()),
            "tokens_out": or_null(count()), "cost_usd": or_null(number()),
        }))
    };
    let delta = fields(json!({
        "wall_ms": or_null(number()), "tokens_in": or_null(number()), "tokens_out": or_null(number()),
        "cost_usd": or_null(number()),
    }));
    let change = fields(json!({
        "part": part(), "old_path?": text(), "new_path?": text(), "old?": any(), "new?": any(),
        "only_fingerprint?": truth(),
    }));
    let step = fields(json!({
        "kind": kind(), "name": text(), "old?": count(), "new?": count(),
        "change": one_of(&["same", "changed", "added", "removed"]),
        "role?": one_of(&["first_divergence", "follows", "after"]), "follows?": count(), "old_ms?": count(),
        "new_ms?": count(), "changes?": list(change), "content?": { "type": "object" },
    }));
    let shape = fields(json!({ "shape": text(), "old": count(), "new": count() }));
    let case = fields(json!({
        "id": text(), "differs": truth(), "old": or_null(result()), "new": or_null(result()),
        "delta": or_null(delta), "runs_compared": count(), "runs_different": count(), "shapes": list(shape),
        "steps_compared": truth(), "first_divergence": or_null(count()), "steps": list(step),
        "values_ignored": count(),
    }));
    let repeated = fields(json!({
        "step": kind(), "name": text(), "part?": part(), "path": text(), "gone": truth(), "changed": truth(),
        "old?": any(), "new?": any(), "cases": list(text()),
    }));
    let document = fields(json!({
        "schema_version": { "const": 1 }, "old": origin(), "new": origin(), "differs": truth(),
        "cases_total": count(), "cases_different": count(), "repeated": list(repeated),
        "prompts_changed": list(prompt), "cases": list(case), "not_compared": list(text()),
        "values_ignored": count(),
    }));
    made("trajectory-diff", "What agentci diff A B --json prints", document, types)
}

fn list_of_cases() -> Generated {
    let mut types = Types::read();
    let case = fields(json!({
        "suite": text(), "dialect": text(), "id": text(), "tags": list(text()), "description": or_null(text()),
        "skip": truth(), "broken": truth(),
        "answered_by": one_of(&["agent", "recording", "script"]), "path": text(), "line": count(),
        "combination?": types.reference("CaseCombination"),
    }));
    made("list", "What agentci list --json prints", list(case), types)
}

fn summary() -> Generated {
    let mut types = Types::read();
    let regression = regression(&mut types);
    let mut of = |name: &str| types.reference(name);
    let spread = fields(json!({
        "min": or_null(number()), "p50": or_null(number()), "p95": or_null(number()),
        "mean": or_null(number()), "max": or_null(number()),
    }));
    let run = fields(json!({
        "attempt": count(), "status": of("CaseStatus"), "cause": or_null(of("Cause")), "wall_ms": count(),
    }));
    let case = fields(json!({
        "id": text(), "status": of("CaseStatus"), "cause": or_null(of("Cause")), "wall_ms": count(),
        "tool_calls": count(), "tool_errors": count(), "model_calls": or_null(count()), "tool_calls_by_name": counts_by_name(),
        "tool_errors_by_name": counts_by_name(), "tool_steps": list(of("CallStep")), "steps": { "type": "null" },
        "tokens_in": or_null(count()), "tokens_out": or_null(count()), "cost_usd": or_null(number()),
        "history": fields(json!({
            "runs": count(), "passes": count(), "wall_ms?": number(), "tokens?": number(), "cost_usd?": number(),
        })),
        "deterministic?": truth(),
        "replay": fields(json!({
            "cassette_path": or_null(text()), "cassette_sha256": or_null(text()), "unused_lines": or_null(list(count())),
        })),
        "assertions": of("AssertionCount"), "failure_reason": or_null(text()),
        "failed_assertions": or_null(list(fields(json!({ "type": text(), "message": text() })))),
        "findings": list(of("Finding")),
        "asked?": list(text()), "calls?": list(of("CallLife")), "description?": text(), "tags?": list(text()), "skip_reason?": text(), "warnings?": list(text()),
        "similarity?": number(), "embedder?": text(), "similarities?": list(of("Similarity")),
        "scores?": list(of("CheckScore")),
        "stability?": of("Stability"), "stderr_tail?": list(text()), "no_agent?": { "const": true }, "played?": of("Played"), "matched?": of("Matched"),
        "runs?": list(run), "most_runs?": count(), "combination?": of("CaseCombination"),
    }));
    let numbers = json!({
        "cases": count(), "skipped": count(), "runs": count(), "passes": count(), "errors": count(),
        "pass_rate": or_null(number()), "interval": or_null(list(number())), "cost_usd": or_null(number()),
        "cost_unknown": count(), "tokens_in": or_null(count()), "tokens_in_unknown": count(),
        "tokens_out": or_null(count()), "tokens_out_unknown": count(), "wall_ms": or_null(count()),
    });
    let mut value = numbers.clone();
    value["value"] = text();
    let matrix = fields(json!({
        "confidence": number(),
        "axes": list(fields(json!({
            "axis": text(), "values": list(fields(value)), "differences": list(fields(json!({ "more": text(), "less": text() }))),
            "compared": count(), "same_cases": truth(),
        }))),
        "combinations": list(fields(json!({ "axes": list(of("AxisSetting")), "numbers": fields(numbers) }))),
    }));
    let metrics =
        ["wall_ms", "tool_calls", "tool_errors", "model_calls", "tokens_in", "tokens_out", "cost_usd", "steps"];
    let metrics: Map<String, Value> = metrics.map(|name| (name.to_owned(), spread.clone())).into_iter().collect();
    let summary = fields(json!({
        "schema_version": { "const": agentci::verdict::SCHEMA_VERSION }, "agentci_version": text(), "runledger_version": text(),
        "generated_at": { "type": "string", "format": "date-time" },
        "run": fields(json!({
            "run_id": text(), "mode": one_of(&["replay", "record", "live"]),
            "exit_status": one_of(&["success", "failed", "error"]), "git_sha": or_null(text()), "ci": { "type": "null" },
            "interrupted": truth(), "agents": or_null(text()), "require_agent": truth(),
            "ceiling?": of("RunCeiling"), "resumed?": of("RunResumed"),
        })),
        "recheck?": fields(json!({
            "run": text(), "suite": text(), "removed": list(text()), "attempts": list(fields(json!({
                "id": text(), "attempt": count(), "before?": of("CaseStatus"), "after": of("CaseStatus"),
                "changes?": list(of("CheckChange")), "not_rechecked?": list(of("NotRechecked")),
                "kept?": list(of("NotRechecked")),
            }))),
        })),
        "suite": fields(json!({
            "name": text(), "suite_path": text(), "agent_command": list(text()), "tool_mode": text(), "tool_steps_rule": count(), "dialect": text(),
            "suite_config_hash": { "type": "null" }, "cases_total": count(), "cases_left_out": count(),
        })),
        "failure_groups?": list(fields(json!({ "title": text(), "cases": list(text()) }))),
        "aggregates": fields(json!({
            "cases_total": count(), "cases_pass": count(), "cases_fail": count(), "cases_error": count(),
            "cases_skipped": count(), "cases_not_run": count(), "cases_played": count(), "cases_without_agent": count(), "pass_rate": number(), "success_rate": number(),
            "tool_calls": count(), "tool_errors": count(), "model_calls": or_null(count()), "suite_wall_ms": count(), "metrics": fields(metrics.into()),
            "stability?": of("StabilitySummary"), "scores?": list(of("ScoreSummary")), "cases_unfinished?": count(), "runs_of_unknown_cost?": count(),
        })),
        "cases": list(case),
        "policy_snapshot?": fields(json!({ "thresholds": of("Thresholds"), "regression": {} })),
        "regression?": regression, "prompts?": of("Prompts"), "matrix?": matrix,
    }));
    made("summary", "summary.json", summary, types)
}

fn aumai_result() -> Generated {
    let mut types = Types::read();
    let (properties, required) = types.fields("TestSuiteResult");
    made("aumai-result", "The JSON result of a suite of the aumai format", object(properties, &required), types)
}

fn ananke_result() -> Generated {
    let failure = fields(json!({
        "assertion": text(), "message": text(), "turn?": count(), "file?": text(), "line?": count(), "expected?": {},
        "actual?": {}, "seen?": list(text()),
    }));
    let test = fields(json!({
        "name": text(), "file?": text(), "passed": truth(), "duration": count(), "skipped?": { "const": true },
        "error?": text(), "failures?": list(failure), "warnings?": list(text()),
    }));
    let whole = fields(json!({ "tests": list(test), "passed": count(), "failed": count(), "total": count() }));
    let types = Types::read();
    made("ananke-result", "The JSON result of a suite of the ananke format", whole, types)
}

/// The common parts of the lines and the document of the yao format: the fields of a summary, of an attempt, and of
/// stability.
fn yao(types: &mut Types) -> (Map<String, Value>, Map<String, Value>, Map<String, Value>) {
    let summary = json!({
        "total": count(), "passed": count(), "failed": count(), "skipped": count(), "errors": count(), "timeouts": count(),
        "duration_ms": count(), "runs_per_case?": count(), "total_runs?": count(), "overall_pass_rate?": number(),
        "stable_cases?": count(), "unstable_cases?": count(),
    });
    let status = one_of(&["passed", "failed", "error", "timeout", "skipped"]);
    let ended = json!({ "status": status, "duration_ms": count(), "output?": {}, "error?": text() });
    let (measured, _) = types.fields("Stability");
    let map = |value: Value| value.as_object().unwrap().clone();
    (map(summary), map(ended), measured)
}

/// These fields together with others.
fn beside(of: Value, others: &Map<String, Value>) -> Value {
    let Value::Object(mut of) = of else { panic!("fields are a mapping") };
    of.extend(others.clone());
    fields(of.into())
}

fn yao_result() -> Generated {
    let mut types = Types::read();
    let (summary, ended, measured) = yao(&mut types);
    let run = beside(json!({ "run": count() }), &ended);
    let common = json!({ "id": text(), "status": ended["status"], "input": {}, "expected?": {}, "metadata?": {}, "pass_rate": number() });
    let once = beside(common.clone(), &ended);
    let mut several = common.as_object().unwrap().clone();
    several.extend([("consistency".to_owned(), number()), ("run_details".to_owned(), list(run))]);
    let several = beside(several.into(), &measured);
    let document = fields(json!({
        "summary": beside(json!({ "agent_id": text(), "agent_path?": text(), "connector?": text() }), &summary),
        "environment": { "type": "object", "additionalProperties": text() },
        "results": list(json!({ "oneOf": [once, several.clone()] })),
        "stability_results?": list(several),
        "metadata": fields(json!({
            "started_at": text(), "completed_at": text(), "version": text(), "input_file": text(), "output_file?": text(),
            "options": { "type": "object" },
        })),
    }));
    made("yao-result", "The JSON result of a suite of the yao format", document, types)
}

fn yao_lines() -> Generated {
    let mut types = Types::read();
    let (summary, ended, measured) = yao(&mut types);
    let of = |name: &str, others: &Map<String, Value>| beside(json!({ "type": { "const": name } }), others);
    let id = |others: &Map<String, Value>| others.clone().into_iter().chain([("id".to_owned(), text())]).collect();
    let start = json!({ "timestamp": text(), "agent_id": text(), "total_cases": count() });
    let lines = json!({ "oneOf": [
        of("start", start.as_object().unwrap()), of("result", &id(&ended)), of("stability", &id(&measured)), of("summary", &summary),
    ] });
    made("yao-line", "A line of the results of a suite of the yao format", lines, types)
}
