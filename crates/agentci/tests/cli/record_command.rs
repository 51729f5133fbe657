//! `agentci record -- CMD`, with agents in Python and Node that contain no agentci code.

use std::fs;
use std::io::Write as _;
use std::process::Stdio;
use std::time::Duration;

use crate::processes::wait_for;
use crate::recorded_agent::{MODEL_KEY, PYTHON, SHOP_KEY, ran, replayed_elsewhere, shop};
use crate::suite::Suite;
use crate::upstream::Upstream;

#[test]
fn replays_recorded_agent_without_network() {
    for (agent, streamed) in [(["python3", "agent.py"], false), (["node", "agent.cjs"], true)] {
        let mut upstream = Upstream::start();
        let suite = shop(&upstream);
        let recorded = ran(&suite, &mut suite.command(&["record", "--", agent[0], agent[1]]));
        assert_eq!(recorded.code, Some(0), "{recorded:?}");
        let calls = if streamed { "1 call, 1 streamed" } else { "3 calls, " };
        recorded.complains(&[calls, "wrote recordings/agent.jsonl (", "next: agentci replay recordings/agent.jsonl"]);
        let asked = upstream.asked();
        let (_, replayed) = replayed_elsewhere(&suite, &mut upstream, &["--strict"]);
        assert_eq!((replayed.code, &replayed.stdout), (Some(0), &recorded.stdout), "{replayed:?}");
        assert!(!replayed.stdout.trim().is_empty());
        replayed.complains(&["answered, "]);
        assert_eq!(upstream.asked(), asked);
    }
}

#[test]
fn recording_contains_no_keys_and_replays_without_them() {
    let mut upstream = Upstream::start();
    let suite = shop(&upstream);
    let mut command = suite.command(&["record", "--", "python3", "agent.py"]);
    let recorded = ran(&suite, command.env("OPENAI_API_KEY", MODEL_KEY).env("SHOP_API_KEY", SHOP_KEY));
    assert_eq!(recorded.code, Some(0), "{recorded:?}");
    // The tool returns its key, and the agent sends that to the model.
    assert!(recorded.stdout.contains(SHOP_KEY));
    assert!(upstream.requests.lock().unwrap().iter().any(|request| request.contains(MODEL_KEY)));
    let text = fs::read_to_string(suite.path("recordings/agent.jsonl")).unwrap();
    for key in [MODEL_KEY, SHOP_KEY] {
        assert!(!text.contains(key) && !recorded.stderr.contains(key), "{text}");
    }
    let (_, replayed) = replayed_elsewhere(&suite, &mut upstream, &["--strict"]);
    assert_eq!(replayed.code, Some(0), "{replayed:?}");
    assert!(replayed.stdout.starts_with("Order 4711 shipped: "), "{replayed:?}");
}

#[test]
fn refuses_to_record_in_ci_without_yes() {
    let upstream = Upstream::start();
    let suite = shop(&upstream);
    let refused = ran(&suite, suite.command(&["record", "--", "python3", "agent.py"]).env("CI", "true"));
    assert_eq!(refused.code, Some(1), "{refused:?}");
    refused.complains(&["`CI` is set", "agentci record --yes -- python3 agent.py"]);
    let update = ["record", "--update", "--name", "n", "--", "python3", "agent.py"];
    ran(&suite, suite.command(&update).env("CI", "true"))
        .complains(&["`agentci record --yes --update -o recordings/n.jsonl -- python3 agent.py`"]);
    assert_eq!(upstream.asked(), 0);
    let off = ran(&suite, suite.command(&["record", "--", "python3", "agent.py"]).env("CI", "false"));
    assert_eq!(off.code, Some(0), "{off:?}");
    for how in ["live", "record"] {
        let arguments = ["replay", "recordings/agent.jsonl", "--on-miss", how];
        let refused = ran(&suite, suite.command(&arguments).env("CI", "1"));
        assert_eq!(refused.code, Some(1), "{refused:?}");
        refused.complains(&["`CI` is set"]);
    }
    let asked =
        ran(&suite, suite.command(&["record", "--yes", "--name", "x", "--", "python3", "agent.py"]).env("CI", "true"));
    assert_eq!(asked.code, Some(0), "{asked:?}");
    assert!(suite.path("recordings/x.jsonl").exists());
}

#[test]
fn streams_and_exit_code_of_the_command_are_kept() {
    let upstream = Upstream::start();
    let suite = shop(&upstream).file("fails.py", format!("{PYTHON}\nprint('oh', file=sys.stderr)\nsys.exit(7)\n"));
    let mut command = suite.command(&["record", "--", "python3", "fails.py"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"hello\n").unwrap();
    let output = child.wait_with_output().unwrap();
    let recorded = suite.ran(&output, Duration::ZERO);
    assert_eq!((recorded.code, recorded.stdout.as_str()), (Some(7), "Hi.\n"), "{recorded:?}");
    recorded.complains(&["oh\n"]);
    let mut command = suite.command(&["replay", "recordings/fails.jsonl"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"hello\n").unwrap();
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(7));
}

#[test]
fn agent_without_requests_creates_no_recording() {
    let suite = Suite::empty();
    let recorded = ran(&suite, &mut suite.command(&["record", "--", "sh", "-c", "echo hi; exit 3"]));
    assert_eq!((recorded.code, recorded.stdout.as_str()), (Some(1), "hi\n"), "{recorded:?}");
    recorded.complains(&["error: nothing was recorded"]);
    assert!(!suite.path("recordings").exists());
}

#[test]
fn reports_requests_that_were_not_recorded() {
    let mut upstream = Upstream::start();
    let agent = "import urllib.request\ntry: urllib.request.urlopen(open('base').read() + '/x', timeout=20)\nexcept Exception: pass\n";
    let suite = shop(&upstream).file("asks.py", agent);
    let only = ran(&suite, &mut suite.command(&["record", "--only", "other.test", "--", "python3", "asks.py"]));
    assert_eq!((only.code, upstream.asked()), (Some(1), 1), "{only:?}");
    only.complains(&["was passed through unread", "nothing was recorded", "`--only` and `--pass` exclude hosts"]);
    upstream.close();
    let address = upstream.url.trim_start_matches("http://");
    let absent = ran(&suite, &mut suite.command(&["record", "--", "python3", "asks.py"]));
    assert_eq!(absent.code, Some(1), "{absent:?}");
    absent.complains(&["nothing was recorded", &format!("the command called {address}, where nothing listens")]);
}

#[test]
fn usage_errors_suggest_the_correct_command() {
    let suite = Suite::empty().file("suite/agentci.yaml", "").file("agent.py", "");
    for (arguments, said) in [
        (&["record", "sh", "-c", "a b"][..], "write `agentci record -- sh -c 'a b'`"),
        (&["record", "suite", "--", "sh"], "write `agentci record -- sh` or `agentci record suite`"),
        (&["record", "--", "no-such-program"], "program `no-such-program` not found"),
        (&["record", "agent.py"], "write `agentci record -- python3 agent.py`"),
        (
            &["replay", "x.jsonl", "sh", "-c", "a b"],
            "a command comes after `--`: `agentci replay x.jsonl -- sh -c 'a b'`",
        ),
    ] {
        let wrong = ran(&suite, &mut suite.command(arguments));
        assert_eq!(wrong.code, Some(2), "{wrong:?}");
        wrong.complains(&[said]);
    }
    for (arguments, said) in [
        (&["record", "-o", "-", "--", "sh"][..], "`-o -` is not a file"),
        (&["record", "-o", "suite", "--", "sh"], "`suite` is a folder"),
        (&["record", "--name", "../x", "--", "sh"], "`--out FILE` writes elsewhere"),
        (&["replay", "no.jsonl"], "`no.jsonl` does not exist"),
        (&["replay", "/dev/zero"], "`/dev/zero` is not a file"),
        (&["replay", "agent.py", "--allow", "foo"], "such as `127.0.0.1:5432`"),
        (&["record", "no-such-folder"], "write it after `--`: `agentci record -- python3 agent.py`"),
    ] {
        let wrong = ran(&suite, &mut suite.command(arguments));
        assert_eq!(wrong.code, Some(1), "{wrong:?}");
        wrong.complains(&[said]);
    }
    let help = ran(&suite, &mut suite.command(&["record", "--help"]));
    let containers = help.stdout.find("Agents in containers").unwrap();
    assert!(help.stdout.find("--suite").unwrap() < containers, "{help:?}");
    assert_eq!(help.code, Some(0));
    for said in ["agentci record [OPTIONS] -- CMD...", "--rehearse", "agentci record [OPTIONS] [PATH]...", "--parallel"]
    {
        assert!(help.stdout.contains(said), "{said} {help:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn reports_agent_that_bypasses_the_recorder() {
    let upstream = Upstream::start();
    // Only the leak watch can see it: `-I` disables the hook, and a raw socket uses no proxy.
    let around = "import socket, time, sys\nhost, port = open('base').read()[7:].split(':')\ns = socket.create_connection((host, int(port)))\ntime.sleep(5)\nprint('done')\n";
    let suite = shop(&upstream).file("around.py", around);
    let recorded = ran(&suite, &mut suite.command(&["record", "--", "python3", "-I", "around.py"]));
    assert_eq!((recorded.code, recorded.stdout.as_str()), (Some(1), "done\n"), "{recorded:?}");
    let address = upstream.url.trim_start_matches("http://");
    recorded.complains(&["warning: python3 (pid ", address, "nothing was recorded"]);
}

#[test]
fn generated_suite_passes_immediately_and_fails_for_another_agent() {
    let mut upstream = Upstream::start();
    let suite = shop(&upstream);
    let arguments = ["record", "--suite", "tests", "--", "python3", "agent.py", "Where is A-17?"];
    let recorded = ran(&suite, &mut suite.command(&arguments));
    assert_eq!(recorded.code, Some(0), "{recorded:?}");
    assert!(recorded.stdout.starts_with("Order 4711 shipped: "));
    upstream.close();
    let text = fs::read_to_string(suite.path("tests/agentci.yaml")).unwrap();
    for part in
        ["tool_called: { name: \"find_order\", args: {\"order\":\"A-17\",\"depth\":2} }", "4711", "model_calls: 4"]
    {
        assert!(text.contains(part), "{text}");
    }
    let checked = ran(&suite, &mut suite.command(&["check", "--strict", "tests"]));
    assert_eq!(checked.code, Some(0), "{checked:?}\n{text}");
    let passed = ran(&suite, &mut suite.command(&["run", "tests"]));
    assert_eq!(passed.code, Some(0), "{passed:?}\n{text}");
    let silent = PYTHON.replace("print(message[\"content\"])", "print(\"It shipped.\")");
    fs::write(suite.path("agent.py"), silent).unwrap();
    let failed = ran(&suite, &mut suite.command(&["run", "tests"]));
    assert_eq!(failed.code, Some(1), "{failed:?}");
    let again =
        ran(&suite, &mut suite.command(&["record", "--name", "b", "--suite", "tests", "--", "python3", "agent.py"]));
    assert_eq!(again.code, Some(1), "{again:?}");
    again.complains(&["the suite `tests/agentci.yaml` already exists", "--force"]);
}

#[test]
fn input_that_is_too_long_makes_no_suite_and_no_rehearsal() {
    let upstream = Upstream::start();
    let suite = shop(&upstream).file("reads.py", format!("import sys\nsys.stdin.read()\n{PYTHON}"));
    fs::write(suite.path("long.txt"), "x".repeat((1 << 20) + 1)).unwrap();
    for (name, flags, said) in [
        ("a", vec!["--suite", "tests"], "no suite was written: the standard input of the command is too long"),
        ("b", vec!["--rehearse"], "the recording was not rehearsed: the standard input of the command is too long"),
    ] {
        let arguments = [&["record", "--name", name], &*flags, &["--", "python3", "reads.py"]].concat();
        let mut command = suite.command(&arguments);
        let recorded = ran(&suite, command.stdin(fs::File::open(suite.path("long.txt")).unwrap()));
        assert_eq!(recorded.code, Some(1), "{recorded:?}");
        recorded.complains(&[said, "the recording was written"]);
        assert!(suite.path(&format!("recordings/{name}.jsonl")).exists(), "{recorded:?}");
    }
    assert!(!suite.path("tests").exists());
}

#[test]
fn writes_certificates_and_variables_for_containers() {
    let upstream = Upstream::start();
    let suite = shop(&upstream);
    let arguments = [
        "record",
        "--bind",
        "127.0.0.1",
        "--advertise",
        "localhost",
        "--world-dir",
        "world",
        "--mount-at",
        "/mnt/w",
        "--",
        "python3",
        "agent.py",
    ];
    let recorded = ran(&suite, &mut suite.command(&arguments));
    assert_eq!(recorded.code, Some(0), "{recorded:?}");
    let variables = fs::read_to_string(suite.path("world/agent.env")).unwrap();
    assert!(variables.lines().any(|line| line.starts_with("HTTPS_PROXY=http://localhost:")), "{variables}");
    assert!(variables.lines().any(|line| line.starts_with("SSL_CERT_FILE=/mnt/w/")), "{variables}");
    assert!(!variables.contains(suite.root().to_str().unwrap()), "{variables}");
}

#[test]
fn unwritable_recording_stops_before_requests_or_keeps_data() {
    let upstream = Upstream::start();
    let suite = shop(&upstream);
    let refused = ran(&suite, &mut suite.command(&["record", "-o", "base/x.jsonl", "--", "python3", "agent.py"]));
    assert_eq!((refused.code, upstream.asked()), (Some(1), 0), "{refused:?}");
    refused.complains(&["the recording `base/x.jsonl` could not be written", "nothing was run"]);
    let spoils = format!("{PYTHON}\nimport shutil\nshutil.rmtree('recordings')\nopen('recordings', 'w').close()\n");
    let suite = suite.file("spoils.py", spoils).file("tmp/.keep", "");
    let mut command = suite.command(&["record", "--", "python3", "spoils.py"]);
    let recorded = ran(&suite, command.env("TMPDIR", suite.path("tmp")));
    assert_eq!(recorded.code, Some(1), "{recorded:?}");
    let (_, kept) = recorded.stderr.split_once("it was saved to `").unwrap();
    let kept = kept.split_once('`').unwrap().0;
    assert!(fs::read_to_string(kept).unwrap().contains("/v1/chat/completions"), "{recorded:?}");
}

#[test]
fn refuses_concurrent_recordings_to_one_file() {
    let upstream = Upstream::start();
    let suite =
        shop(&upstream).file("slow.py", format!("open('up', 'w').close()\nimport time; time.sleep(4)\n{PYTHON}"));
    let mut command = suite.command(&["record", "-o", "x.jsonl", "--", "python3", "slow.py"]);
    let first = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for(|| suite.path("up").exists().then_some(())).unwrap();
    let second = ran(&suite, &mut suite.command(&["record", "-o", "x.jsonl", "--", "python3", "agent.py"]));
    assert_eq!(second.code, Some(1), "{second:?}");
    second.complains(&[&format!("another `agentci record` (pid {}) is recording to `x.jsonl`", first.id())]);
    assert_eq!(first.wait_with_output().unwrap().status.code(), Some(0));
    assert!(suite.path("x.jsonl").exists() && !suite.path("x.jsonl.part").exists());
}

#[test]
fn unreachable_host_is_reported_and_retried_on_update() {
    let agent = "import sys, urllib.request\nfor url in sys.argv[1:]:\n  try: urllib.request.urlopen(url, timeout=20)\n  except Exception: pass\n";
    let suite = Suite::empty().file("agent.py", agent);
    let down = "http://agent.invalid/x";
    let recorded = ran(&suite, &mut suite.command(&["record", "--", "python3", "agent.py", down]));
    assert_eq!(recorded.code, Some(1), "{recorded:?}");
    recorded.complains(&["agent.invalid  1 call failed: ", "nothing was recorded: no host could be reached"]);
    assert!(!suite.path("recordings").exists());
    let upstream = Upstream::start();
    let tool = format!("{}/orders", upstream.url);
    let mixed = ran(&suite, &mut suite.command(&["record", "--", "python3", "agent.py", &tool, down]));
    assert_eq!(mixed.code, Some(0), "{mixed:?}");
    mixed.complains(&["agent.invalid", "1 call failed: ", "wrote recordings/agent.jsonl"]);
    let updated = ran(&suite, &mut suite.command(&["record", "--update", "--", "python3", "agent.py", &tool, down]));
    assert_eq!((updated.code, upstream.asked()), (Some(0), 1), "{updated:?}");
    updated.complains(&["1 kept, 1 recorded"]);
}
