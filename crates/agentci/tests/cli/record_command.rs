//! `agentci record -- CMD` and `agentci replay`, with agents in Python and Node that know nothing of them.

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::processes::{signal, wait_for};
use crate::ran::Ran;
use crate::suite::Suite;
use crate::upstream::Upstream;

/// Asks a model that wants its tool called, calls it over HTTP, and prints what the model makes of it.
pub(crate) const PYTHON: &str = r#"
import json, os, sys, urllib.request
BASE = open("base").read()
KEY = os.environ.get("SHOP_API_KEY", "")
def post(path, body, headers):
    request = urllib.request.Request(BASE + path, json.dumps(body).encode(), {"content-type": "application/json", **headers})
    return json.loads(urllib.request.urlopen(request, timeout=20).read())
def ask(messages):
    headers = {"authorization": "Bearer " + os.environ.get("OPENAI_API_KEY", "")}
    return post("/v1/chat/completions", {"model": "gpt-4o", "messages": messages}, headers)["choices"][0]["message"]
question = " ".join(sys.argv[1:]) or sys.stdin.read().strip() or "Where is A-17?"
messages = [{"role": "user", "content": question}]
message = ask(messages)
while message.get("tool_calls"):
    messages.append(message)
    for call in message["tool_calls"]:
        arguments = json.loads(call["function"]["arguments"])
        result = post("/orders/" + arguments["order"] + "?key=" + KEY, arguments, {"x-api-key": KEY})
        messages.append({"role": "tool", "tool_call_id": call["id"], "content": json.dumps(result)})
    message = ask(messages)
print(message["content"])
"#;

/// The same model over `fetch`, as a stream.
const NODE: &str = r#"
const base = require("fs").readFileSync("base", "utf8");
(async () => {
  const body = { model: "gpt-4o", stream: true, messages: [{ role: "user", content: "hello" }] };
  const answer = await fetch(base + "/v1/chat/completions", { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } });
  let text = "";
  for await (const piece of answer.body) text += Buffer.from(piece).toString();
  const chunks = text.split("\n\n").filter(line => line.startsWith("data: {")).map(line => JSON.parse(line.slice(6)));
  console.log(chunks.map(chunk => chunk.choices[0].delta.content || "").join(""));
})();
"#;

const MODEL_KEY: &str = "sk-proj-Zq8Wn3Rt6Yp1Ls9Dk4Vb";
const SHOP_KEY: &str = "shop_live_Hf7Jq2Xc5Mv8Nt1Bz";

pub(crate) fn shop(upstream: &Upstream) -> Suite {
    Suite::empty().file("agent.py", PYTHON).file("agent.cjs", NODE).file("base", &upstream.url)
}

/// `agentci`, not in CI.
pub(crate) fn agentci(suite: &Suite, arguments: &[&str]) -> Command {
    let mut command = suite.command(arguments);
    command.env_remove("CI").env_remove("SHOP_API_KEY");
    command
}

pub(crate) fn ran(suite: &Suite, command: &mut Command) -> Ran {
    let started = Instant::now();
    let output = command.output().unwrap();
    suite.ran(&output, started.elapsed())
}

/// What a recording gives in another folder and home, after the world has gone.
fn replayed_elsewhere(recorded: &Suite, upstream: &mut Upstream, more: &[&str]) -> (Suite, Ran) {
    upstream.close();
    let fresh = shop(upstream);
    fs::create_dir(fresh.path("home")).unwrap();
    fs::copy(recorded.path("recordings/agent.jsonl"), fresh.path("agent.jsonl")).unwrap();
    let mut command = agentci(&fresh, &[&["replay", "agent.jsonl"], more].concat());
    command.env("HOME", fresh.path("home"));
    let replayed = ran(&fresh, &mut command);
    (fresh, replayed)
}

#[test]
fn an_agent_is_recorded_and_replayed_without_its_world() {
    for (agent, streamed) in [(["python3", "agent.py"], false), (["node", "agent.cjs"], true)] {
        let mut upstream = Upstream::start();
        let suite = shop(&upstream);
        let recorded = ran(&suite, &mut agentci(&suite, &["record", "--", agent[0], agent[1]]));
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
fn keys_are_in_no_byte_of_the_recording_and_not_needed_for_a_replay() {
    let mut upstream = Upstream::start();
    let suite = shop(&upstream);
    let mut command = agentci(&suite, &["record", "--", "python3", "agent.py"]);
    let recorded = ran(&suite, command.env("OPENAI_API_KEY", MODEL_KEY).env("SHOP_API_KEY", SHOP_KEY));
    assert_eq!(recorded.code, Some(0), "{recorded:?}");
    // The tool tells it, and the agent sends it to the model.
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
fn a_request_that_is_not_recorded_is_red_whatever_the_agent_makes_of_it() {
    let mut upstream = Upstream::start();
    let suite = shop(&upstream);
    assert_eq!(ran(&suite, &mut agentci(&suite, &["record", "--", "python3", "agent.py"])).code, Some(0));
    let forgiving = PYTHON.replace(
        "message = ask(messages)\nwhile",
        "try: message = ask(messages)\nexcept Exception: message = {\"content\": \"sorry\"}\nwhile",
    );
    let (fresh, _) = replayed_elsewhere(&suite, &mut upstream, &[]);
    fs::write(fresh.path("agent.py"), forgiving).unwrap();
    let missed =
        ran(&fresh, &mut agentci(&fresh, &["replay", "agent.jsonl", "--", "python3", "agent.py", "Where is A-18?"]));
    assert_eq!((missed.code, missed.stdout.as_str()), (Some(1), "sorry\n"), "{missed:?}");
    missed.complains(&[
        "error: call 1 is not in agent.jsonl (replay_miss)",
        "/messages/0/content",
        "A-17",
        "A-18",
        "help: ",
        "agentci record --update -o agent.jsonl -- python3 agent.py 'Where is A-18?'",
    ]);
    let silent = ran(&fresh, &mut agentci(&fresh, &["replay", "agent.jsonl", "--", "true"]));
    assert_eq!(silent.code, Some(1), "{silent:?}");
    silent.complains(&["the agent sent none of the 3 recorded requests"]);
}

#[test]
fn a_recorded_call_that_is_not_made_fails_only_if_that_is_wanted() {
    let upstream = Upstream::start();
    let suite = shop(&upstream);
    assert_eq!(ran(&suite, &mut agentci(&suite, &["record", "--", "python3", "agent.py"])).code, Some(0));
    let hasty = PYTHON.replace("while message.get(\"tool_calls\"):", "while False:");
    fs::write(suite.path("agent.py"), hasty).unwrap();
    for (more, code, word) in [(&[][..], 0, "warning: "), (&["--strict"][..], 1, "error: ")] {
        let arguments = [&["replay", "recordings/agent.jsonl"], more].concat();
        let replayed = ran(&suite, &mut agentci(&suite, &arguments));
        assert_eq!(replayed.code, Some(code), "{replayed:?}");
        replayed.complains(&[&format!("{word}2 of 3 recorded calls were not made: 2, 3")]);
    }
    assert_eq!(
        ran(&suite, &mut agentci(&suite, &["recording", "clean", "recordings/agent.jsonl", "--id", "3"])).code,
        Some(0)
    );
    let one = ran(&suite, &mut agentci(&suite, &["replay", "recordings/agent.jsonl"]));
    one.complains(&["1 of 2 recorded calls was not made: 2"]);
}

#[test]
fn an_update_records_what_is_missing_and_drops_what_is_no_longer_asked_for() {
    let mut upstream = Upstream::start();
    let suite = shop(&upstream);
    assert_eq!(ran(&suite, &mut agentci(&suite, &["record", "--", "python3", "agent.py"])).code, Some(0));
    let again = ran(&suite, &mut agentci(&suite, &["record", "--", "python3", "agent.py"]));
    assert_eq!((again.code, again.stdout.as_str()), (Some(1), ""), "{again:?}");
    again.complains(&["the recording `recordings/agent.jsonl` already exists", "`agentci record --update -- python3"]);
    fs::copy(suite.path("recordings/agent.jsonl"), suite.path("x.jsonl")).unwrap();
    let named = ran(&suite, &mut agentci(&suite, &["record", "-o", "x.jsonl", "--", "python3", "agent.py"]));
    named.complains(&["`agentci record --update -o x.jsonl -- python3 agent.py`"]);
    let before = upstream.asked();
    let updated =
        ran(&suite, &mut agentci(&suite, &["record", "--update", "--", "python3", "agent.py", "Where is A-18?"]));
    assert_eq!(updated.code, Some(0), "{updated:?}");
    // Both calls of the model changed, that of the tool did not.
    assert_eq!(upstream.asked() - before, 2);
    updated.complains(&["2 calls, 0.", "1 kept, 2 recorded, $0.0"]);
    let (_, replayed) = replayed_elsewhere(&suite, &mut upstream, &["--strict"]);
    assert_eq!(replayed.code, Some(0), "{replayed:?}");
}

#[test]
fn nothing_is_recorded_in_ci_unasked() {
    let upstream = Upstream::start();
    let suite = shop(&upstream);
    let refused = ran(&suite, agentci(&suite, &["record", "--", "python3", "agent.py"]).env("CI", "true"));
    assert_eq!(refused.code, Some(1), "{refused:?}");
    refused.complains(&["`CI` is set", "agentci record --yes -- python3 agent.py"]);
    let update = ["record", "--update", "--name", "n", "--", "python3", "agent.py"];
    ran(&suite, agentci(&suite, &update).env("CI", "true"))
        .complains(&["`agentci record --yes --update -o recordings/n.jsonl -- python3 agent.py`"]);
    assert_eq!(upstream.asked(), 0);
    let off = ran(&suite, agentci(&suite, &["record", "--", "python3", "agent.py"]).env("CI", "false"));
    assert_eq!(off.code, Some(0), "{off:?}");
    for how in ["live", "record"] {
        let arguments = ["replay", "recordings/agent.jsonl", "--on-miss", how];
        let refused = ran(&suite, agentci(&suite, &arguments).env("CI", "1"));
        assert_eq!(refused.code, Some(1), "{refused:?}");
        refused.complains(&["`CI` is set"]);
    }
    let asked = ran(
        &suite,
        agentci(&suite, &["record", "--yes", "--name", "x", "--", "python3", "agent.py"]).env("CI", "true"),
    );
    assert_eq!(asked.code, Some(0), "{asked:?}");
    assert!(suite.path("recordings/x.jsonl").exists());
}

#[test]
fn streams_and_exit_code_are_the_commands_own() {
    let upstream = Upstream::start();
    let suite = shop(&upstream).file("fails.py", format!("{PYTHON}\nprint('oh', file=sys.stderr)\nsys.exit(7)\n"));
    let mut command = agentci(&suite, &["record", "--", "python3", "fails.py"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"hello\n").unwrap();
    let output = child.wait_with_output().unwrap();
    let recorded = suite.ran(&output, Duration::ZERO);
    assert_eq!((recorded.code, recorded.stdout.as_str()), (Some(7), "Hi.\n"), "{recorded:?}");
    recorded.complains(&["oh\n"]);
    let mut command = agentci(&suite, &["replay", "recordings/fails.jsonl"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"hello\n").unwrap();
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(7));
}

#[test]
fn an_agent_without_requests_leaves_no_recording() {
    let suite = Suite::empty();
    let recorded = ran(&suite, &mut agentci(&suite, &["record", "--", "sh", "-c", "echo hi; exit 3"]));
    assert_eq!((recorded.code, recorded.stdout.as_str()), (Some(1), "hi\n"), "{recorded:?}");
    recorded.complains(&["error: nothing was recorded"]);
    assert!(!suite.path("recordings").exists());
}

#[test]
fn what_was_asked_and_not_recorded_is_named() {
    let mut upstream = Upstream::start();
    let agent = "import urllib.request\ntry: urllib.request.urlopen(open('base').read() + '/x', timeout=20)\nexcept Exception: pass\n";
    let suite = shop(&upstream).file("asks.py", agent);
    let only = ran(&suite, &mut agentci(&suite, &["record", "--only", "other.test", "--", "python3", "asks.py"]));
    assert_eq!((only.code, upstream.asked()), (Some(1), 1), "{only:?}");
    only.complains(&["was passed on unread", "nothing was recorded", "`--only` and `--pass` leave hosts out"]);
    upstream.close();
    let address = upstream.url.trim_start_matches("http://");
    let absent = ran(&suite, &mut agentci(&suite, &["record", "--", "python3", "asks.py"]));
    assert_eq!(absent.code, Some(1), "{absent:?}");
    absent.complains(&["nothing was recorded", &format!("the command asked {address}, where nothing listens")]);
}

#[test]
fn wrong_usage_shows_the_right_line() {
    let suite = Suite::empty().file("suite/agentci.yaml", "").file("agent.py", "");
    for (arguments, said) in [
        (&["record", "sh", "-c", "a b"][..], "write `agentci record -- sh -c 'a b'`"),
        (&["record", "suite", "--", "sh"], "write `agentci record -- sh` or `agentci record suite`"),
        (&["record", "--", "no-such-program"], "there is no program `no-such-program`"),
        (&["record", "agent.py"], "write `agentci record -- python3 agent.py`"),
        (
            &["replay", "x.jsonl", "sh", "-c", "a b"],
            "a command comes after `--`: `agentci replay x.jsonl -- sh -c 'a b'`",
        ),
    ] {
        let wrong = ran(&suite, &mut agentci(&suite, arguments));
        assert_eq!(wrong.code, Some(2), "{wrong:?}");
        wrong.complains(&[said]);
    }
    for (arguments, said) in [
        (&["record", "-o", "-", "--", "sh"][..], "`-o -` is no file"),
        (&["record", "-o", "suite", "--", "sh"], "`suite` is a folder"),
        (&["record", "--name", "../x", "--", "sh"], "`--out FILE` writes anywhere"),
        (&["replay", "no.jsonl"], "`no.jsonl` does not exist"),
        (&["replay", "/dev/zero"], "`/dev/zero` is not a file"),
        (&["replay", "agent.py", "--allow", "foo"], "such as `127.0.0.1:5432`"),
        (&["record", "no-such-folder"], "write it after `--`: `agentci record -- python3 agent.py`"),
    ] {
        let wrong = ran(&suite, &mut agentci(&suite, arguments));
        assert_eq!(wrong.code, Some(1), "{wrong:?}");
        wrong.complains(&[said]);
    }
    let help = ran(&suite, &mut agentci(&suite, &["record", "--help"]));
    let containers = help.stdout.find("Agents in containers").unwrap();
    assert!(help.stdout.find("--suite").unwrap() < containers, "{help:?}");
    assert_eq!(help.code, Some(0));
    for said in ["agentci record [OPTIONS] -- CMD...", "--rehearse", "agentci record [OPTIONS] [PATH]...", "--parallel"]
    {
        assert!(help.stdout.contains(said), "{said} {help:?}");
    }
}

#[test]
fn an_interrupt_ends_the_agent_and_keeps_what_was_recorded() {
    for (name, code) in [("INT", 130), ("TERM", 143)] {
        let upstream = Upstream::start();
        let waits = format!(
            "{PYTHON}\nopen('done', 'w').close()\nimport signal, time\nsignal.signal(signal.SIGINT, signal.SIG_DFL)\ntime.sleep(600)\n"
        );
        let suite = shop(&upstream).file("waits.py", waits);
        let mut command = agentci(&suite, &["record", "--", "python3", "waits.py"]);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        wait_for(|| suite.path("done").exists().then_some(())).unwrap();
        let started = Instant::now();
        assert!(signal(child.id(), name));
        let output = child.wait_with_output().unwrap();
        let recorded = suite.ran(&output, started.elapsed());
        assert_eq!(recorded.code, Some(code), "{name} {recorded:?}");
        recorded.complains(&["interrupted: the recording holds what was exchanged until then", "3 calls"]);
        assert!(suite.path("recordings/waits.jsonl").exists());
    }
}

#[test]
fn limits_of_time_and_money_end_a_recording() {
    let upstream = Upstream::start();
    let suite = shop(&upstream).file("slow.py", format!("{PYTHON}\nimport time; time.sleep(600)\n"));
    let slow = ran(&suite, &mut agentci(&suite, &["record", "--max-wall", "3s", "--", "python3", "slow.py"]));
    assert_eq!(slow.code, Some(1), "{slow:?}");
    slow.complains(&["it took longer than `--max-wall`", "wrote recordings/slow.jsonl"]);
    let suite = shop(&upstream);
    let before = upstream.asked();
    // One call costs less than a cent, and more than a tenth of one.
    let dear = ran(&suite, &mut agentci(&suite, &["record", "--max-cost", "0.001", "--", "python3", "agent.py"]));
    assert_eq!(dear.code, Some(1), "{dear:?}");
    dear.complains(&["more than `--max-cost` 0.001"]);
    assert_eq!(upstream.asked() - before, 1, "{dear:?}");
    let own = shop(&upstream).file("prices.json", r#"{"gpt-4o": {"input": 0, "output": 0}}"#);
    let arguments = ["record", "--max-cost", "0.001", "--prices", "prices.json", "--", "python3", "agent.py"];
    let free = ran(&own, &mut agentci(&own, &arguments));
    assert_eq!(free.code, Some(0), "{free:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn an_agent_that_goes_around_the_recorder_is_named() {
    let upstream = Upstream::start();
    // Only the leak watch can see it: `-I` keeps the hook out, and a socket knows no proxy.
    let around = "import socket, time, sys\nhost, port = open('base').read()[7:].split(':')\ns = socket.create_connection((host, int(port)))\ntime.sleep(5)\nprint('done')\n";
    let suite = shop(&upstream).file("around.py", around);
    let recorded = ran(&suite, &mut agentci(&suite, &["record", "--", "python3", "-I", "around.py"]));
    assert_eq!((recorded.code, recorded.stdout.as_str()), (Some(1), "done\n"), "{recorded:?}");
    let address = upstream.url.trim_start_matches("http://");
    recorded.complains(&["warning: python3 (pid ", address, "nothing was recorded"]);
}

#[test]
fn a_suite_is_written_that_passes_at_once_and_fails_for_another_agent() {
    let mut upstream = Upstream::start();
    let suite = shop(&upstream);
    let arguments = ["record", "--suite", "tests", "--", "python3", "agent.py", "Where is A-17?"];
    let recorded = ran(&suite, &mut agentci(&suite, &arguments));
    assert_eq!(recorded.code, Some(0), "{recorded:?}");
    assert!(recorded.stdout.starts_with("Order 4711 shipped: "));
    upstream.close();
    let text = fs::read_to_string(suite.path("tests/agentci.yaml")).unwrap();
    for part in
        ["tool_called: { name: \"find_order\", args: {\"order\":\"A-17\",\"depth\":2} }", "4711", "model_calls: 4"]
    {
        assert!(text.contains(part), "{text}");
    }
    let checked = ran(&suite, &mut agentci(&suite, &["check", "--strict", "tests"]));
    assert_eq!(checked.code, Some(0), "{checked:?}\n{text}");
    let passed = ran(&suite, &mut agentci(&suite, &["run", "tests"]));
    assert_eq!(passed.code, Some(0), "{passed:?}\n{text}");
    let silent = PYTHON.replace("print(message[\"content\"])", "print(\"It shipped.\")");
    fs::write(suite.path("agent.py"), silent).unwrap();
    let failed = ran(&suite, &mut agentci(&suite, &["run", "tests"]));
    assert_eq!(failed.code, Some(1), "{failed:?}");
    let again =
        ran(&suite, &mut agentci(&suite, &["record", "--name", "b", "--suite", "tests", "--", "python3", "agent.py"]));
    assert_eq!(again.code, Some(1), "{again:?}");
    again.complains(&["the suite `tests/agentci.yaml` already exists", "--force"]);
}

#[test]
fn a_rehearsal_learns_what_differs_and_says_what_would_fail_later() {
    let counting = |place: &str| {
        PYTHON
            .replace("{\"model\": \"gpt-4o\", \"messages\": messages}", place)
            .replace("KEY = ", "N = len(os.listdir('.'))\nopen('run%d' % N, 'w').close()\nKEY = ")
    };
    let upstream = Upstream::start();
    let attempt = counting("{\"model\": \"gpt-4o\", \"messages\": messages, \"seed\": N}");
    let suite = shop(&upstream).file("agent.py", attempt);
    let learned = ran(&suite, &mut agentci(&suite, &["record", "--rehearse", "--", "python3", "agent.py"]));
    assert_eq!(learned.code, Some(0), "{learned:?}");
    learned.complains(&["is not compared: /seed"]);
    let replayed = ran(&suite, &mut agentci(&suite, &["replay", "recordings/agent.jsonl"]));
    assert_eq!(replayed.code, Some(0), "{replayed:?}");
    let prompt = counting(
        "{\"model\": \"gpt-4o\", \"messages\": [{\"role\": \"system\", \"content\": \"run %d of the shop\" % N}] + messages}",
    );
    let suite = shop(&upstream).file("agent.py", prompt);
    let told = ran(&suite, &mut agentci(&suite, &["record", "--rehearse", "--", "python3", "agent.py"]));
    assert_eq!(told.code, Some(1), "{told:?}");
    told.complains(&["(replay_miss)", "a replay of this recording will fail"]);
}

#[test]
fn a_container_gets_a_folder_with_certificates_and_variables() {
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
    let recorded = ran(&suite, &mut agentci(&suite, &arguments));
    assert_eq!(recorded.code, Some(0), "{recorded:?}");
    let variables = fs::read_to_string(suite.path("world/agent.env")).unwrap();
    assert!(variables.lines().any(|line| line.starts_with("HTTPS_PROXY=http://localhost:")), "{variables}");
    assert!(variables.lines().any(|line| line.starts_with("SSL_CERT_FILE=/mnt/w/")), "{variables}");
    assert!(!variables.contains(suite.root().to_str().unwrap()), "{variables}");
}

#[test]
fn recordings_are_shown_compared_and_trimmed() {
    let upstream = Upstream::start();
    let suite = shop(&upstream);
    for (name, question) in [("a", "one"), ("b", "two")] {
        let arguments = ["record", "--name", name, "--", "python3", "agent.py", question];
        assert_eq!(ran(&suite, &mut agentci(&suite, &arguments)).code, Some(0));
    }
    let (a, b) = ("recordings/a.jsonl", "recordings/b.jsonl");
    let shown = ran(&suite, &mut agentci(&suite, &["recording", "show", a]));
    assert!(shown.code == Some(0) && shown.stdout.contains("/v1/chat/completions"), "{shown:?}");
    assert_eq!(ran(&suite, &mut agentci(&suite, &["recording", "diff", a, a])).code, Some(0));
    let different = ran(&suite, &mut agentci(&suite, &["recording", "diff", a, b]));
    assert!(different.code == Some(1) && different.stdout.contains("two"), "{different:?}");
    let nothing = ran(&suite, &mut agentci(&suite, &["recording", "clean", a]));
    assert_eq!(nothing.code, Some(1), "{nothing:?}");
    let trimmed = ran(&suite, &mut agentci(&suite, &["recording", "clean", a, "--id", "2"]));
    assert_eq!(trimmed.code, Some(0), "{trimmed:?}");
    let missed = ran(&suite, &mut agentci(&suite, &["replay", a]));
    assert_eq!(missed.code, Some(1), "{missed:?}");
}

#[test]
fn a_rehearsal_that_learns_something_new_every_time_is_given_up() {
    let upstream = Upstream::start();
    let fields = ", \"a\": N, \"b\": N, \"c\": N, \"d\": N, \"e\": N, \"f\": N";
    let agent = PYTHON
        .replace("\"messages\": messages}", &format!("\"messages\": messages{fields}}}"))
        .replace("KEY = ", "N = len(os.listdir('.'))\nopen('run%d' % N, 'w').close()\nKEY = ");
    let suite = shop(&upstream).file("agent.py", agent);
    let told = ran(&suite, &mut agentci(&suite, &["record", "--rehearse", "--", "python3", "agent.py"]));
    assert_eq!(told.code, Some(1), "{told:?}");
    told.complains(&["the rehearsal was given up"]);
    // Once to record, and as often as a rehearsal may.
    let runs = fs::read_dir(suite.root()).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(runs.filter(|name| name.to_string_lossy().starts_with("run")).count(), 1 + 5);
}

#[test]
fn an_agent_that_does_not_end_is_killed_and_its_recording_kept() {
    let upstream = Upstream::start();
    let stubborn = format!(
        "{PYTHON}\nimport signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nopen('done', 'w').close()\ntime.sleep(600)\n"
    );
    let suite = shop(&upstream).file("stubborn.py", stubborn);
    let mut command = agentci(&suite, &["record", "--", "python3", "stubborn.py"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for(|| suite.path("done").exists().then_some(())).unwrap();
    assert!(signal(child.id(), "TERM"));
    let output = child.wait_with_output().unwrap();
    let recorded = suite.ran(&output, Duration::ZERO);
    assert_eq!(recorded.code, Some(137), "{recorded:?}");
    assert!(suite.path("recordings/stubborn.jsonl").exists());
}

#[test]
fn an_agent_that_ignores_an_interrupt_is_ended_and_its_recording_kept() {
    for twice in [true, false] {
        let upstream = Upstream::start();
        let ignores = format!(
            "import signal\nfor n in (signal.SIGINT, signal.SIGTERM): signal.signal(n, signal.SIG_IGN)\n{PYTHON}\nopen('done', 'w').close()\nimport time\ntime.sleep(600)\n"
        );
        let suite = shop(&upstream).file("ignores.py", ignores);
        let mut command = agentci(&suite, &["record", "--", "python3", "ignores.py"]);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        wait_for(|| suite.path("done").exists().then_some(())).unwrap();
        let started = Instant::now();
        assert!(signal(child.id(), "INT"));
        if twice {
            std::thread::sleep(Duration::from_millis(300));
            assert!(signal(child.id(), "INT"));
        }
        let recorded = suite.ran(&child.wait_with_output().unwrap(), started.elapsed());
        assert_eq!(recorded.code, Some(130), "{recorded:?}");
        recorded.complains(&["interrupted: the recording holds what was exchanged until then", "3 calls"]);
        assert!(suite.path("recordings/ignores.jsonl").exists());
    }
}

#[test]
fn an_interrupt_before_any_request_is_an_interrupt() {
    for (name, code) in [("INT", 130), ("QUIT", 143)] {
        let suite = Suite::empty();
        let script = "touch up; exec sleep 600";
        let mut command = agentci(&suite, &["record", "--", "sh", "-c", script]);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        wait_for(|| suite.path("up").exists().then_some(())).unwrap();
        assert!(signal(child.id(), name));
        let recorded = suite.ran(&child.wait_with_output().unwrap(), Duration::ZERO);
        assert_eq!(recorded.code, Some(code), "{recorded:?}");
        recorded.complains(&["interrupted: nothing was recorded until then"]);
        assert!(!recorded.stderr.contains("error: ") && !suite.path("recordings").exists(), "{recorded:?}");
    }
}

#[test]
fn a_recording_that_cannot_be_written_costs_nothing_and_is_never_lost() {
    let upstream = Upstream::start();
    let suite = shop(&upstream);
    let refused = ran(&suite, &mut agentci(&suite, &["record", "-o", "base/x.jsonl", "--", "python3", "agent.py"]));
    assert_eq!((refused.code, upstream.asked()), (Some(1), 0), "{refused:?}");
    refused.complains(&["the recording `base/x.jsonl` could not be written", "nothing was run"]);
    let spoils = format!("{PYTHON}\nimport shutil\nshutil.rmtree('recordings')\nopen('recordings', 'w').close()\n");
    let suite = suite.file("spoils.py", spoils).file("tmp/.keep", "");
    let mut command = agentci(&suite, &["record", "--", "python3", "spoils.py"]);
    let recorded = ran(&suite, command.env("TMPDIR", suite.path("tmp")));
    assert_eq!(recorded.code, Some(1), "{recorded:?}");
    let (_, kept) = recorded.stderr.split_once("it is kept in `").unwrap();
    let kept = kept.split_once('`').unwrap().0;
    assert!(fs::read_to_string(kept).unwrap().contains("/v1/chat/completions"), "{recorded:?}");
}

#[test]
fn two_commands_are_not_recorded_to_one_file() {
    let upstream = Upstream::start();
    let suite =
        shop(&upstream).file("slow.py", format!("open('up', 'w').close()\nimport time; time.sleep(4)\n{PYTHON}"));
    let mut command = agentci(&suite, &["record", "-o", "x.jsonl", "--", "python3", "slow.py"]);
    let first = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for(|| suite.path("up").exists().then_some(())).unwrap();
    let second = ran(&suite, &mut agentci(&suite, &["record", "-o", "x.jsonl", "--", "python3", "agent.py"]));
    assert_eq!(second.code, Some(1), "{second:?}");
    second.complains(&[&format!("another `agentci record` (pid {}) is recording to `x.jsonl`", first.id())]);
    assert_eq!(first.wait_with_output().unwrap().status.code(), Some(0));
    assert!(suite.path("x.jsonl").exists() && !suite.path("x.jsonl.part").exists());
}

#[test]
fn calls_that_go_to_the_live_world_by_wish_are_counted_and_no_error() {
    let upstream = Upstream::start();
    let suite = shop(&upstream);
    assert_eq!(ran(&suite, &mut agentci(&suite, &["record", "--", "python3", "agent.py", "one"])).code, Some(0));
    let file = "recordings/agent.jsonl";
    let before = fs::read_to_string(suite.path(file)).unwrap();
    let replayed = |how: &str| {
        let arguments = ["replay", file, "--on-miss", how, "--", "python3", "agent.py", "hello"];
        ran(&suite, &mut agentci(&suite, &arguments))
    };
    let asked = upstream.asked();
    let live = replayed("live");
    assert_eq!(live.code, Some(0), "{live:?}");
    live.complains(&["1 call answered by the live world, and not recorded"]);
    assert_eq!(fs::read_to_string(suite.path(file)).unwrap(), before);
    let added = replayed("record");
    assert_eq!(added.code, Some(0), "{added:?}");
    added.complains(&["1 call answered by the live world, and added to recordings/agent.jsonl"]);
    assert_eq!(upstream.asked() - asked, 2);
    let again = replayed("fail");
    assert_eq!((again.code, upstream.asked() - asked), (Some(0), 2), "{again:?}");
}

#[test]
fn a_host_that_cannot_be_reached_is_named_and_asked_again() {
    let agent = "import sys, urllib.request\nfor url in sys.argv[1:]:\n  try: urllib.request.urlopen(url, timeout=20)\n  except Exception: pass\n";
    let suite = Suite::empty().file("agent.py", agent);
    let down = "http://agent.invalid/x";
    let recorded = ran(&suite, &mut agentci(&suite, &["record", "--", "python3", "agent.py", down]));
    assert_eq!(recorded.code, Some(1), "{recorded:?}");
    recorded.complains(&["agent.invalid  1 call failed: ", "nothing was recorded: no host could be reached"]);
    assert!(!suite.path("recordings").exists());
    let upstream = Upstream::start();
    let tool = format!("{}/orders", upstream.url);
    let mixed = ran(&suite, &mut agentci(&suite, &["record", "--", "python3", "agent.py", &tool, down]));
    assert_eq!(mixed.code, Some(0), "{mixed:?}");
    mixed.complains(&["agent.invalid", "1 call failed: ", "wrote recordings/agent.jsonl"]);
    let updated = ran(&suite, &mut agentci(&suite, &["record", "--update", "--", "python3", "agent.py", &tool, down]));
    assert_eq!((updated.code, upstream.asked()), (Some(0), 1), "{updated:?}");
    updated.complains(&["1 kept, 1 recorded"]);
}

#[test]
fn a_recording_is_judged_by_the_rules_it_was_cleaned_by() {
    let upstream = Upstream::start();
    // Log probabilities name every token.
    let tells =
        PYTHON.replace("\"messages\": messages}", "\"messages\": messages, \"logprobs\": [{\"token\": \"Hello\"}]}");
    let suite = shop(&upstream).file("agent.py", tells);
    assert_eq!(ran(&suite, &mut agentci(&suite, &["record", "--", "python3", "agent.py"])).code, Some(0));
    let file = suite.path("recordings/agent.jsonl");
    let checked = |suite: &Suite| ran(suite, &mut agentci(suite, &["check", "--secrets", "recordings"]));
    let clean = checked(&suite);
    assert_eq!((clean.code, clean.stdout.as_str()), (Some(0), "1 recording: nothing is wrong\n"), "{clean:?}");
    let one = ran(&suite, &mut agentci(&suite, &["check", "--secrets", "recordings/agent.jsonl"]));
    assert_eq!(one.code, Some(0), "{one:?}");
    let unasked = ran(&suite, &mut agentci(&suite, &["check", "recordings"]));
    assert_eq!(unasked.code, Some(1), "{unasked:?}");
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains("Where is A-17?"));
    fs::write(&file, text.replace("Where is A-17?", &format!("Where is A-17? {MODEL_KEY}"))).unwrap();
    let dirty = checked(&suite);
    assert_eq!(dirty.code, Some(1), "{dirty:?}");
    assert!(format!("{dirty:?}").contains("holds a secret"), "{dirty:?}");
}
