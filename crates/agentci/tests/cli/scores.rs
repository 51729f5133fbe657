//! Partial scores that functions of a suite give.

use std::fs;

use serde_json::json;

use crate::suite::Suite;

const MOCK: &str = "target: { mock: { model_name: m, responses: [{ content: hello there, model: m, tokens_used: 2, latency_ms: 1 }] } }";

/// Each call of `grows` gives a higher score than the one before.
const PYTHON: &str = "calls = 0\n\ndef grows(output):\n    global calls\n    calls += 1\n    return calls / 4\n\n\
                      def tone(output, input, value):\n    return {'score': value, 'reason': 'no thanks'}\n\n\
                      def both(output, input, value):\n    return {'pass': True, 'score': value}\n";
const SCRIPT: &str = "export function tone(output: string, input: unknown, value: number) { return value }\n";

fn suite(cases: &str) -> Suite {
    Suite::empty()
        .file("suite/agentci.yaml", format!("suite: suite\n{MOCK}\ncases:\n{cases}"))
        .file("suite/tone.py", PYTHON)
        .file("suite/tone.ts", SCRIPT)
}

fn case(id: &str, check: &str) -> String {
    format!("- {{ id: {id}, input: {{ prompt: hi }}, checks: [{check}] }}\n")
}

fn tone(file: &str, value: &str, more: &str) -> String {
    format!("script: {{ file: {file}, function: tone, value: {value}{more} }}")
}

#[test]
fn score_is_compared_with_the_threshold_in_both_languages() {
    for file in ["tone.py", "tone.ts"] {
        let good = case("good", &tone(file, "0.8", ", threshold: 0.8"));
        let low = case("low", &tone(file, "0.7", ", threshold: 0.8"));
        let ran = suite(&format!("{good}{low}")).run(&[]);
        ran.only_wrong("low", "fail", "check");
        ran.says(&["`script` failed: `tone` gave the score 0.7, expected at least 0.8", "^^^ the score is 0.7"]);
        ran.says(&[&format!("score of 2 cases: least 0.7, mean 0.75 ({file}:tone)")]);
        let negated = case("high", &format!("not: {{ {} }}", tone(file, "0.9", ", threshold: 0.8")));
        let ran = suite(&format!("{good}{negated}")).run(&[]);
        ran.only_wrong("high", "fail", "check");
        ran.says(&["`tone` gave the score 0.9, at least 0.8, which `not` forbids"]);
        // Without a threshold it is unknown what a score means, also under `not`.
        for value in ["0.9", "1", "0"] {
            for check in [tone(file, value, ""), format!("not: {{ {} }}", tone(file, value, ""))] {
                let ran = suite(&format!("{good}{}", case("none", &check))).run(&[]);
                ran.only_wrong("none", "fail", "check");
                ran.says(&["but the check has no `threshold`", "such as `threshold: 0.8`"]);
            }
        }
        for value in ["1.5", "-1", "80"] {
            let check = tone(file, value, ", threshold: 0.8");
            let ran = suite(&format!("{good}{}", case("beyond", &check))).run(&[]);
            ran.only_wrong("beyond", "fail", "check");
            ran.says(&["but a score is from 0 to 1", "divide the score by its maximum"]);
        }
    }
}

#[test]
fn refuses_mistyped_threshold_with_its_place() {
    for (more, said, place) in [
        (", treshold: 0.8", "unknown key `treshold` in `script`", "did you mean `threshold`?"),
        (", threshold: 80", "`threshold` must be greater than 0 and at most 1, found 80", "write `0.8`"),
        (", threshold: 0", "every score reaches a `threshold` of 0", "every score is at least 0"),
        (", threshold: -1", "`threshold` must be greater than 0 and at most 1, found -1", "agentci.yaml:4:"),
        (", threshold: high", "`threshold` must be a number", "agentci.yaml:4:"),
    ] {
        let suite = suite(&case("a", &tone("tone.py", "0.9", more)));
        let ran = suite.agentci(&["check", "suite"]);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        ran.complains(&[said, place]);
        assert_eq!(suite.run(&[]).code, Some(1));
    }
}

#[test]
fn score_beside_a_verdict_is_recorded_and_must_reach_a_threshold() {
    let both = |value: &str, more: &str| format!("script: {{ file: tone.py, function: both, value: {value}{more} }}");
    let cases = [case("a", &both("0.2", "")), case("b", &both("0.2", ", threshold: 0.8"))];
    let ran = suite(&cases.concat()).run(&[]);
    ran.only_wrong("b", "fail", "check");
    assert_eq!(ran.case("a")["scores"], json!([{ "check": "tone.py:both", "score": 0.2 }]));
}

#[test]
fn scores_are_stored_and_averaged_over_runs_and_cases() {
    let grows = "script: { file: tone.py, function: grows, threshold: 0.2 }";
    let cases = [case("a", grows), case("b", &format!("{grows}, {}", tone("tone.ts", "1", ", threshold: 1")))];
    let suite = suite(&cases.concat());
    let ran = suite.run(&["--runs", "2", "--parallel", "1", "-v", "-o", "out.md"]);
    ran.all_passed();
    let checks: Vec<_> = ran.events().into_iter().filter(|event| event["type"] == "check").collect();
    assert_eq!(checks[0]["score"], json!({ "check": "tone.py:grows", "score": 0.25, "threshold": 0.2 }));
    let score =
        |check: &str, score: f64, threshold: f64| json!({ "check": check, "score": score, "threshold": threshold });
    assert_eq!(ran.case("a")["scores"], json!([score("tone.py:grows", 0.375, 0.2)]));
    assert_eq!(ran.case("b")["scores"], json!([score("tone.py:grows", 0.875, 0.2), score("tone.ts:tone", 1.0, 1.0)]));
    let means = json!([
        { "check": "tone.py:grows", "mean": 0.625, "min": 0.375, "cases": 2 },
        { "check": "tone.ts:tone", "mean": 1.0, "min": 1.0, "cases": 1 },
    ]);
    assert_eq!(ran.summary()["aggregates"]["scores"], means);
    ran.says(&[
        "score 0.25 (threshold 0.2, tone.py:grows)",
        "score of 2 cases: least 0.375, mean 0.625 (tone.py:grows)",
    ]);
    assert!(ran.junit().contains("score 0.25 (threshold 0.2, tone.py:grows)"), "{}", ran.junit());
    let markdown = fs::read_to_string(suite.path("out.md")).unwrap();
    assert!(markdown.contains("### Scores") && markdown.contains("| 0.625 | 0.375 | 2 |"), "{markdown}");
}
