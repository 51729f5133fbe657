//! Semantic checks with the built-in embedder, and with an embeddings service that may fail.

use std::fmt::Write as _;
use std::time::Instant;

use serde_json::{Value, json};

use crate::embeddings::{Embeddings, Reply};
use crate::ran::Ran;
use crate::suite::Suite;

const BUILTIN: &str = "builtin:paraphrase-minilm-l3-q4@dabb40d5";
const SMALL: &str = "openai:text-embedding-3-small";

/// A suite of cases, each with an answer and its checks; `head` is added at the top.
fn answering(head: &str, cases: &[(&str, &str, &str)]) -> Suite {
    let mut yaml = format!("suite: suite\n{head}\ntarget:\n  mock:\n    model_name: m\n    responses:\n");
    for (_, answer, _) in cases {
        let answer = json!(answer);
        writeln!(yaml, "      - {{ content: {answer}, model: m, tokens_used: 1, latency_ms: 1 }}").unwrap();
    }
    yaml += "cases:\n";
    for (id, _, checks) in cases {
        writeln!(yaml, "  - id: {id}\n    turns: [{{ user: What about my payment? }}]\n    checks:\n{checks}").unwrap();
    }
    Suite::empty().file("suite/agentci.yaml", yaml)
}

/// Runs it with these environment variables.
fn run_with(suite: &Suite, variables: &[(&str, &str)], more: &[&str]) -> Ran {
    let started = Instant::now();
    let mut command = suite.command(&[&["run", "suite"], more].concat());
    command.envs(variables.iter().copied());
    let output = command.output().unwrap();
    suite.ran(&output, started.elapsed())
}

/// Runs it with an embeddings service and an API key.
fn run_at(service: &Embeddings, suite: &Suite, more: &[&str]) -> Ran {
    run_with(suite, &[("OPENAI_API_KEY", "sk-1234567890"), ("OPENAI_BASE_URL", service.url())], more)
}

fn evidence(ran: &Ran, id: &str) -> Value {
    let events = ran.events();
    let found = events.iter().find(|event| event["type"] == "check" && event["case_id"] == id);
    found.unwrap_or_else(|| panic!("{id}: {ran:?}"))["evidence"].clone()
}

const CHARGED: &str = "Your card was charged 20 euros on 15 March.";

#[test]
fn builtin_embedder_works_without_key_or_network() {
    let suite = answering(
        "",
        &[
            ("same", "We charged 20 euros to your card on March 15.", &format!("      - semantic: {CHARGED}")),
            ("far", "Cats sleep most of the day.", &format!("      - semantic: {CHARGED}")),
            ("not-that", "Cats sleep most of the day.", &format!("      - not: {{ semantic: {CHARGED} }}")),
        ],
    );
    let ran = suite.run(&["-v"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let verdicts: Vec<String> = ran.verdicts().into_iter().map(|verdict| verdict.1).collect();
    assert_eq!(verdicts, ["fail", "pass", "pass"]);
    let seen = evidence(&ran, "same");
    let similarity = seen["similarity"].as_f64().unwrap();
    assert!(similarity > 0.6 && similarity <= 1.0, "{seen}");
    assert_eq!((&seen["embedder"], &seen["threshold"], seen.get("facts")), (&json!(BUILTIN), &json!(0.5), None));
    let row = ran.case("same");
    assert_eq!(row["embedder"], BUILTIN);
    assert_eq!(format!("{:.4}", row["similarity"].as_f64().unwrap()), format!("{similarity:.4}"));
    assert!(row["similarity"].to_string().len() <= 6, "four decimals: {row}");
    assert_eq!(row["similarities"][0]["threshold"], 0.5);
    let shown = format!("similarity {similarity:.4} (threshold 0.5000, {BUILTIN})");
    ran.says(&[
        &format!("check `semantic` passed: {CHARGED}; {shown}"),
        "similarity of 2 cases: least ",
        BUILTIN,
        "is below 0.5 (",
    ]);
    assert!(ran.junit_case("same").contains(&format!("<system-out>{shown}</system-out>")), "{}", ran.junit());
}

#[test]
fn missing_facts_fail_warn_or_are_ignored() {
    let check = |facts: &str| format!("      - semantic: {{ expected: {CHARGED}, facts: {facts} }}");
    let answer = "Your card was charged 25 euros on 15 March.";
    let suite = answering(
        "",
        &[
            ("by-itself", answer, &format!("      - semantic: {CHARGED}")),
            ("warned", answer, &check("warn")),
            ("off", answer, &check("off")),
        ],
    );
    let ran = suite.run(&[]);
    ran.only_wrong("by-itself", "fail", "check");
    ran.says(&[
        "the answer lacks expected facts: number `20`",
        "only in the answer: number `25`",
        "  warning: the answer differs from the expected text: missing: number `20`; only in the answer: number `25`\n",
    ]);
    assert_eq!(
        ran.case("warned")["warnings"],
        json!(["the answer differs from the expected text: missing: number `20`; only in the answer: number `25`"])
    );
    let missing = json!([{ "kind": "number", "text": "20" }]);
    assert_eq!(ran.case("warned")["similarities"][0]["facts"]["missing"], missing);
    assert!(ran.case("off").get("warnings").is_none() && evidence(&ran, "off").get("facts").is_none());
}

#[test]
fn contradictions_fail_warn_or_are_ignored() {
    let approved = "Your refund of order 5 was approved.";
    let check = |contradictions: &str| {
        format!("      - semantic: {{ expected: {approved}, contradictions: {contradictions} }}")
    };
    let denied = "Thanks for asking. Your refund of order 5 was not approved.";
    let suite = answering(
        "embedder: builtin",
        &[
            ("by-itself", denied, &format!("      - semantic: {approved}")),
            ("warned", denied, &check("warn")),
            ("off", denied, &check("off")),
            ("good", "Good news: your refund of order 5 was approved.", &format!("      - semantic: {approved}")),
        ],
    );
    let ran = suite.run(&[]);
    ran.only_wrong("by-itself", "fail", "check");
    let found = "negation: expected: approved; the answer says: not approved";
    ran.says(&[&format!("the answer contradicts the expected text: {found}")]);
    assert_eq!(
        ran.case("warned")["warnings"],
        json!([format!("the answer differs from the expected text: contradiction: {found}")])
    );
    assert!(ran.case("off").get("warnings").is_none() && ran.case("good").get("warnings").is_none());
}

#[test]
fn languages_that_are_not_judged_are_reported_once() {
    let check = "      - semantic: { expected: Возврат одобрен, threshold: 0 }";
    let cases = [("one", "Возврат не одобрен", check), ("two", "Возврат не одобрен", check)];
    let ran = answering("embedder: builtin", &cases).run(&[]);
    let warned = ["one", "two"].map(|id| ran.case(id).get("warnings").map(ToString::to_string).unwrap_or_default());
    assert_eq!(warned.iter().filter(|warning| warning.contains("contradictions are judged in English")).count(), 1);
}

#[test]
fn number_is_found_in_any_notation() {
    let suite = answering(
        "",
        &[
            (
                "stated",
                "That is 1.234,50 € for twenty days.",
                "      - number: { value: 1234.5, unit: EUR }\n      - number: 20",
            ),
            ("other", "On 2026-11-20 you paid 120 (v20, 20.5).", "      - number: 20"),
            ("forbidden", "On 2026-11-20 you paid 120.", "      - not: { number: 20 }"),
            ("ambiguous", "You paid 1.200 in total.", "      - number: 1200"),
        ],
    );
    let ran = suite.run(&[]);
    ran.only_wrong("other", "fail", "check");
    ran.says(&["the answer does not state the number 20"]);
    assert_eq!(ran.case("ambiguous")["warnings"], json!(["the number is ambiguous: `1.200` may mean 1.2 or 1200"]));
}

#[test]
fn missing_facts_warn_by_default_in_runledger_suites() {
    let yaml = |facts: &str| format!("assertions: [{{ type: semantic, expected: {CHARGED}{facts} }}]");
    let finish = "finish '{\"answer\":\"Your card was charged 25 euros on 15 March.\"}'";
    let suite = Suite::new().case("warned", &yaml(""), finish).case("strict", &yaml(", facts: fail"), finish);
    let ran = suite.run(&[]);
    ran.only_wrong("strict", "fail", "check");
    assert!(ran.case("warned")["warnings"][0].as_str().unwrap().contains("missing: number `20`"));
}

#[test]
fn threshold_depends_on_the_selected_embedder() {
    let check = "      - semantic: { expected: Paid in full., threshold: { openai: 0.75, builtin: 0.99 } }";
    let cases = [("near", "Nearly paid.", check), ("exact", "Paid in full.", check)];
    let service = Embeddings::new(|_, _| Reply::Vectors);
    // With an API key in the environment, the service is the default.
    run_at(&service, &answering("", &cases), &["--parallel", "1"]).all_passed();
    assert_eq!(service.texts(), ["Paid in full.", "Nearly paid."], "each text is asked for once");
    let asked = service.asked();
    assert_eq!((asked[0].path.as_str(), asked[0].key.as_str()), ("/v1/embeddings", "Bearer sk-1234567890"));
    assert_eq!(asked[0].body["model"], "text-embedding-3-small");
    // The suite or the flag can select the built-in embedder, even with an API key.
    let pinned = answering("embedder: builtin", &cases);
    let by_flag = answering("", &cases);
    for ran in [run_at(&service, &pinned, &[]), run_at(&service, &by_flag, &["--embedder", "builtin"])] {
        ran.only_wrong("near", "fail", "check");
        assert_eq!(ran.case("near")["embedder"], BUILTIN);
    }
    assert_eq!(service.asked().len(), asked.len());
    // The flag takes precedence over the suite, and a service may need no key.
    let ran = run_with(
        &answering("embedder: builtin", &cases),
        &[("OPENAI_API_BASE", service.url())],
        &["--embedder", "openai:other"],
    );
    ran.all_passed();
    assert_eq!(ran.case("near")["embedder"], "openai:other");
    assert_eq!(service.asked().last().unwrap().key, "");
}

#[test]
fn threshold_for_another_embedder_is_not_used() {
    let suite = answering(
        "",
        &[
            ("good", "Paid in full.", "      - semantic: { expected: Paid in full., threshold: 0.9 }"),
            ("other", "Paid in full.", "      - semantic: { expected: Paid in full., threshold: { openai: 0.8 } }"),
        ],
    );
    let ran = suite.run(&[]);
    ran.only_wrong("other", "error", "config");
    ran.says(&[&format!("no threshold is set for the embedder `{BUILTIN}`"), "only for `openai`"]);
}

#[test]
fn unknown_embedder_is_reported_before_the_run() {
    let cases = [("a", "Paid.", "      - semantic: Paid.")];
    let ran = answering("embedder: local:x", &cases).run(&[]);
    assert_eq!((ran.code, ran.run_folders().len()), (Some(1), 0), "{ran:?}");
    ran.complains(&["error: unknown embedder `local:x`", "suite/agentci.yaml:2:11", "help: use `builtin`"]);
    let ran = answering("", &cases).run(&["--embedder", "local:x"]);
    assert_eq!((ran.code, ran.run_folders().len()), (Some(1), 0), "{ran:?}");
    ran.complains(&["unknown embedder `local:x`; use `builtin`"]);
    let ran = answering("", &cases).run(&["--embedder", "openai"]);
    assert_eq!(ran.verdicts(), [("a".into(), "error".into(), "embedding".into())]);
    ran.says(&["needs an API key, but `OPENAI_API_KEY` is not set (embedding)", "help: set it, set `OPENAI_BASE_URL`"]);
}

const PAID: &str = "      - semantic: { expected: Paid in full., threshold: 0.75, facts: off }";

#[test]
fn temporary_service_errors_are_retried() {
    let service = Embeddings::new(|number, _| match number {
        0 => Reply::Say(429, "retry-after: 1\r\n", "{}"),
        1 => Reply::Say(500, "", "oops"),
        2 => Reply::Say(200, "", "<html>not embeddings</html>"),
        _ => Reply::Vectors,
    });
    let ran = run_at(&service, &answering("", &[("a", "Nearly paid.", PAID)]), &[]);
    ran.all_passed();
    assert_eq!(service.asked().len(), 4);
    assert!(ran.took.as_millis() >= 1_000, "it waited as long as it was asked to");
    let similarity = evidence(&ran, "a")["similarity"].as_f64().unwrap();
    assert!((similarity - 0.8).abs() < 1e-6, "{similarity}");
}

#[test]
fn service_outage_fails_only_the_affected_cases() {
    let service = Embeddings::new(|_, texts| match texts.iter().find_map(|text| text.strip_prefix("Answer ")) {
        Some("500") => Reply::Say(500, "", "{\"error\":{\"message\":\"out of order\"}}"),
        Some("garbage") => Reply::Say(200, "", "garbage"),
        Some("count") => Reply::Say(200, "", "{\"data\":[]}"),
        Some("401") => Reply::Say(401, "", "{}"),
        _ => Reply::Vectors,
    });
    let suite = answering(
        "",
        &[
            ("down", "Answer 500", PAID),
            ("garbage", "Answer garbage", PAID),
            ("count", "Answer count", PAID),
            ("key", "Answer 401", PAID),
            ("far", "Something else", PAID),
            ("good", "Nearly paid.", PAID),
            ("blank", " ", PAID),
        ],
    );
    let ran = run_at(&service, &suite, &[]);
    assert_eq!(ran.code, Some(1));
    let ended: Vec<(String, String)> =
        ran.verdicts().into_iter().map(|(id, status, cause)| (id, format!("{status} {cause}"))).collect();
    let ended: Vec<(&str, &str)> = ended.iter().map(|(id, word)| (id.as_str(), word.as_str())).collect();
    assert_eq!(
        ended,
        [
            ("blank", "fail check"),
            ("count", "error embedding"),
            ("down", "error embedding"),
            ("far", "fail check"),
            ("garbage", "error embedding"),
            ("good", "pass "),
            ("key", "error embedding"),
        ]
    );
    ran.says(&[&format!("`{SMALL}` returned no embeddings after 4 attempts"), "out of order", "the answer is empty"]);
    let tries = |answer: &str| service.texts().iter().filter(|text| *text == answer).count();
    assert_eq!((tries("Answer 500"), tries("Answer garbage"), tries("Answer 401")), (4, 4, 1));
    assert!(service.texts().iter().all(|text| !text.trim().is_empty()), "a blank answer is not asked about");
    let written = std::fs::read_to_string(ran.run_folder().join("run.jsonl")).unwrap();
    assert!(!written.contains("sk-1234567890"));
    ran.ended_soon_after(8);
}

#[test]
fn hanging_service_has_a_timeout() {
    let service = Embeddings::new(|_, _| Reply::Hang);
    let suite = answering("", &[("hangs", "Nearly paid.", PAID), ("blank", "", PAID)]);
    let ran = run_at(&service, &suite, &["--semantic-timeout", "200ms"]);
    assert_eq!(ran.code, Some(1));
    assert_eq!(ran.case("hangs")["cause"], "embedding");
    assert_eq!(service.asked().len(), 4);
    // Four attempts of 200 ms, with pauses of at most 0.5, 1 and 2 s between them.
    ran.ended_soon_after(5);
}

#[test]
fn does_not_wait_for_long_retry_after() {
    let service = Embeddings::new(|_, _| Reply::Say(429, "retry-after: 3600\r\n", "{}"));
    let ran = run_at(&service, &answering("", &[("a", "Nearly paid.", PAID)]), &[]);
    assert_eq!((ran.code, service.asked().len()), (Some(1), 1));
    assert_eq!(ran.case("a")["cause"], "embedding");
    ran.ended_soon_after(1);
}

#[test]
fn scripted_model_is_not_used_for_embeddings() {
    // The agent gets the address of its scripted model; the embedder uses only the environment of agentci.
    let suite = Suite::native(&format!(
        "world: {{ model: {{ script: model.yaml, optional: true }} }}\ncases: [{{ id: a, input: {{}}, checks: [{{ semantic: {CHARGED} }}] }}]\n"
    ))
    .file("suite/model.yaml", "rules: [{ reply: done }]\n")
    .agent("a", "finish '{\"answer\":\"We charged 20 euros to your card on March 15.\"}'");
    let ran = suite.run(&[]);
    assert_eq!(ran.case("a")["embedder"], BUILTIN, "{ran:?}");
    ran.all_passed();
}

#[test]
fn baseline_shows_drops_only_for_the_same_embedder() {
    let check = format!("      - semantic: {{ expected: {CHARGED}, threshold: 0, facts: off }}");
    let good = answering("", &[("a", "We charged 20 euros to your card on March 15.", &check)]);
    let ran = good.run(&[]);
    ran.all_passed();
    let folder = ran.run_folder();
    let promoted = good.agentci(&["baseline", "promote", "--from", folder.to_str().unwrap(), "--to", "baseline.json"]);
    assert_eq!(promoted.code, Some(0), "{promoted:?}");
    let baseline = good.path("baseline.json");
    let worse = answering("", &[("a", "Cats sleep most of the day.", &check)]);
    let ran = worse.run(&["--baseline", baseline.to_str().unwrap()]);
    assert_eq!(ran.code, Some(0), "a drop is no failure: {ran:?}");
    ran.says(&["  a: similarity 0.", BUILTIN]);
    let dropped = &ran.summary()["regression"]["case_diffs"]["similarity_dropped"][0];
    assert!(dropped["baseline"].as_f64() > dropped["current"].as_f64(), "{dropped}");
    let service = Embeddings::new(|_, _| Reply::Vectors);
    let ran = run_at(&service, &worse, &["--baseline", baseline.to_str().unwrap(), "--output-dir", "other"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    ran.says(&[
        "no case changed since",
        &format!(
            "similarities of 1 case are not compared: the baseline used the embedder `{BUILTIN}`, this run `{SMALL}`"
        ),
    ]);
}
