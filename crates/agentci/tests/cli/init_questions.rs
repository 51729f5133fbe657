//! The questions that `agentci init` asks at a terminal.

use std::fs;

use crate::suite::Suite;
use crate::terminal::typed;

#[test]
fn default_answers_create_passing_example() {
    let suite = Suite::empty();
    let (shown, code) = typed(&suite, &["", "", ""], &["init"]);
    assert_eq!(code, 0, "{shown}");
    for part in [
        "What kind of agent do you have?\n  1) command  A program that speaks JSON lines",
        "\n  8) answers  No agent",
        "Number or name? [1] ",
        "Its command, as typed in a shell? [an example] ",
        "Folder for the suite? [agent-tests] ",
        "wrote agent-tests/agentci.yaml\n",
        "next steps:\n  agentci check agent-tests\n  agentci run agent-tests\n",
    ] {
        assert!(shown.contains(part), "no {part:?} in {shown}");
    }
    assert_eq!(suite.agentci(&["run", "agent-tests"]).code, Some(0));
}

#[test]
fn kind_can_be_chosen_by_number() {
    for (number, kind) in (1..).zip(["command", "http", "agui", "a2a", "mcp", "sdk", "prompts", "answers"]) {
        let suite = Suite::empty();
        let asked_for_agent = !["prompts", "answers"].contains(&kind);
        let number = number.to_string();
        let answers: &[&str] = if asked_for_agent { &[&number, ""] } else { &[&number] };
        let (shown, code) = typed(&suite, answers, &["init", "by-number"]);
        assert_eq!(code, 0, "{shown}");
        assert_eq!(suite.agentci(&["init", "by-number2", "--kind", kind]).code, Some(0));
        let name = if kind == "answers" { "01_text.yaml" } else { "agentci.yaml" };
        let read = |folder: &str| fs::read_to_string(suite.path(folder).join(name)).unwrap();
        assert_eq!(read("by-number"), read("by-number2").replace("by-number2", "by-number"), "{kind}");
    }
}

#[test]
fn invalid_answers_are_reported_and_asked_again() {
    let suite = Suite::empty();
    let answers = ["0", "9", "telepathy", "HTTP", "localhost", "http://127.0.0.1:1/ask", "mine"];
    let (shown, code) = typed(&suite, &answers, &["init"]);
    assert_eq!(code, 0, "{shown}");
    assert_eq!(shown.matches("Unknown kind; enter a number from 1 to 8.").count(), 3, "{shown}");
    assert!(shown.contains("`localhost` is not a URL; include the scheme"), "{shown}");
    let text = fs::read_to_string(suite.path("mine/agentci.yaml")).unwrap();
    assert!(text.contains("url: http://127.0.0.1:1/ask\n"), "{text}");
    let (shown, code) = typed(&suite, &["x"; 10], &["init", "never"]);
    assert_eq!((code, suite.path("never").exists()), (1, false), "{shown}");
}

#[test]
fn agent_command_or_url_is_taken_from_answers() {
    let suite = Suite::empty();
    let (shown, code) = typed(&suite, &["mcp", "npx my-server --stdio"], &["init", "a"]);
    assert_eq!(code, 0, "{shown}");
    let (shown, code) = typed(&suite, &["mcp", "https://example.com/mcp"], &["init", "b"]);
    assert_eq!(code, 0, "{shown}");
    let read = |folder: &str| fs::read_to_string(suite.path(folder).join("agentci.yaml")).unwrap();
    assert!(read("a").contains("    command: [npx, my-server, \"--stdio\"]\n"), "{}", read("a"));
    assert!(read("b").contains("    url: https://example.com/mcp\n"), "{}", read("b"));
}

#[test]
fn end_of_input_and_interrupt_write_nothing() {
    for (answers, ended) in [(&["^D"][..], 1), (&["1", "^D"], 1), (&["1", "", "^D"], 1), (&["2", "^C"], -2)] {
        let suite = Suite::empty();
        let (shown, code) = typed(&suite, answers, &["init"]);
        assert_eq!(code, ended, "{shown}");
        assert_eq!(shown.contains("nothing was written"), ended == 1, "{shown}");
        assert!(!suite.path("agent-tests").exists());
    }
}

#[test]
fn asks_nothing_when_all_flags_are_set() {
    let suite = Suite::empty();
    let (shown, code) = typed(&suite, &[], &["init", "--kind", "sdk"]);
    assert_eq!(code, 0, "{shown}");
    assert!(!shown.contains('?'), "{shown}");
}
