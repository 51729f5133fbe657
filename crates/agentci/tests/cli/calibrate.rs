//! `agentci check --calibrate`: semantic checks measured on labelled pairs.

use crate::suite::Suite;

const PAIRS: &str = "# What a customer may be told.\n\
    {\"expected\": \"Your refund was approved.\", \"answer\": \"We approved your refund.\", \"same\": true, \"kind\": \"refunds\"}\n\
    {\"expected\": \"Your refund was approved.\", \"answer\": \"Your refund was not approved.\", \"same\": false, \"kind\": \"refunds\"}\n\
    \n\
    {\"expected\": \"The total is 20 euros.\", \"answer\": \"The total is 30 euros.\", \"same\": false, \"kind\": \"totals\"}\n\
    {\"expected\": \"The total is 20 euros.\", \"answer\": \"The weather in Lisbon is fine.\", \"same\": false}\n\
    {\"expected\": \"We deliver on Sundays.\", \"answer\": \"Bananas grow in warm countries.\", \"same\": true}\n";

#[test]
fn shows_what_each_part_of_the_check_catches() {
    let suite = Suite::empty().file("labels.jsonl", PAIRS);
    let ran = suite.agentci(&["check", "--calibrate", "labels.jsonl", "--embedder", "builtin"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
    let row = |name: &str| {
        let line = ran.stdout.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{}", ran.stdout));
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert!(ran.stdout.starts_with("5 pairs: 2 right and 3 wrong answers; embedder builtin:"), "{}", ran.stdout);
    assert_eq!(row("threshold 0.5"), "threshold 0.5 1 of 3 (33.3 %) 1 of 2 (50.0 %)");
    assert_eq!(row("contradictions"), "contradictions 1 of 3 (33.3 %) 0 of 2 (0.0 %)");
    assert_eq!(row("all three"), "all three 3 of 3 (100.0 %) 1 of 2 (50.0 %)");
    assert_eq!(row("refunds"), "refunds 1 of 1 (100.0 %) 0 of 1 (0.0 %)");
    ran.says(&[
        "best threshold with facts and contradictions: ",
        "right answers that are refused:\n  labels.jsonl:7: ",
    ]);
}

#[test]
fn wrong_label_is_refused_with_its_line() {
    let suite = Suite::empty().file("labels.jsonl", format!("{PAIRS}{{\"expected\": \"a\", \"answer\": \"b\"}}\n"));
    let ran = suite.agentci(&["check", "--calibrate", "labels.jsonl"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
    ran.complains(&["labels.jsonl:8:32: not a labelled pair: missing field `same`", "help: write `{\"expected\""]);
    for (file, message) in [("none.jsonl", "cannot be read"), ("empty.jsonl", "contains no pairs")] {
        let ran = Suite::empty().file("empty.jsonl", "# nothing\n").agentci(&["check", "--calibrate", file]);
        assert_eq!(ran.code, Some(1));
        ran.complains(&[message, "help: "]);
    }
}

#[test]
fn pairs_of_one_label_give_no_threshold() {
    let suite = Suite::empty().file("labels.jsonl", PAIRS.lines().take(2).collect::<Vec<_>>().join("\n"));
    let ran = suite.agentci(&["check", "--calibrate", "labels.jsonl", "--embedder", "builtin"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    ran.says(&["no threshold can be recommended: there are only right or only wrong answers"]);
}
