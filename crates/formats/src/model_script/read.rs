//! Reads the whole file.

use std::path::Path;

use agentci_plan::{ModelScript, UnansweredRoute};
use agentci_source::shape::{KeyRule, Kind, Shape, optional, words};
use agentci_source::{Diagnostics, Files, Node, Sources, read};

use super::ineffective;
use super::rule::{RULE, rule};
use super::steps::{STEPS, all_steps};
use crate::document;

/// The whole script.
pub(crate) static SCRIPT: Shape = Shape::new(
    "a model's script",
    "The answers of a scripted model.",
    &[
        optional("model", Kind::Name, "The model name to report if a request names none."),
        optional("api_key", Kind::Name, "The API key that requests must have. Default: any key, or none."),
        optional("seed", Kind::Whole(0, i64::MAX), "Seed for random failures."),
        optional(
            "rules",
            Kind::List(&Kind::Shape(&RULE)),
            "Answers and their conditions; the first rule that matches a request answers it.",
        ),
        optional(
            "steps",
            STEPS,
            "The answers to the requests of one conversation, in order; a list of lists for several conversations.",
        ),
        optional("default", Kind::OneOrMore(&Kind::Text), "Answers to requests that no rule matches, given in turn."),
        optional("strict", Kind::Truth, "Whether to refuse requests that the provider would refuse. Default: true."),
        optional(
            "miss",
            Kind::Choice(&words(&UnansweredRoute::NAMES)),
            "The effect on the case of a request that no rule matches. Default: fail.",
        ),
    ],
)
.rules(&[KeyRule::Some(&["rules", "steps", "default"])]);

/// Reads a model's script. Adds its text to `sources`, so that problems can be shown in context.
pub fn load_model_script(files: &dyn Files, sources: &mut Sources, path: &Path) -> Result<ModelScript, Diagnostics> {
    read_model_script(&document::open(files, sources, path, document::SIZE_LIMIT)?)
}

/// Reads a model's script that is already parsed, such as one inside a suite.
pub(crate) fn read_model_script(node: &Node) -> Result<ModelScript, Diagnostics> {
    let mut problems = Diagnostics::default();
    let script = script(node, &mut problems);
    problems.sort();
    script.filter(|_| !problems.has_errors()).ok_or(problems)
}

fn script(root: &Node, problems: &mut Diagnostics) -> Option<ModelScript> {
    let mut fields = SCRIPT.reader(root, problems)?;
    let (model, api_key) = (fields.name("model"), fields.name("api_key"));
    let seed = fields.optional("seed", seed);
    let mut warnings = Diagnostics::default();
    let mut sequences = 0;
    let mut rules = Vec::new();
    for node in fields.optional("rules", read::list).unwrap_or_default() {
        let of_rule = rule(node, &mut sequences, fields.problems);
        ineffective::of_rule(node, &of_rule, &mut warnings);
        rules.extend(of_rule);
    }
    if let Some(node) = fields.node("steps") {
        let steps = all_steps(node, &mut sequences, fields.problems);
        ineffective::of_steps(node, &steps, &mut warnings);
        rules.extend(steps);
    }
    ineffective::of_default(fields.node("default"), &rules, &mut warnings);
    let default = fields.texts("default");
    let (strict, miss) = (fields.truth("strict"), fields.choice("miss", &UnansweredRoute::NAMES));
    if ["rules", "steps", "default"].into_iter().all(|key| fields.node(key).is_none()) {
        let message = "the script has neither `rules` nor `steps` nor `default`";
        let help = "add `default: Hello.`, or a rule: `rules: [{ when: { user: hi }, reply: Hello. }]`";
        fields.problems.error(root.span, message, "the model has no answers").help(help);
    }
    fields.finish();
    Some(ModelScript { model, api_key, seed, rules, default, strict, miss, warnings })
}

fn seed(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<u64> {
    let seed = read::integer(node, name, problems)?;
    let found = u64::try_from(seed).ok();
    if found.is_none() {
        problems.error(node.span, format!("`seed` must be 0 or more, found {seed}"), "below 0");
    }
    found
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use agentci_plan::{Finish, ModelFailureKind, ModelRule, WantedWords};
    use agentci_source::{Diagnostic, MemoryFiles};
    use serde_json::json;

    use super::*;

    fn load(text: &str) -> Result<ModelScript, Vec<String>> {
        let files = MemoryFiles::default().with("model.yaml", text);
        let mut sources = Sources::default();
        load_model_script(&files, &mut sources, Path::new("model.yaml")).map_err(|problems| {
            let told = |problem: &Diagnostic| {
                let place = problem.place(&sources);
                format!("{}:{}:{} {}", place.path, place.line, place.column, problem.message)
            };
            problems.iter().map(told).collect()
        })
    }

    #[test]
    fn reads_all_keys_of_a_script() {
        let script = load(
            "model: gpt-test\napi_key: sk-test\nseed: 7\nrules:\n\
             - when: { model: gpt-4o, user: refund, tool_result: true, turn: 2 }\n  reply: It was refunded.\n\
             - when: { user: { regex: 'order (\\w+)' } }\n  tool_calls: [{ name: search_orders, args: { id: A-17 } }]\n\
             - when: { user: slow }\n  reply: [first, second]\n  latency: 200ms\n  first_token: 50ms\n\
             \x20 tokens_per_second: 40\n  usage: { input: 12, output: 30 }\n  finish: length\n\
             - when: { user: break }\n  fail: { status: 429, retry_after: 2s, message: slow down, rate: 0.5, times: 2 }\n\
             - fail: { hang: true }\n\
             default: [Hello., How are you?]\n",
        )
        .unwrap();
        assert_eq!(
            (script.model.as_deref(), script.api_key.as_deref(), script.seed),
            (Some("gpt-test"), Some("sk-test"), Some(7))
        );
        assert_eq!(script.default, ["Hello.", "How are you?"]);
        let [refund, order, slow, fail, hang] = script.rules.as_slice() else { panic!("{script:?}") };
        assert_eq!(refund.when.user, Some(WantedWords::Contains("refund".into())));
        assert_eq!((refund.when.turn, refund.when.tool_result, refund.span.line), (Some(2), Some(true), 5));
        assert_eq!(
            (order.tool_calls[0].name.as_str(), &order.tool_calls[0].args),
            ("search_orders", &json!({"id": "A-17"}))
        );
        assert_eq!(slow.replies, ["first", "second"]);
        assert_eq!((slow.pace.latency, slow.pace.tokens_per_second), (Duration::from_millis(200), Some(40.0)));
        assert_eq!((slow.usage.unwrap().output, slow.finish), (Some(30), Some(Finish::Length)));
        let failure = fail.failure.as_ref().unwrap();
        assert_eq!((failure.rate.to_string().as_str(), failure.times), ("0.5", Some(2)));
        assert!(
            matches!(&failure.kind, ModelFailureKind::Status { status: 429, message: Some(words), .. } if words == "slow down")
        );
        assert_eq!(hang.failure.as_ref().unwrap().kind, ModelFailureKind::Hang);
    }

    #[test]
    fn steps_become_rules_of_one_conversation() {
        let script = load(
            "rules:\n- when: { system: You route, user: hi, tools: [a, b], nth: 2 }\n  steps:\n  - tool_calls: [{ name: a }]\n\
             \x20 - fail: { status: 500 }\n  - reply: { total: 20 }\n- reply: x\n  fail: { status: 500 }\n\
             steps:\n- [{ reply: one }, { reply: two }]\n- [{ reply: three }]\n",
        )
        .unwrap();
        let steps: Vec<_> = script.rules.iter().map(|rule| rule.step.map(|step| (step.of, step.at))).collect();
        let (route, later) = ([Some((0, 0)), Some((0, 1)), Some((0, 2))], [Some((1, 0)), Some((1, 1)), Some((2, 0))]);
        assert_eq!(steps, [&route[..], &[None], &later[..]].concat());
        let [first, failing, last, rule, ..] = script.rules.as_slice() else { panic!("{script:?}") };
        assert_eq!((first.when.nth, first.when.user.is_some()), (Some(2), true));
        // `system` and `tools` apply to the whole conversation, `user` and `nth` to its first request.
        assert!(last.when.system.is_some() && last.when.tools.is_some());
        assert!(last.when.user.is_none() && last.when.nth.is_none());
        assert_eq!(last.replies, [r#"{"total":20}"#]);
        let times = |rule: &ModelRule| rule.failure.as_ref().unwrap().times;
        assert_eq!((times(failing), times(rule)), (Some(1), None));
    }

    #[test]
    fn reports_problems_of_steps_and_conditions() {
        let problems = load(
            "rules:\n- steps: []\n- steps: [{ reply: [a, b] }]\n- steps: [{}]\n- steps: [{ reply: a }]\n  reply: b\n\
             - when: { tools: [] }\n  reply: b\n- when: { system: { regx: a } }\n  reply: b\n- when: { nth: 0 }\n  reply: b\n\
             steps: [{ when: { user: a }, reply: b }]\n",
        )
        .unwrap_err();
        assert_eq!(
            problems,
            [
                "model.yaml:2:10 `steps` must not be empty",
                "model.yaml:3:20 the `reply` of a step must be a string or a mapping, found a list",
                "model.yaml:4:11 this step has no answer",
                "model.yaml:6:10 a rule has `steps` or `reply`, not both",
                "model.yaml:7:18 `tools` names no tool",
                "model.yaml:9:21 unknown key `regx` in a pattern",
                "model.yaml:11:16 `nth` must be 1 or more, found 0",
                "model.yaml:13:11 unknown key `when` in a step",
            ]
        );
    }

    #[test]
    fn reports_all_problems_with_their_location() {
        let problems = load(
            "modle: x\nseed: -1\nrules:\n- when: { usr: a }\n  reply: b\n- when: { user: { regex: '(' } }\n  reply: b\n\
             - when: { user: a }\n- reply: x\n  finish: done\n  tokens_per_second: 0\n- fail: { status: 20, hang: true }\n\
             - tool_calls: [{ name: a, args: [1] }]\n",
        )
        .unwrap_err();
        assert_eq!(
            problems,
            [
                "model.yaml:1:1 unknown key `modle` in a model's script",
                "model.yaml:2:7 `seed` must be 0 or more, found -1",
                "model.yaml:4:11 unknown key `usr` in `when`",
                "model.yaml:6:26 this pattern cannot be used: unclosed group",
                "model.yaml:8:3 this rule has no answer",
                "model.yaml:10:11 `finish` must be one of `stop`, `length`, `tool_calls`, `content_filter`, found the string `done`",
                "model.yaml:11:22 `tokens_per_second` must be greater than 0, found 0",
                "model.yaml:12:9 `fail` has more than one kind of failure",
                "model.yaml:12:19 `status` must be from 400 to 599, found 20",
                "model.yaml:13:33 `args` must be a mapping, found a list",
            ]
        );
        assert_eq!(
            load("model: x\n").unwrap_err(),
            ["model.yaml:1:1 the script has neither `rules` nor `steps` nor `default`"]
        );
        assert_eq!(load("[1]\n").unwrap_err(), ["model.yaml:1:1 a model's script must be a mapping, found a list"]);
        let missing = load_model_script(&MemoryFiles::default(), &mut Sources::default(), Path::new("none.yaml"));
        assert_eq!(missing.unwrap_err().iter().next().unwrap().message, "cannot read `none.yaml`: no such file");
    }
}
