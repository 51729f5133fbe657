//! `agentci diff A B`: what two runs did, step by step.

use std::fs;

use serde_json::{Value, json};

use crate::ran::{Ran, run_folders};
use crate::suite::Suite;

/// A suite with a case that finds an order and refunds an amount; the file `amount` changes it.
fn shop() -> Suite {
    let script = r#"call find '{"order":"A-17"}'
amount=20
if [ -e amount ]; then amount=$(cat amount); fi
call refund "{\"order\":\"A-17\",\"amount\":$amount}"
finish "{\"answer\":\"You get $amount euros back.\"}""#;
    let tape = concat!(
        r#"{"tool":"find","args":{"order":"A-17"},"ok":true,"result":{"sum":20}}"#,
        "\n",
        r#"{"tool":"refund","args":{"order":"A-17","amount":20},"ok":true,"result":{"refunded":20}}"#,
        "\n",
        r#"{"tool":"refund","args":{"order":"A-17","amount":200},"ok":true,"result":{"refunded":200}}"#,
        "\n",
    );
    Suite::new().setting("tool_registry: [find, refund]").case("refund", "", script).tape("refund", tape)
}

/// The folder of the last run, as an argument for the command line.
fn last(suite: &Suite) -> String {
    let folders = run_folders(&suite.path(".agentci/runs"));
    folders.last().unwrap().strip_prefix(suite.root()).unwrap().to_str().unwrap().to_owned()
}

/// A run as usual, and one with the other amount.
fn two_runs(suite: &Suite) -> [String; 2] {
    suite.run(&[]);
    let old = last(suite);
    fs::write(suite.path("amount"), "200").unwrap();
    suite.run(&[]);
    [old, last(suite)]
}

fn compared(suite: &Suite, old: &str, new: &str, more: &[&str]) -> Ran {
    suite.agentci(&[&["diff", old, new][..], more].concat())
}

/// JSON output with every kind of difference: two runs, and a baseline with arguments that it keeps as a fingerprint.
pub(crate) fn documents() -> Vec<String> {
    let long = "x".repeat(300);
    let script = format!(
        r#"amount=20
if [ -e amount ]; then amount=200; call check '{{}}'; fi
call refund "{{\"amount\":$amount}}"
call note "{{\"text\":\"{long}$amount\"}}"
finish "{{\"answer\":\"$amount euros\"}}""#
    );
    let line = |tool: &str, args: Value, result: Value| {
        json!({"tool": tool, "args": args, "ok": true, "result": result}).to_string()
    };
    let mut tape = vec![line("check", json!({}), json!(true))];
    for amount in [20, 200] {
        tape.push(line("refund", json!({"amount": amount}), json!({"refunded": amount})));
        tape.push(line("note", json!({"text": format!("{long}{amount}")}), json!("noted")));
    }
    let tape = tape.join("\n") + "\n";
    let tools = "tool_registry: [check, note, refund]";
    let suite =
        Suite::new().setting(tools).case("a", "", &script).tape("a", &tape).case("b", "", &script).tape("b", &tape);
    suite.run(&[]);
    let old = last(&suite);
    let suite = suite.file("amount", "").case("new", "", "finish '{}'");
    suite.run(&[]);
    let new = last(&suite);
    suite.agentci(&["baseline", "promote", "--from", &old, "--to", "baseline.json"]);
    ["baseline.json", &old].map(|old| compared(&suite, old, &new, &["--json"]).stdout).into()
}

#[test]
fn same_agent_does_not_differ_from_itself() {
    let suite = shop();
    suite.run(&[]);
    let old = last(&suite);
    suite.run(&[]);
    let ran = compared(&suite, &old, &last(&suite), &["--exit-code"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.ends_with("no difference in 2 cases\n"), "{ran:?}");
}

#[test]
fn changed_argument_is_the_first_divergence() {
    let suite = shop();
    let [old, new] = two_runs(&suite);
    let ran = compared(&suite, &old, &new, &[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let from = ran.stdout.find("  ~").unwrap();
    insta::assert_snapshot!(&ran.stdout[from..], @r#"
      ~  3  refund(order="A-17", amount=200)  <- first divergence
             arguments /amount: 20 -> 200
             result /refunded: 20 -> 200
      ~  4  result  (follows from step 3)
             result /answer: "You get [-20-]{+200+} euros back."

    1 of 2 cases differs
    "#);
    assert_eq!(compared(&suite, &old, &new, &["--exit-code"]).code, Some(1));
    let wide = suite.command(&["diff", &old, &new]).env("COLUMNS", "140").output().unwrap();
    let wide = String::from_utf8(wide.stdout).unwrap();
    let row = wide.lines().find(|line| line.contains("arguments /amount: 20 ")).unwrap();
    assert!(row.contains('|') && row.trim_end().ends_with("arguments /amount: 200"), "{wide}");
}

#[test]
fn json_has_every_step() {
    let suite = shop();
    let [old, new] = two_runs(&suite);
    let ran = compared(&suite, &old, &new, &["--json"]);
    let document: Value = serde_json::from_str(&ran.stdout).unwrap();
    let case = document["cases"].as_array().unwrap().iter().find(|case| case["id"] == "refund").unwrap();
    let steps: Vec<_> = case["steps"].as_array().unwrap().iter().map(|step| (&step["change"], &step["role"])).collect();
    assert_eq!(
        steps,
        [
            (&json!("same"), &Value::Null),
            (&json!("same"), &Value::Null),
            (&json!("changed"), &json!("first_divergence")),
            (&json!("changed"), &json!("follows")),
        ]
    );
    assert_eq!((&case["first_divergence"], &document["cases_different"]), (&json!(2), &json!(1)));
}

#[test]
fn baseline_shows_arguments_and_names_what_it_does_not_keep() {
    let suite = shop();
    let [old, new] = two_runs(&suite);
    suite.agentci(&["baseline", "promote", "--from", &old, "--to", "baseline.json"]);
    let same = compared(&suite, "baseline.json", &old, &["--exit-code"]);
    assert_eq!(same.code, Some(0), "{same:?}");
    same.says(&["not compared: results of calls", "no difference in 2 cases"]);
    let ran = compared(&suite, "baseline.json", &new, &["--exit-code"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.says(&["arguments /amount: 20 -> 200", "not compared: results of calls", "1 of 2 cases differs"]);
    assert!(!ran.stdout.contains("refunded"), "{ran:?}");
}

#[test]
fn killed_run_is_not_called_equal() {
    let suite = shop();
    suite.run(&[]);
    let old = last(&suite);
    let whole = fs::read_to_string(suite.path(&old).join("run.jsonl")).unwrap();
    let half = whole.len() / 2;
    let suite = suite.file("killed/run.jsonl", &whole[..half]);
    let ran = compared(&suite, &old, "killed", &["--exit-code"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.says(&["its run did not end"]);
    assert!(ran.stderr.contains("the last line of `killed` is cut off"), "{ran:?}");
}

#[test]
fn refuses_what_is_not_a_run() {
    let suite = shop();
    suite.run(&[]);
    let run = last(&suite);
    let start = fs::read_to_string(suite.path(&run).join("run.jsonl")).unwrap();
    let start = start.lines().next().unwrap().to_owned() + "\n";
    let other = fs::read_to_string(suite.path(&run).join("run.jsonl")).unwrap();
    let other = other.replace(r#""suite":"suite""#, r#""suite":"other""#).replace("refund", "x").replace("good", "y");
    let suite = suite
        .file("folder/notes.txt", "")
        .file("empty/run.jsonl", "")
        .file("early/run.jsonl", start)
        .file("other/run.jsonl", other)
        .file("list.json", "[]");
    for (path, message, help) in [
        ("folder", "`folder` is not a run folder: it has no `run.jsonl`", "pass a run folder"),
        ("missing", "the baseline `missing` cannot be used", "pass a run folder"),
        ("list.json", "the baseline `list.json` cannot be used", "pass a run folder"),
        ("empty", "`empty/run.jsonl` contains no run events", "pass a run folder"),
        ("early", "`early` has no cases", "at least one case"),
        ("other", "they have no case in common", "runs of the same suite"),
    ] {
        let ran = compared(&suite, &run, path, &[]);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{path}: {ran:?}");
        assert!(ran.stderr.contains(message) && ran.stderr.contains(help), "{path}: {ran:?}");
    }
    for arguments in [&["diff", &run][..], &["diff"], &["diff", &run, &run, "--baseline", "x"]] {
        assert_eq!(suite.agentci(arguments).code, Some(2), "{arguments:?}");
    }
}
