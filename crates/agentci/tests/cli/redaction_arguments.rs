//! No secret from a command's arguments or environment appears in the output of a run.

use crate::leaks::{assert_no_leak, run_with_every_report};
use crate::suite::Suite;

#[test]
fn arguments_after_secret_flags_are_redacted() {
    let yaml = concat!(
        "suite: suite\n",
        "target: { process: { command: [sh, agent.sh, --api-key, zqKey-of-the-agent, --pin, zqPin, --password=zqWord-of-the-agent] } }\n",
        "cases: [{ id: argued, input: {}, checks: [{ contains: absent }] }]\n",
    );
    let suite = Suite::empty()
        .file("suite/agentci.yaml", yaml)
        .agent("argued", r#"echo "args $* end" >&2; finish "{\"said\":\"$2 end\"}""#);
    let (ran, texts) = run_with_every_report(&suite, &["run", "suite"], &[]);
    assert_eq!(ran.verdicts(), [("argued".into(), "fail".into(), "check".into())], "{ran:?}");
    assert_no_leak(&texts, &["zqKey", "zqWord"]);
    let command = ran.summary()["suite"]["agent_command"].to_string();
    assert!(command.contains(r#""--api-key","[REDACTED]","--pin","zqPin","--password=[REDACTED]""#), "{command}");
    assert!(ran.stdout.contains("args --api-key [REDACTED] --pin zqPin --password=[REDACTED] end"), "{ran:?}");
}

/// A short secret cannot be searched for in text, but its place in the command is known.
#[test]
fn short_secret_argument_is_redacted_in_its_command() {
    let yaml = concat!(
        "suite: suite\ntarget: { process: { command: [sh, agent.sh, --api-key, zq1] } }\n",
        "cases: [{ id: short, input: {} }]\n",
    );
    let suite = Suite::empty().file("suite/agentci.yaml", yaml).agent("short", "finish '{}'");
    let (ran, texts) = run_with_every_report(&suite, &["run", "suite"], &[]);
    ran.all_passed();
    assert_no_leak(&texts, &["zq1"]);
}

#[test]
fn failed_hook_output_redacts_its_environment_and_arguments() {
    let yaml = concat!(
        "cases:\n  - id: hooked\n    input: {}\n",
        "    hooks:\n",
        "      - command: [sh, -c, 'echo \"said $DB_PASSWORD $1 $VALUE\"; echo \"told $DB_PASSWORD $2\" >&2; exit 3', hook, zqPlain, --token, zqToken-of-a-hook]\n",
        "        env: { DB_PASSWORD: zqPassword-of-a-hook, VALUE: shown }\n",
    );
    let yaml = yaml.replace("$1", "$3").replace("$2", "$3");
    let suite = Suite::native(&yaml).agent("hooked", "finish 1");
    let (ran, texts) = run_with_every_report(&suite, &["run", "suite"], &[]);
    assert_eq!(ran.verdicts(), [("hooked".into(), "error".into(), "hook".into())], "{ran:?}");
    assert_no_leak(&texts, &["zqPassword", "zqToken"]);
    assert!(ran.stdout.contains("it printed: said [REDACTED] [REDACTED] shown"), "{}", ran.stdout);
    assert!(ran.stdout.contains("told [REDACTED] [REDACTED]"), "{}", ran.stdout);
}

#[test]
fn server_environment_and_mcp_server_arguments_are_redacted() {
    let server = r#"
read discover; echo '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"what?"}}'
read initialize; echo '{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-06-18","capabilities":{}}}'
read initialized
read call; echo '{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"started with '$2' and '$SERVICE_TOKEN'"}]}}'
"#;
    let yaml = concat!(
        "suite: suite\nmode: live\n",
        "target: { mcp: { command: [sh, server.sh, --api-key, zqKey-of-a-server], env: { SERVICE_TOKEN: zqToken-of-a-server } } }\n",
        "cases: [{ id: served, turns: [{ mcp:call: { tool: t, args: {} }, checks: [{ contains: absent }] }] }]\n",
    );
    let suite = Suite::empty().file("suite/agentci.yaml", yaml).file("suite/server.sh", server);
    let (ran, texts) = run_with_every_report(&suite, &["run", "suite"], &[]);
    assert_eq!(ran.verdicts(), [("served".into(), "fail".into(), "check".into())], "{ran:?}");
    assert_no_leak(&texts, &["zqKey", "zqToken"]);
    let log = texts.iter().find(|(name, _)| name.ends_with("run.jsonl")).unwrap();
    assert!(log.1.contains("started with [REDACTED] and [REDACTED]"), "{}", log.1);
}
