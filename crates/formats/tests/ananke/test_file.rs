//! The content of test files.

use std::path::Path;

use agentci_plan::{Skip, Target, Text, TurnInput};
use agentci_source::Reading;
use serde_json::json;

use crate::project::{CONFIG, config, good, load, loaded, messages, project, test, wrong_config, wrong_test};

#[test]
fn actions_keep_their_other_keys() {
    let turns = "version: 1.0\nname: a\nturns:\n- type: agui:connect\n  assert: { text: { must_match: x } }\n\
                 - type: agui:resume\n  resume: { i1: { status: resolved, payload: { ok: yes } }, i2: { status: cancelled } }\n\
                 - { type: agui:resume, payload: '${P}' }\n";
    let case = good(CONFIG, turns);
    let actions: Vec<_> = case
        .turns
        .iter()
        .map(|turn| {
            let TurnInput::Action(action) = &turn.said else { panic!("{turn:?}") };
            (action.kind.value.as_str(), action.arguments.value(Reading::Core).unwrap(), turn.checks.len())
        })
        .collect();
    assert_eq!(
        actions,
        [
            ("agui:connect", json!({}), 1),
            (
                "agui:resume",
                json!({ "resume": { "i1": { "status": "resolved", "payload": { "ok": "yes" } }, "i2": { "status": "cancelled" } } }),
                0
            ),
            ("agui:resume", json!({ "payload": "${P}" }), 0),
        ]
    );
}

#[test]
fn loads_mcp_and_a2a_actions() {
    let mcp = "version: '1.2'\ntarget: { type: mcp, transport: sse, endpoint: 'http://a' }\n";
    let case = good(
        mcp,
        "version: '1.2'\nname: a\nturns:\n- { type: mcp:call, tool: add, args: { a: 1 }, errors: fail, answers: [{ action: accept }] }\n\
         - { type: mcp:read, uri: 'file:///x' }\n- { type: mcp:prompt, name: hello, args: {} }\n\
         - { type: mcp:list, snapshot: tools.json }\n",
    );
    let TurnInput::Action(action) = &case.turns[0].said else { panic!("no action") };
    assert_eq!(
        action.arguments.value(Reading::Core),
        Ok(json!({ "tool": "add", "args": { "a": 1 }, "errors": "fail", "answers": [{ "action": "accept" }] }))
    );
    let problems = loaded(
        mcp,
        "version: '1.2'\nname: a\nturns:\n- { type: mcp:call, args: [1] }\n- { type: mcp:read, url: x }\n- user: hi\n",
    );
    assert_eq!(
        messages(&problems),
        [
            "a turn needs `tool`",
            "`args` must be a mapping, found a list",
            "unknown key `url` in a turn",
            "a target of type `mcp` takes no messages",
        ]
    );
    let answers = "answers: [yes, { action: maybe }, { content: 1 }, { contents: {} }]";
    let problems = loaded(
        mcp,
        &format!("version: '1.2'\nname: a\nturns: [{{ type: mcp:call, tool: add, errors: no, {answers} }}]\n"),
    );
    assert_eq!(
        messages(&problems),
        [
            "`errors` must be one of `allow`, `fail`, found the string `no`",
            "an answer must be a mapping, found the string `yes`",
            "`action` must be one of `accept`, `decline`, `cancel`, found the string `maybe`",
            "`content` must be a mapping, found the number 1",
            "unknown key `contents` in an answer",
        ]
    );
    let a2a = "version: '1.1'\ntarget: { type: a2a, endpoint: 'http://a' }\n";
    good(
        a2a,
        "version: '1.1'\nname: a\nturns: [{ type: a2a:send, message: hi }, { type: a2a:send, parts: [{ text: hi }] }]\n",
    );
    let nothing = loaded(a2a, "version: '1.1'\nname: a\nturns: [{ type: a2a:send }]\n");
    assert_eq!(messages(&nothing), ["`a2a:send` sends nothing"]);
}

#[test]
fn refuses_turn_types_unsupported_by_version_or_target() {
    let turn = |kind: &str| format!("version: '1.0'\nname: a\nturns: [{{ type: '{kind}', tool: t }}]\n");
    assert_eq!(
        wrong_test(&turn("mcp:call")),
        [
            "the turn type `mcp:call` needs version 1.2, but the file has 1.0",
            "the turn type `mcp:call` is for targets of type `mcp`, but the config has `agui`",
        ]
    );
    assert_eq!(wrong_test(&turn("agui:conect")), ["unknown turn type `agui:conect`"]);
    assert_eq!(wrong_test(&turn("agui:connect")), ["unknown key `tool` in a turn"]);
    let a2a = "version: '1.1'\ntarget: { type: a2a, endpoint: 'http://a' }\n";
    let problems = loaded(a2a, "version: '1.0'\nname: a\nturns: [{ type: agui:connect }, { user: hi }]\n");
    assert_eq!(
        messages(&problems),
        ["the turn type `agui:connect` is for targets of type `agui`, but the config has `a2a`"]
    );
}

#[test]
fn reports_every_problem_of_a_test() {
    assert_eq!(
        wrong_test(
            "version: 2.0\nnaem: a\nhooks: [{ cmd: [] }, { command: [a] }, { cmd: [a], timeout_ms: -1 }]\nturns:\n- hi\n- { user: 7 }\n\
             - { user: a, usr: b }\n- { type: agui:resume, status: done, resume: { a: { stat: x } } }\nskip: [x]\nassert: 3\n"
        ),
        [
            "version 2.0 is not supported",
            "unknown key `naem` in the test",
            "`cmd` is empty",
            "a hook needs `cmd`",
            "unknown key `command` in a hook",
            "`timeout_ms` must be greater than 0, found the number -1",
            "a turn must be a mapping, found the string `hi`",
            "`user` must be a string, found the number 7",
            "unknown key `usr` in a turn",
            "`status` must be one of `resolved`, `cancelled`, found the string `done`",
            "unknown key `stat` in the answer to an interrupt",
            "`skip` must be a string, found a list",
            "`assert` must be a mapping, found the number 3",
        ]
    );
    assert_eq!(wrong_test("turns: []\n"), ["the test needs `version`", "the test needs `name`", "`turns` is empty"]);
}

#[test]
fn hook_command_needs_a_program() {
    let test = test("a", "hooks: [{ cmd: [' ', x] }, { cmd: [sh, 7] }]\n");
    assert_eq!(wrong_test(&test), ["`cmd` names no program", "`cmd[]` must be a string, found the number 7"]);
}

#[test]
fn test_tools_extend_target_tools() {
    let config = config("tools: [{ name: a, description: A, reply: 1 }, { name: b, reply: 2 }]");
    let case = good(
        &config,
        &test("a", "tools: [{ name: a, reply: 3 }, { name: c, error: no }, { name: b, description: B }]\n"),
    );
    let Target::Agui(target) = &*case.target else { panic!("{:?}", case.target) };
    let tools: Vec<_> = target.tools.iter().map(|tool| (tool.name.value.as_str(), tool.description.as_str())).collect();
    assert_eq!(tools, [("a", "A"), ("b", "B"), ("c", "")]);
    let answers: Vec<_> =
        case.world.scripted.iter().map(|tool| (tool.name.value.as_str(), tool.answers[0].data.written())).collect();
    assert_eq!(answers, [("a", json!(3)), ("b", json!(2)), ("c", json!("no"))]);
    let mcp = "version: '1.2'\ntarget: { type: mcp, transport: sse, endpoint: 'http://a' }\n";
    let wrong = loaded(mcp, "version: '1.2'\nname: a\nturns: [{ type: mcp:list }]\ntools: [{ name: a, reply: 1 }]\n");
    assert_eq!(messages(&wrong), ["`tools` are only supported for targets of type `agui`"]);
}

#[test]
fn every_tool_needs_a_reply_and_null_is_valid() {
    let case = good(&config("tools: [{ name: a, reply: null }, { name: b, replies: [null, 1] }]"), &test("a", ""));
    let answers = case.world.scripted.iter().flat_map(|tool| &tool.answers);
    let answers: Vec<_> = answers.map(|answer| (answer.ok, answer.data.written())).collect();
    assert_eq!(answers, [(true, json!(null)), (true, json!(null)), (true, json!(1))]);
    assert_eq!(wrong_config(&config("tools: [{ name: search_docs }]")), ["the tool `search_docs` has no answer"]);
    assert_eq!(wrong_test(&test("a", "tools: [{ name: c, error: }]\n")), ["the tool `c` has no answer"]);
    let two = wrong_test(&test("a", "tools: [{ name: c, reply: null, error: no }]\n"));
    assert_eq!(two, ["a tool can have only one of `reply`, `replies` and `error`"]);
}

#[test]
fn loads_tags_and_skip() {
    let case = good(CONFIG, &test("a", "tags: [money]\nskip: not yet\n"));
    assert_eq!(
        (&*case.tags, case.skip.as_deref()),
        (&["money".to_owned()][..], Some(&Skip { reason: Some("not yet".into()) }))
    );
}

#[test]
fn hook_files_resolve_against_config_then_test_directory() {
    let test = test("a", "hooks: [{ cmd: [sh, seed.sh, own.sh, '${X}'], env: { A: '${B}' } }]\n");
    let files = project(CONFIG, &test).with("p/t/b.test.yaml", test.replace("name: a", "name: b"));
    let files = files.with("p/seed.sh", "").with("p/t/seed.sh", "").with("p/t/own.sh", "");
    let loaded = load(&files, &["p"]);
    assert_eq!(messages(&loaded), Vec::<&str>::new());
    let found = |case: usize| {
        let hook = &loaded.plan.suites[0].cases[case].hooks[0];
        assert_eq!(hook.folder.as_deref(), Some(Path::new("p")));
        hook.command.iter().map(|part| part.file.clone()).collect::<Vec<_>>()
    };
    assert_eq!(found(0), [None, Some("p/seed.sh".into()), None, None]);
    assert_eq!(found(1), [None, Some("p/seed.sh".into()), Some("p/t/own.sh".into()), None]);
    let here = load(
        &agentci_source::MemoryFiles::default().with("ananke.config.yaml", CONFIG).with("a.test.yaml", test),
        &["a.test.yaml"],
    );
    assert_eq!(here.plan.suites[0].cases[0].hooks[0].folder, None);
    assert_eq!(here.plan.suites[0].name, "ananke");
    assert_eq!(here.plan.suites[0].cases[0].hooks[0].environment[0].1, Text::parse("${B}"));
}

#[test]
fn isolates_invalid_tests_and_renames_duplicates() {
    let files = project(CONFIG, &test("a", ""))
        .with("p/b.test.yaml", "name: b\nturns: 3\nx: [\n")
        .with("p/c.test.yaml", "turns: []\n");
    let loaded = load(&files, &["p"]);
    let cases: Vec<_> =
        loaded.plan.suites[0].cases.iter().map(|case| (case.id.as_str(), case.broken.is_some())).collect();
    assert_eq!(cases, [("a", false), ("b", true), ("c", true)]);
    assert_eq!(messages(&loaded)[0], "`[` is never closed");
    let twice = load(&project(CONFIG, &test("a", "")).with("p/z.test.yaml", test("a", "")), &["p"]);
    let cases: Vec<_> = twice.plan.suites[0].cases.iter().collect();
    assert_eq!((cases[0].id.as_str(), cases[1].id.as_str()), ("a", "a (z)"));
    assert_ne!(cases[0].world.recording, cases[1].world.recording);
    assert_eq!((messages(&twice), twice.diagnostics.has_errors()), (vec!["two tests are called `a`"], false));
}
