//! Generates cases and suites.

use std::sync::Arc;
use std::time::Duration;

use agentci_plan::{
    Action, Case, Combination, CommandPart, Data, Dialect, FormatConventions, Gates, GrowthGate, Hook, Limit, Limits,
    Message, Mode, Price, Redaction, Skip, StopRule, Suite, Text, Turn, TurnInput,
};
use agentci_source::{Node, Spanned};
use proptest::prelude::*;
use proptest::{collection, option, sample};
use serde_json::{Number, Value, json};

use crate::targets::{chat, named_texts, target};
use crate::values::{argument, check, name, object, span, text, value};
use crate::worlds::world;

pub(crate) fn limits() -> impl Strategy<Value = Limits> {
    let of = |key, most: BoxedStrategy<f64>| option::of(most.prop_map(move |most| limit(key, most)));
    let whole = |key| of(key, prop_oneof![-5_i32..5, any::<i32>()].prop_map(f64::from).boxed());
    let cost = of("cost_usd", (-1e6_f64..1e6).boxed());
    let wall = of("wall", prop_oneof![any::<i32>().prop_map(f64::from), -1e6_f64..1e6].boxed());
    let calls = (whole("tool_calls"), whole("tool_errors"), whole("model_calls"));
    (wall, calls, whole("tokens_in"), whole("tokens_out"), cost).prop_map(
        |(wall_ms, (tool_calls, tool_errors, model_calls), tokens_in, tokens_out, cost_usd)| Limits {
            wall_ms,
            tool_calls,
            tool_errors,
            model_calls,
            tokens_in,
            tokens_out,
            cost_usd,
        },
    )
}

pub(crate) fn limit(key: &'static str, most: f64) -> Limit {
    Limit { key, most, span: span() }
}

pub(crate) fn said() -> impl Strategy<Value = TurnInput> {
    let message = (name(), text()).prop_map(|(role, content)| Message::new(role, Text::parse(&content)));
    let action = (name(), value()).prop_map(|(kind, arguments)| Action {
        kind: Spanned::new(format!("{kind}:x"), span()),
        arguments: Node::from_value(&arguments, span()),
    });
    prop_oneof![
        object().prop_map(|value| TurnInput::Input(Data::literal(&value))),
        object().prop_map(|value| TurnInput::Input(Data::parse(&value))),
        collection::vec(message, 1..3).prop_map(TurnInput::Messages),
        action.prop_map(|action| TurnInput::Action(Box::new(action))),
    ]
}

pub(crate) fn turns() -> impl Strategy<Value = Vec<Turn>> {
    let turn = (said(), collection::vec(check(), 0..3), limits()).prop_map(|(said, checks, limits)| Turn {
        said,
        checks: checks.into_iter().map(Arc::new).collect(),
        limits: limits.shared(),
        span: span(),
    });
    let task = object().prop_map(|value| {
        let said = TurnInput::Input(Data::literal(&value));
        vec![Turn { said, checks: Arc::from([]), limits: Limits::none(), span: span() }]
    });
    prop_oneof![task, collection::vec(turn, 1..3)]
}

pub(crate) fn hook() -> impl Strategy<Value = Hook> {
    (argument(), named_texts(), 1_u64..100_000, any::<bool>()).prop_map(|(argument, environment, millis, folder)| {
        Hook {
            command: [Text::Literal("seed".into()), Text::parse(&argument)]
                .map(|text| CommandPart { text, file: None })
                .into(),
            folder: folder.then(|| "s/hooks".into()),
            environment,
            timeout: Duration::from_millis(millis),
            span: span(),
        }
    })
}

pub(crate) fn case() -> impl Strategy<Value = Case> {
    let about = (name(), option::of(text()), collection::vec(text(), 0..3), option::of(option::of(text())));
    let around = (target(), world(), named_texts(), collection::vec(hook(), 0..2));
    let asked = (turns(), collection::vec(check(), 0..4), limits());
    let stop = sample::select(vec![StopRule::FirstFailedTurn, StopRule::Never, StopRule::FirstFailure]);
    let timeout = option::of((0_u64..10_000_000).prop_map(Duration::from_millis));
    (about, around, asked, (timeout, 1_u32..9, stop)).prop_map(
        |((id, description, tags, skip), (target, world, variables, hooks), (turns, checks, limits), last)| {
            let combination = (last.1 > 6).then(|| combination(&id));
            let tags = combination.as_ref().map_or(tags, |combination| combination.tags().collect());
            Case {
                id: id.into(),
                span: span(),
                description: description.map(Into::into),
                tags: tags.into(),
                combination: combination.map(Arc::new),
                // A word such as `none` is not a valid reason.
                skip: skip.map(|reason| Box::new(Skip { reason: reason.map(|reason| format!("because {reason}")) })),
                target: Arc::new(target),
                // It is an error without a recording.
                played: last.1 > 4 && world.recording.is_some(),
                world: Arc::new(world),
                variables: variables.into(),
                hooks: hooks.into(),
                turns: turns.into(),
                checks: checks.into_iter().map(Arc::new).collect(),
                limits: limits.shared(),
                timeout: last.0,
                repeats: None,
                runs: last.1,
                stop: last.2,
                asked: Some(Arc::new(json!(["x", null]))),
                expected: last.0.map(|_| Arc::new(json!({ "a": "${b}" }))),
                metadata: None,
                broken: None,
                data: None,
                row: None,
            }
        },
    )
}

fn combination(id: &str) -> Combination {
    let axis = |name: &str, value: &str| (name.into(), value.into());
    Combination { of: id.into(), axes: [axis("model", "gpt-5: mini"), axis("on-top", "3"), axis("_", "")].into() }
}

pub(crate) fn gates() -> impl Strategy<Value = Gates> {
    // A percentage below 1 is a warning.
    let percent = || option::of(prop_oneof![-500_i32..=0, 1..100_000]);
    let truth = || option::of(any::<bool>());
    let rate = option::of((0_u32..=1000).prop_map(|rate| f64::from(rate) / 1000.0));
    let least = option::of(0_u32..10_000);
    let growth = || option::of((1_u32..=50, 0_u32..=200));
    let noise = (option::of(1_u32..=50), growth(), growth(), truth());
    (any::<bool>(), rate, (percent(), percent(), least), (truth(), truth()), (truth(), truth(), truth()), noise).prop_map(
        |(
            baseline,
            rate,
            (mean, p95, least),
            (no_new_failures, no_missing_cases),
            (no_changed_steps, no_changed_prompts, decide),
            (no_regression, no_slower, no_costlier, undecided),
        )| {
            let looks = rate.is_some() || no_new_failures == Some(true) || no_regression.is_some();
            let hundredth = |number: u32| f64::from(number) / 100.0;
            let growth_json = |(alpha, percent): (u32, u32)| {
                json!({ "alpha": hundredth(alpha), "min_effect": format!("{percent}%") })
            };
            let growth_gate = |(alpha, percent): (u32, u32)| {
                Spanned::new(GrowthGate { alpha: hundredth(alpha), min_effect: hundredth(percent) }, span())
            };
            // `undecided` without a gate that can be undecided is a warning.
            let undecided =
                undecided.filter(|_| no_regression.is_some() || no_slower.is_some() || no_costlier.is_some());
            let spanned = |percent: i32| Spanned::new(format!("{percent}e-2").parse().unwrap_or(f64::NAN), span());
            // `min_wall_ms_delta` without a wall-time gate is a warning.
            let least = least.filter(|_| mean.is_some() || p95.is_some());
            let written = [
                ("baseline", baseline.then(|| json!("old/b.json"))),
                (
                    "min_pass_rate",
                    rate.map(|rate| rate.to_string().parse::<Number>().map_or(Value::Null, Value::Number)),
                ),
                ("max_avg_wall_ms_delta_pct", mean.map(Value::from)),
                ("max_p95_wall_ms_delta_pct", p95.map(Value::from)),
                ("min_wall_ms_delta", least.map(Value::from)),
                ("no_new_failures", no_new_failures.map(Value::from)),
                ("no_missing_cases", no_missing_cases.map(Value::from)),
                ("no_changed_steps", no_changed_steps.map(Value::from)),
                ("no_changed_prompts", no_changed_prompts.map(Value::from)),
                ("no_regression", no_regression.map(|alpha| json!({ "alpha": hundredth(alpha) }))),
                ("no_slower", no_slower.map(growth_json)),
                ("no_costlier", no_costlier.map(growth_json)),
                ("undecided", undecided.map(|fails| if fails { "fail" } else { "pass" }.into())),
                ("decide", decide.filter(|truth| !truth || looks).map(Value::from)),
            ];
            let pairs: Vec<_> =
                written.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect();
            let mapping = (!pairs.is_empty()).then(|| Gates::MAPPING.to_owned());
            Gates {
                baseline: baseline.then(|| Spanned::new("s/old/b.json".into(), span())),
                min_pass_rate: rate.map(|rate| Spanned::new(rate, span())),
                max_avg_wall_ms_delta_pct: mean.map(spanned),
                max_p95_wall_ms_delta_pct: p95.map(spanned),
                min_wall_ms_delta: least.map(|least| Spanned::new(f64::from(least), span())),
                no_new_failures: no_new_failures.map(|truth| Spanned::new(truth, span())),
                no_missing_cases: no_missing_cases.map(|truth| Spanned::new(truth, span())),
                no_changed_steps: no_changed_steps.map(|truth| Spanned::new(truth, span())),
                no_changed_prompts: no_changed_prompts.map(|truth| Spanned::new(truth, span())),
                no_regression: no_regression.map(|alpha| Spanned::new(hundredth(alpha), span())),
                no_slower: no_slower.map(growth_gate),
                no_costlier: no_costlier.map(growth_gate),
                undecided_fails: undecided.map(|fails| Spanned::new(fails, span())),
                // `decide` without a gate to decide by is a warning.
                decide: decide.filter(|truth| !truth || looks).map(|truth| Spanned::new(truth, span())),
                keys: pairs.iter().map(|(name, _)| name).chain(&mapping).map(|name| (name.clone(), span())).collect(),
                written: if pairs.is_empty() { Value::Null } else { Value::Object(pairs.into_iter().collect()) },
            }
        },
    )
}

pub(crate) fn suite() -> impl Strategy<Value = Suite> {
    let mode = sample::select(vec![Mode::Replay, Mode::Record, Mode::Live]);
    (
        name(),
        mode,
        any::<bool>(),
        (gates(), option::of(name()), option::of(chat().boxed())),
        collection::vec(case().boxed(), 1..4),
    )
        .prop_map(|(name, mode, output, (gates, embedder, agent), mut cases)| {
            for (index, case) in cases.iter_mut().enumerate() {
                case.id = format!("{}{index}", case.id).into();
            }
            Suite {
                agent_folder: None,
                prices: [("my-model".to_owned(), Price { input: 2.5, cached_input: Some(1.25), output: 10.0 })].into(),
                agents: agent.into_iter().map(|agent| ("judge".to_owned(), Arc::new(agent))).collect(),
                embedder: embedder.map(|embedder| Spanned::new(embedder, span())),
                name,
                dialect: Dialect::Native,
                conventions: FormatConventions::USUAL,
                path: "s/agentci.yaml".into(),
                folder: "s".into(),
                span: span(),
                mode,
                output_dir: output.then(|| "s/out".into()),
                gates,
                exclude: if output { vec!["old/**".to_owned(), "a b".to_owned()] } else { Vec::new() },
                redact: Redaction { keys: vec!["${x}".into()], patterns: vec![r"a\d".into()] },
                cases: cases.into_iter().map(Box::new).collect(),
            }
        })
}
