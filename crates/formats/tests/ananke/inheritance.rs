//! The merge of the three levels of assertions.

use std::fmt::Write as _;

use crate::project::{CONFIG, asked, config, good, load, messages, project, wrong_config, wrong_test};

fn turns(test: &str) -> String {
    format!("version: '1.0'\nname: a\n{test}")
}

/// The patterns and limits of each turn, and of the whole test.
fn short(config: &str, test: &str) -> (Vec<Vec<String>>, Vec<String>) {
    let short = |line: &String| {
        let (label, rest) = line.split_once(": ").unwrap();
        let kind = label.rsplit('.').next().unwrap();
        let argument = rest.rsplit(' ').next().unwrap().trim_end_matches(r#","of":"conversation"}"#);
        let argument = argument.trim_matches(|c: char| !c.is_alphanumeric());
        format!("{kind} {}", argument.rsplit(['"', ':']).next().unwrap())
    };
    let (turns, whole) = asked(&good(config, test));
    (turns.iter().map(|turn| turn.iter().map(short).collect()).collect(), whole.iter().map(short).collect())
}

#[test]
fn levels_combine_as_documented() {
    let text = |level: &str| format!("assert: {{ text: {{ must_match: {level}1, must_not_match: [{level}0] }} }}\n");
    let limit = |value: &str| format!("assert: {{ timing: {{ max_duration_ms: {value} }} }}\n");
    let plain = "turns: [{ user: a }]\n";
    for (target, test, turns_asked, whole) in [
        // Prohibitions apply to every turn, requirements are checked once.
        (
            text("c"),
            plain.to_owned() + &text("t"),
            vec!["must_not_match c0", "must_not_match t0"],
            vec!["must_match c1", "must_match t1", "must_not_match c0", "must_not_match t0"],
        ),
        // The requirements of a turn only apply to that turn.
        (
            String::new(),
            "turns:\n- user: a\n  ".to_owned() + &text("u"),
            vec!["must_match u1", "must_not_match u0"],
            vec![],
        ),
        // The innermost number wins, and `false` switches the limit off.
        (limit("10"), plain.to_owned(), vec!["max_duration_ms 10ms"], vec!["max_duration_ms 10ms"]),
        (
            limit("10"),
            plain.to_owned() + &limit("20.5"),
            vec!["max_duration_ms 20.5ms"],
            vec!["max_duration_ms 20.5ms"],
        ),
        (limit("10"), plain.to_owned() + &limit("false"), vec![], vec![]),
        (limit("10"), "turns:\n- user: a\n  ".to_owned() + &limit("false"), vec![], vec!["max_duration_ms 10ms"]),
        (limit("false"), "turns:\n- user: a\n  ".to_owned() + &limit("0"), vec!["max_duration_ms 0ms"], vec![]),
        (limit("10"), limit("false") + "turns:\n- user: a\n  " + &limit("30"), vec!["max_duration_ms 30ms"], vec![]),
        // An empty block has no checks.
        (String::new(), plain.to_owned() + "assert: {}\n", vec![], vec![]),
    ] {
        let found = short(&config(&target), &turns(&test));
        assert_eq!(
            found,
            (
                vec![turns_asked.into_iter().map(str::to_owned).collect()],
                whole.into_iter().map(str::to_owned).collect()
            ),
            "{target}{test}"
        );
    }
}

#[test]
fn inherit_all_applies_requirements_to_every_turn() {
    let block = |more: &str, word: &str| format!("assert: {{ {more} text: {{ must_match: {word} }} }}\n");
    let plain = "turns: [{ user: a }]\n";
    for (root, target, test, inherited) in [
        ("", block("", "c"), block("", "t"), vec![]),
        ("", block("inherit: all,", "c"), block("", "t"), vec!["must_match c"]),
        ("", block("", "c"), block("inherit: all,", "t"), vec!["must_match t"]),
        ("inherit: all\n", block("", "c"), block("", "t"), vec!["must_match c", "must_match t"]),
        ("inherit: all\n", block("", "c"), String::new(), vec!["must_match c"]),
        ("", block("", "c"), "inherit: all\n".to_owned(), vec!["must_match c"]),
        ("", block("", "c"), "inherit: all\n".to_owned() + &block("", "t"), vec!["must_match c", "must_match t"]),
    ] {
        let config = config(&target) + root;
        let (turns_asked, whole) = short(&config, &turns(&(plain.to_owned() + &test)));
        assert_eq!(turns_asked, [inherited], "{config}{test}");
        assert_eq!(whole[0], "must_match c");
    }
    assert_eq!(
        wrong_config(&format!("{CONFIG}inherit: some\n")),
        ["`inherit` must be one of `all`, found the string `some`"]
    );
    assert_eq!(
        wrong_test(&turns("turns: [{ user: a, assert: { inherit: all } }]\n")),
        ["unknown key `inherit` in `assert` of a turn"]
    );
}

const NAMED: &str = "assertions:\n  calm: { text: { must_not_match: [panic, error] } }\n  \
                     quick: { extends: [calm], timing: { max_duration_ms: 5 } }\n  \
                     slow: { timing: { max_duration_ms: 50 } }\n";

#[test]
fn named_blocks_apply_first_and_only_once() {
    let config = config("assert: { extends: [quick, calm] }") + NAMED;
    let test = turns(
        "assertions:\n  slow: { timing: { max_duration_ms: 70 } }\n\
         turns:\n- { user: a, assert: { extends: [calm, slow], text: { must_match: fine } } }\n\
         - { user: b, assert: { extends: slow, timing: { max_duration_ms: 9 } } }\n- user: c\n",
    );
    let (turns, whole) = short(&config, &test);
    let calm = ["must_not_match panic", "must_not_match error"];
    assert_eq!(turns[0], ["max_duration_ms 70ms", "must_match fine", calm[0], calm[1]]);
    assert_eq!(turns[1], ["max_duration_ms 9ms", calm[0], calm[1]]);
    assert_eq!(turns[2], ["max_duration_ms 5ms", calm[0], calm[1]]);
    assert_eq!(whole, turns[2]);
}

#[test]
fn refuses_missing_cyclic_or_too_deep_named_blocks() {
    let config = |more: &str| format!("{CONFIG}assertions:\n{more}");
    assert_eq!(
        wrong_config(&config("  a: { extends: [b] }\n  b: { extends: [c] }\n  c: { extends: [a] }\n")),
        ["the block `a` extends itself"]
    );
    assert_eq!(wrong_config(&config("  a: { extends: [a] }\n")), ["the block `a` extends itself"]);
    assert_eq!(
        wrong_config(&config("  a: { extends: [z, bb] }\n  bbb: {}\n")),
        ["unknown block `z`", "unknown block `bb`"]
    );
    let chain = (0..40).map(|n| format!("  b{n}: {{ extends: [b{}] }}\n", n + 1)).collect::<Vec<_>>().concat();
    for chain in [format!("{chain}  b40: {{}}\n"), chain.replace('b', "a").replace("a40]", "b]") + "  b: {}\n"] {
        let problems = wrong_config(&config(&chain));
        assert_eq!(problems, ["more than 32 levels of `extends`"]);
    }
    let loaded = load(
        &project(&(CONFIG.to_owned() + NAMED), &turns("turns: [{ user: a, assert: { extends: [clam] } }]\n")),
        &["p"],
    );
    assert_eq!(messages(&loaded), ["unknown block `clam`"]);
    assert_eq!(loaded.diagnostics.iter().next().unwrap().help.as_deref(), Some("did you mean `calm`?"));
}

#[test]
fn refuses_exponentially_expanding_assertions() {
    let mut blocks = String::from("assertions:\n  b0: { tools: { forbid: [x] } }\n");
    for n in 1..30 {
        writeln!(blocks, "  b{n}: {{ extends: [b{}, b{}] }}", n - 1, n - 1).unwrap();
    }
    let message = "the assertions expand to more than 100000 checks";
    assert_eq!(wrong_config(&(config("assert: { extends: [b29] }") + &blocks)), [message]);
    let loaded = load(
        &project(&(CONFIG.to_owned() + &blocks), &turns("turns: [{ user: a }]\nassert: { extends: [b29] }\n")),
        &["p"],
    );
    assert_eq!(messages(&loaded), [message]);
    let names = (0..400).map(|n| format!("t{n}")).collect::<Vec<_>>().join(", ");
    let many = "- { user: a, assert: { text: {} } }\n".repeat(400);
    let loaded = load(
        &project(&config(&format!("assert: {{ tools: {{ forbid: [{names}] }} }}")), &turns(&format!("turns:\n{many}"))),
        &["p"],
    );
    assert_eq!(messages(&loaded), [message]);
}
