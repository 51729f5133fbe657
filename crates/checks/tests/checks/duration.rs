//! Limits on the total time of an agent, and on its time without a tool call.

use std::path::Path;

use agentci_checks::{Lookup, refill, single};
use agentci_plan::Check;
use agentci_source::{MemoryFiles, Node, Sources, Span};
use agentci_trace::{EventKind, Trace};
use agentci_verdict::Outcome;
use serde_json::{Value, json};

use crate::trial::{Story, check, failure, holds};

/// One turn from 1000 to 1500 ms.
fn turn() -> Trace {
    Story::default().after_ms(1000).start().after_ms(500).end().told()
}

/// `search` at 100 ms is answered at 300 ms, `pay` at 350 ms is never answered, and the turn ends at 700 ms.
fn busy() -> Trace {
    Story::default()
        .start()
        .after_ms(100)
        .calls("search", json!({}))
        .after_ms(200)
        .answers(1, json!("found"))
        .after_ms(50)
        .calls("pay", json!({}))
        .after_ms(350)
        .end()
        .told()
}

#[test]
fn fails_only_above_the_limit() {
    for (max, good) in [("500ms", true), ("0.5s", true), ("499ms", false), ("499999us", false), ("1h", true)] {
        assert_eq!(holds("duration", &json!({ "max": max }), false, &turn()), good, "{max}");
        assert_eq!(holds("duration", &json!({ "max": max }), true, &turn()), !good, "not {max}");
        assert_eq!(holds("duration", &json!({ "idle": max }), false, &turn()), good, "idle {max}");
    }
    let little = Story::default().start().after_us(500_001).end().told();
    let slow = failure("duration", &json!({"max": "500ms"}), false, &little, &["max"]);
    assert_eq!(slow.message, "the agent took 500.001 ms, the limit is 500 ms");
    assert_eq!(slow.label, "it took 500.001 ms");
    assert_eq!((&slow.details[0].expected, &slow.details[0].actual), (&json!(500), &json!(500.001)));
}

#[test]
fn measures_from_first_start_to_last_end() {
    let log = || EventKind::Log { level: "info".into(), message: "late".into(), data: None };
    let start = Story::default;
    for (what, trace, took) in [
        ("nothing happened", start().told(), "0"),
        (
            "what comes before and after does not count",
            start().push(log()).after_ms(1).start().after_ms(2).end().after_ms(4).push(log()).told(),
            "2",
        ),
        (
            "turns and what is between them",
            start().start().after_ms(1).end().after_ms(2).next_turn().start().after_ms(4).end().told(),
            "7",
        ),
        (
            "a turn without an end",
            start().start().after_ms(1).end().next_turn().start().after_ms(2).says("x").told(),
            "3",
        ),
        ("no bounds at all", start().after_ms(1).says("x").after_ms(2).says("y").told(), "2"),
    ] {
        let asked = json!({ "max": format!("{took}ms") });
        assert!(holds("duration", &asked, false, &trace), "{what}: more than {took} ms");
        if took != "0" {
            let less = json!({ "max": format!("{}us", took.parse::<u64>().unwrap() * 1000 - 1) });
            assert!(!holds("duration", &less, false, &trace), "{what}: less than {took} ms");
        }
    }
}

#[test]
fn calls_count_at_their_result_times() {
    // The gaps are 300, 50 and 350 ms.
    for (idle, good) in [("350ms", true), ("349ms", false), ("300ms", false), ("1s", true)] {
        assert_eq!(holds("duration", &json!({ "idle": idle }), false, &busy()), good, "{idle}");
    }
    let last = failure("duration", &json!({"idle": "300ms"}), false, &busy(), &["idle"]);
    assert_eq!(last.message, "no tool call for 350 ms from `pay` to the end, the limit is 300 ms");
    assert_eq!(last.label, "350 ms from `pay` to the end");
    assert!(last.notes.is_empty());
}

#[test]
fn every_long_gap_is_reported() {
    let all = failure("duration", &json!({"idle": "49ms"}), false, &busy(), &["idle"]);
    assert_eq!(all.message, "3 gaps without a tool call are longer than 49 ms");
    assert_eq!(
        all.notes,
        ["300 ms from the start to `search`", "50 ms between `search` and `pay`", "350 ms from `pay` to the end"]
    );
    assert_eq!(all.details.len(), 3);
    let whole = failure("duration", &json!({"idle": "100ms"}), false, &turn(), &["idle"]);
    assert_eq!(whole.message, "no tool call for 500 ms from start to end, the limit is 100 ms");
}

#[test]
fn out_of_order_results_across_turns_are_sorted() {
    // `slow` is called first and answered last; the gaps are 10, 20, 40 (over the turns' bounds) and 80 ms.
    let trace = Story::default()
        .start()
        .calls("slow", json!({}))
        .calls("quick", json!({}))
        .after_ms(10)
        .answers(2, json!(1))
        .after_ms(20)
        .answers(1, json!(1))
        .after_ms(15)
        .end()
        .next_turn()
        .start()
        .after_ms(25)
        .called("late", json!({}), json!(1))
        .after_ms(80)
        .end()
        .told();
    let all = failure("duration", &json!({"idle": "5ms"}), false, &trace, &["idle"]);
    assert_eq!(
        all.notes,
        [
            "10 ms from the start to `quick`",
            "20 ms between `quick` and `slow`",
            "40 ms between `slow` and `late`",
            "80 ms from `late` to the end",
        ]
    );
    // The second turn by itself starts at its own beginning.
    let one = failure("duration", &json!({"idle": "24ms"}), false, &trace.of_turn(1), &["idle"]);
    assert_eq!(one.notes, ["25 ms from the start to `late`", "80 ms from `late` to the end"]);
}

#[test]
fn both_exceeded_limits_are_reported_together() {
    let asked = json!({"max": "100ms", "idle": "300ms"});
    let both = failure("duration", &asked, false, &busy(), &["max"]);
    assert_eq!(both.message, "the agent took 700 ms, the limit is 100 ms");
    assert_eq!(both.notes, ["no tool call for 350 ms from `pay` to the end, the limit is 300 ms"]);
    assert_eq!(both.details.len(), 2);
    assert!(holds("duration", &json!({"max": "700ms", "idle": "350ms"}), false, &busy()));
    failure("duration", &json!({"max": "700ms", "idle": "300ms"}), false, &busy(), &["idle"]);
}

#[test]
fn refuses_missing_or_invalid_limits() {
    for (asked, why) in [
        (json!({}), "`duration` needs `max` or `idle`"),
        (json!({"max": null}), "`duration` needs `max` or `idle`"),
        (json!({"max": 120}), "`max` must be a duration, found the number 120"),
        (json!({"idle": "soon"}), "`idle` must be a duration, found the string `soon`"),
        (json!({"max": "1s", "mean": "1s"}), "unknown key `mean` in `duration`"),
        (json!("120s"), "`duration` must be a mapping, found the string `120s`"),
        (Value::Null, "`duration` must be a mapping, found nothing"),
    ] {
        assert_eq!(check("duration", &asked, false).problem().message, why, "{asked}");
    }
}

#[test]
fn limit_with_variable_is_parsed_once_known() {
    let span = Span::whole(Sources::default().add(Path::new("s"), ""));
    let arguments = Node::from_value(&json!({"max": "${MAX}"}), span);
    let check = Check { templated: true, ..Check::new("duration", span, arguments) };
    let files = MemoryFiles::default();
    let waiting = single(check, &files, Path::new("")).unwrap();
    let filled =
        |max: &str| refill(&waiting, &files, Path::new(""), Lookup::of_text(&|_| Some(max.to_owned()))).unwrap();
    assert_eq!(filled("1s").unwrap().evaluate(&turn()), Outcome::Passed);
    assert!(matches!(filled("1ms").unwrap().evaluate(&turn()), Outcome::Failed(_)));
    assert!(filled("soon").is_err());
}
