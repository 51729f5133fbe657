//! Generates arbitrary run events: every type, every optional field present or absent, and any JSON values.

mod gate_report;

use std::sync::Arc;

use agentci_source::Place;
use agentci_trace::Usage;
use agentci_verdict::{
    AssertionCount, AxisSetting, Body, CallLife, CallStep, CaseCombination, CaseEnd, CaseStatus, Cause, CheckEnd,
    CheckScore, CheckStatus, FinalOutput, Finding, LogLine, Matched, Metrics, ModelCallMade, Played, ReplaySource,
    RunCeiling, RunEnd, RunEvent, RunResumed, RunSession, RunStart, Stability, StabilityClass, StabilitySummary,
    TaskError, TaskStart, TextSaid, ToolCallMade, ToolResultGiven, TurnStart, TurnTimes,
};
use agentci_verdict::{
    Contradiction, Detail, DifferingFact, DifferingFacts, KeptPrompt, PromptParameters, PromptTool, Similarity,
    SystemPrompt,
};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;

pub(crate) fn run_event() -> impl Strategy<Value = RunEvent> {
    (text(), option::of(text()), option::of(any::<u32>()), any::<u64>(), body()).prop_map(
        |(suite, case_id, attempt, timestamp, mut body)| {
            let case_id: Option<Arc<str>> = case_id.map(Into::into);
            if let (Body::CaseEnd(end), Some(case_id)) = (&mut body, &case_id) {
                Arc::make_mut(end).id = Arc::clone(case_id);
            }
            RunEvent { suite: suite.into(), case_id, attempt, timestamp, body }
        },
    )
}

fn body() -> impl Strategy<Value = Body> {
    prop_oneof![
        run_start().prop_map(|start| Body::RunStart(Box::new(start))),
        (text(), json(), option::of(text())).prop_map(|(task_id, input, definition)| Body::TaskStart(TaskStart {
            task_id: task_id.into(),
            input: input.into(),
            definition: definition.map(Into::into)
        })),
        (any::<u32>(), json()).prop_map(|(turn, input)| Body::TurnStart(TurnStart { turn, input: input.into() })),
        (any::<u32>(), text()).prop_map(|(turn, text)| Body::Text(TextSaid { turn, text })),
        (any::<u32>(), text(), text(), json()).prop_map(|(turn, name, call_id, args)| Body::ToolCall(ToolCallMade {
            turn,
            name,
            call_id,
            args: args.into(),
            observer: (turn % 2 == 0).then(|| "stub".to_owned()),
        })),
        (any::<u32>(), text(), any::<bool>(), json(), option::of(text())).prop_map(
            |(turn, call_id, ok, result, error)| {
                Body::ToolResult(ToolResultGiven {
                    turn,
                    call_id,
                    ok,
                    result: result.into(),
                    fault: error.clone(),
                    observer: error.clone(),
                    refused: error.clone(),
                    recognised: error.clone(),
                    error,
                })
            }
        ),
        (any::<u32>(), json(), json()).prop_map(|(turn, request, response)| Body::ModelCall(ModelCallMade {
            turn,
            request: request.into(),
            response: response.into()
        })),
        usage().prop_map(Body::Usage),
        (text(), text(), data()).prop_map(|(level, message, data)| Body::Log(LogLine {
            level,
            message,
            data: data.map(Into::into)
        })),
        (text(), data()).prop_map(|(message, data)| Body::TaskError(TaskError { message, data: data.map(Into::into) })),
        json().prop_map(|output| Body::FinalOutput(FinalOutput { output: output.into() })),
        check_end().prop_map(Body::Check),
        case_end().prop_map(|end| Body::CaseEnd(Arc::new(end))),
        gate_report::gate_report().prop_map(|report| Body::Gates(Box::new(report))),
        stability().prop_map(Body::Stability),
        (any::<u64>(), any::<bool>(), any::<usize>(), option::of(stability_summary())).prop_map(
            |(wall_ms, interrupted, not_run, stability)| Body::RunEnd(RunEnd {
                wall_ms,
                wall_us: wall_ms / 2,
                interrupted,
                not_run,
                unfinished: not_run / 2,
                ceiling: interrupted.then(|| RunCeiling {
                    flag: "--max-cost".into(),
                    limit: "5 USD".into(),
                    reason: wall_ms.to_string()
                }),
                unobserved_cost: not_run / 3,
                stability
            })
        ),
    ]
}

fn stability() -> impl Strategy<Value = Stability> {
    let attempts = (1_usize..9, 0_usize..9, option::of(0.0..1.0), 0.0..100.0);
    (attempts, (0.0..1e9, any::<u64>(), any::<u64>(), 0.0..1e9)).prop_map(
        |((passed, failed, same, pass_rate), times)| Stability {
            runs: passed + failed,
            passed,
            failed,
            pass_rate,
            stable: failed == 0,
            stability_class: StabilityClass::of(passed, passed + failed),
            avg_duration_ms: times.0,
            min_duration_ms: times.1,
            max_duration_ms: times.2,
            std_deviation_ms: times.3,
            identical_outputs: same,
        },
    )
}

fn stability_summary() -> impl Strategy<Value = StabilitySummary> {
    let counts = (any::<usize>(), any::<usize>(), any::<usize>());
    (option::of(any::<u32>()), 0.0..100.0, counts).prop_map(|(runs_per_case, overall_pass_rate, counts)| {
        let (total_runs, stable_cases, unstable_cases) = counts;
        StabilitySummary { runs_per_case, total_runs, overall_pass_rate, stable_cases, unstable_cases }
    })
}

fn run_start() -> impl Strategy<Value = RunStart> {
    let counts = (any::<usize>(), any::<usize>(), option::of(any::<u64>()));
    let named = (option::of(text()), option::of(text()), option::of(text()));
    let chosen = (btree_map(text(), text(), 0..3), btree_map(text(), json(), 0..3));
    let facts = (option::of(text()), named, chosen);
    (text(), text(), text(), text(), text(), vec(text(), 0..3), counts, facts).prop_map(
        |(agentci_version, run_id, dialect, mode, suite_path, agent_command, counts, facts)| RunStart {
            agentci_version,
            run_id,
            dialect,
            mode,
            suite_path,
            agent_command,
            cases_total: counts.0,
            cases_left_out: counts.1,
            cases_played: counts.1,
            cases_without_agent: counts.0,
            require_agent: counts.0 > counts.1,
            tools_at: facts.0.clone(),
            git_sha: facts.0,
            seed: counts.2,
            shard: None,
            not_loaded: Vec::new(),
            embedder: None,
            recheck: None,
            session: facts.1.0.clone().map(|id| RunSession { suites: vec![id.clone()], id }),
            resumed: facts.1.1.clone().map(|run| RunResumed {
                run,
                kept: counts.0,
                changed: counts.1,
                dropped: counts.0,
            }),
            agent: facts.1.0,
            agent_path: facts.1.1,
            connector: facts.1.2,
            environment: facts.2.0,
            options: facts.2.1,
        },
    )
}

fn check_end() -> impl Strategy<Value = CheckEnd> {
    let status = select(vec![CheckStatus::Passed, CheckStatus::Failed, CheckStatus::Error, CheckStatus::NotEvaluated]);
    (text(), option::of(text()), status, option::of(text())).prop_map(|(name, subject, status, message)| CheckEnd {
        name,
        subject,
        status,
        score: message.as_deref().map(score),
        evidence: message.clone().map(|text| Arc::new(Value::String(text))),
        turn: message.as_ref().map(|_| 3),
        definition: message.clone().map(Into::into),
        question: message.clone().map(Into::into),
        message,
    })
}

fn case_end() -> impl Strategy<Value = CaseEnd> {
    let verdict = (any::<usize>(), any::<u32>(), any::<bool>(), status(), option::of(cause()), any::<u64>());
    let words = (option::of(text()), vec(text(), 0..3), vec(text(), 0..3), option::of(text()), vec(text(), 0..2));
    let words = (words, option::of(text()));
    let replay = (text(), text()).prop_map(|(cassette_path, cassette_sha256)| {
        let unused_lines = vec![cassette_path.len()];
        let matched = Matched { exact: 3, ids: cassette_path.len(), unused: vec![2], ..Matched::default() };
        ReplaySource { cassette_path, cassette_sha256, unused_lines, matched: Some(matched) }
    });
    let assertions = (any::<usize>(), any::<usize>()).prop_map(|(total, failed)| AssertionCount { total, failed });
    let parts = (metrics(), assertions, vec(finding(), 0..3), option::of(replay), option::of(place()));
    (verdict, words, parts).prop_map(|(verdict, words, parts)| {
        let (index, runs, passed, status, cause, wall_ms) = verdict;
        let ((description, tags, stderr_tail, skip_reason, warnings), output_hash) = words;
        let (metrics, assertions, findings, replay, place) = parts;
        CaseEnd {
            id: "".into(),
            index,
            runs,
            most_runs: (runs % 2 == 0).then_some(runs),
            passed,
            status,
            cause,
            input: description.clone().map(Value::String).map(Box::new),
            expected: skip_reason.clone().map(Value::String).map(Box::new),
            metadata: description.as_ref().map(|text| Box::new(serde_json::json!({ text: [text] }))),
            recheck: None,
            calls: description.as_deref().map(life).into_iter().collect(),
            asked: description.clone().map(|text| Box::new(vec![text])),
            prompts: description.as_deref().map(prompt).into_iter().collect(),
            similarities: description.as_deref().map(similarity).into_iter().collect(),
            scores: description.as_deref().map(score).into_iter().collect(),
            turns: description.iter().map(|_| TurnTimes { turn: 1, turn_start_ts: 2, turn_end_ts: wall_ms }).collect(),
            description: description.map(Into::into),
            combination: tags.first().map(|value| {
                let axes = vec![AxisSetting { axis: "model".into(), value: value.clone() }];
                Box::new(CaseCombination { of: value.clone(), axes })
            }),
            tags,
            wall_ms,
            wall_us: wall_ms / 3,
            metrics,
            assertions,
            findings,
            warnings,
            played: replay.as_ref().zip(place.clone()).map(|(replay, place)| {
                Box::new(Played { recording: replay.cassette_path.clone(), place, meant: passed })
            }),
            no_agent: !passed,
            deterministic: passed,
            replay: replay.map(Box::new),
            stderr_tail,
            output_hash: output_hash.map(Into::into),
            skip_reason: skip_reason.map(Into::into),
            place,
        }
    })
}

fn prompt(text: &str) -> KeptPrompt {
    let said = vec![format!("now {text}")];
    let values = || [(text.to_owned(), serde_json::json!({ text: [0.7, null] }))].into_iter().collect();
    let tool = PromptTool {
        id: "t".into(),
        name: text.to_owned(),
        hash: "h".into(),
        times: said.clone(),
        description: Some(text.to_owned()),
        schema: Some(serde_json::json!({ "required": [text] })),
        settings: values(),
    };
    KeptPrompt {
        id: text.to_owned(),
        model: Some(text.to_owned()),
        parameters: PromptParameters { hash: "p".into(), times: said.clone(), values: Some(values()) },
        system: Some(SystemPrompt {
            id: "s".into(),
            lines: vec![format!("h {text}"), "bare".into()],
            times: [(text.to_owned(), said)].into_iter().collect(),
            last_is: Some(text.len()),
        }),
        tools: vec![tool],
    }
}

fn life(text: &str) -> CallLife {
    CallLife {
        tool: text.to_owned(),
        turn: 1,
        seen: vec!["requested".into(), text.to_owned()],
        observers: vec![text.to_owned()],
        counts: text.is_empty(),
        parts: vec![text.to_owned()],
    }
}

fn score(text: &str) -> CheckScore {
    CheckScore { check: text.into(), score: 0.1, threshold: (!text.is_empty()).then_some(0.5) }
}

fn similarity(text: &str) -> Similarity {
    let fact = || DifferingFact { kind: "number".into(), text: text.to_owned() };
    Similarity {
        similarity: 0.1 + 0.2,
        embedder: text.to_owned(),
        threshold: text.is_empty().then_some(0.88),
        negated: text.len() > 3,
        facts: DifferingFacts {
            missing: vec![fact()],
            extra: Vec::new(),
            unclear: vec!["x".into()],
            contradiction: Some(Contradiction {
                kind: "order".into(),
                certain: text.is_empty(),
                expected: text.to_owned(),
                said: "x".into(),
            }),
        },
    }
}

fn metrics() -> impl Strategy<Value = Metrics> {
    let by_name = || btree_map(text(), any::<u64>(), 0..3);
    (any::<u64>(), any::<u64>(), option::of(any::<u64>()), by_name(), by_name(), usage(), vec(step(), 0..3)).prop_map(
        |(tool_calls, tool_errors, model_calls, tool_calls_by_name, tool_errors_by_name, usage, steps)| Metrics {
            tool_calls,
            tool_errors,
            model_calls,
            tool_calls_by_name,
            tool_errors_by_name,
            usage,
            steps,
        },
    )
}

pub(crate) fn step() -> impl Strategy<Value = CallStep> {
    (text(), text(), option::of(text()), any::<(bool, bool)>()).prop_map(
        |(tool, args_hash, args, (only_answered, within))| CallStep {
            tool,
            args_hash,
            args: args.map(Into::into),
            only_answered,
            within,
        },
    )
}

fn finding() -> impl Strategy<Value = Finding> {
    let detail = (text(), json(), json()).prop_map(|(path, expected, actual)| Detail { path, expected, actual });
    let lists = (vec(text(), 0..3), vec(detail, 0..2));
    (cause(), text(), text(), option::of(place()), text(), lists, (option::of(text()), option::of(0_u32..9))).prop_map(
        |(cause, name, message, place, label, (notes, details), (help, turn))| Finding {
            cause,
            name,
            message,
            place,
            label,
            notes,
            details,
            help,
            turn,
        },
    )
}

fn place() -> impl Strategy<Value = Place> {
    (text(), any::<u32>(), any::<u32>(), any::<u32>(), text()).prop_map(|(path, line, column, width, text)| Place {
        path: path.into(),
        line,
        column,
        width,
        text,
    })
}

fn status() -> impl Strategy<Value = CaseStatus> {
    select(vec![CaseStatus::Pass, CaseStatus::Skipped, CaseStatus::Fail, CaseStatus::Error])
}

fn cause() -> impl Strategy<Value = Cause> {
    select(vec![
        Cause::Check,
        Cause::Limit,
        Cause::ReplayMiss,
        Cause::StubMiss,
        Cause::ToolNotAllowed,
        Cause::ProviderWouldRefuse,
        Cause::ToolNotOffered,
        Cause::ArgumentsDoNotFit,
        Cause::FormatNotMet,
        Cause::ModelMiss,
        Cause::ModelNeverAsked,
        Cause::Timeout,
        Cause::Protocol,
        Cause::AgentExited,
        Cause::AgentError,
        Cause::Unreachable,
        Cause::Embedding,
        Cause::CheckTimeout,
        Cause::Hook,
        Cause::Config,
        Cause::Interrupted,
    ])
}

/// Only finite costs, since JSON has no others.
fn usage() -> impl Strategy<Value = Usage> {
    (option::of(any::<u64>()), option::of(any::<u64>()), option::of(finite()))
        .prop_map(|(tokens_in, tokens_out, cost_usd)| Usage { tokens_in, tokens_out, cost_usd })
}

fn finite() -> impl Strategy<Value = f64> {
    prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL | prop::num::f64::ZERO
}

/// Never null, which reads back as absent.
fn data() -> impl Strategy<Value = Option<Value>> {
    option::of(json().prop_filter("null is absence", |value| !value.is_null()))
}

fn json() -> impl Strategy<Value = Value> {
    let leaf =
        prop_oneof![Just(Value::Null), any::<bool>().prop_map(Value::from), number(), text().prop_map(Value::from)];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            btree_map(text(), inner, 0..4).prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// Numbers as text, so that they keep digits beyond machine precision. The integer `-0` is excluded: it reads back as
/// `0`.
fn number() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<i64>().prop_map(|number| number.to_string()),
        any::<u64>().prop_map(|number| number.to_string()),
        "-?[1-9][0-9]{20,60}",
        "-?(0|[1-9][0-9]{0,20})\\.[0-9]{1,40}",
        "-?[1-9](\\.[0-9]{1,5})?[eE][+-]?[0-9]{1,3}",
    ]
    .prop_filter_map("a JSON number", |digits| serde_json::from_str(&digits).ok())
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[a-z_]{0,8}",
        select(vec![
            "\n",
            "\r\n",
            "\0",
            "\u{1b}[31m",
            "\u{2028}",
            "\u{85}",
            "\u{feff}",
            "\u{ffff}",
            "\"\\",
            "{}",
            "🦀"
        ])
        .prop_map(str::to_owned),
    ]
}
