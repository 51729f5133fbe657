//! Compares an agent's model requests with a baseline: system prompts, tools, models and parameters. Each change is
//! made in a real agent, and so is each difference that must be ignored: another day, another folder, one more loop.

use std::fs;

use serde_json::{Value, json};

use crate::ran::run_folders;
use crate::suite::Suite;
use crate::upstream::Upstream;

/// An agent that sends the model requests defined in `setup.py` and prints the last answer.
const AGENT: &str = r#"
import json, os, sys, urllib.request
import setup
def ask(body):
    data = json.dumps(body).encode()
    headers = {"content-type": "application/json", "authorization": "Bearer " + os.environ["OPENAI_API_KEY"]}
    address = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
    answer = json.load(urllib.request.urlopen(urllib.request.Request(address, data, headers)))
    return answer["choices"][0]["message"]["content"]
question = json.load(sys.stdin)["question"]
said = "nothing"
for request in setup.requests(question):
    system = [{"role": "system", "content": request.pop("system")}] if "system" in request else []
    asked = request.pop("ask", question)
    said = ask({"messages": system + [{"role": "user", "content": asked}], **request})
print(said)
"#;

/// The initial setup of the agent.
const SETUP: &str = r#"
import datetime, os, tempfile, uuid
REFUND = {"type": "function", "function": {"name": "refund_order", "description": "Pays an order back.", "parameters": {
    "type": "object", "required": ["id", "amount"],
    "properties": {"id": {"type": "string"}, "amount": {"type": "number"}}}}}
SYSTEM = ["You are the shop.", "Refund at most 50 USD.", "Be brief."]
def requests(question):
    return [{"model": "gpt-4o", "temperature": 0, "tools": [REFUND], "system": "\n".join(SYSTEM)}]
"#;

const SUITE: &str = "suite: shop\n\
    target: { process: { command: [python3, agent.py], speaks: text, env: { PYTHONDONTWRITEBYTECODE: '1' } } }\n\
    world: { model: { script: model.yaml } }\n\
    gates: { baseline: baseline.json, no_changed_prompts: true }\n\
    cases:\n\
    - { id: a, input: { question: hi } }\n\
    - { id: b, input: { question: billing } }\n";

fn shop() -> Suite {
    Suite::empty()
        .file("suite/agentci.yaml", SUITE)
        .file("suite/agent.py", AGENT)
        .file("suite/setup.py", SETUP)
        .file("suite/model.yaml", "rules: [{ when: {}, reply: fine }]\n")
}

/// Replaces a text in the agent's setup.
fn with(suite: Suite, from: &str, to: &str) -> Suite {
    let setup = fs::read_to_string(suite.path("suite/setup.py")).unwrap();
    assert!(setup.contains(from), "{from} is not in {setup}");
    suite.file("suite/setup.py", setup.replace(from, to))
}

/// Runs the suite and promotes that run to the baseline.
fn promoted(suite: Suite) -> Suite {
    suite.agentci(&["run", "suite"]);
    let ran = suite.agentci(&["baseline", "promote", "--from", &last_run(&suite), "--to", "suite/baseline.json"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
    suite
}

fn last_run(suite: &Suite) -> String {
    run_folders(&suite.path(".agentci/runs")).last().unwrap().to_str().unwrap().to_owned()
}

/// A file of the last run.
fn last(suite: &Suite, file: &str) -> String {
    fs::read_to_string(format!("{}/{file}", last_run(suite))).unwrap()
}

const LONG: &str = r#"
def requests(question):
    tool = {"type": "function", "function": {"name": "t", "strict": False, "parameters": {"type": "object"}}}
    helping = {"model": "m", "system": "You help.\n" + "a line\n" * 2100, "tools": [tool]}
    return [{"model": "m", "system": "You route.\nAll of it."}, helping]
"#;

/// A suite with two agents, one of which has changed since the baseline.
pub(crate) fn changed() -> Suite {
    with(promoted(shop().file("suite/setup.py", LONG)), "All of it.", "Some of it.")
}

fn baseline(suite: &Suite) -> Value {
    serde_json::from_str(&fs::read_to_string(suite.path("suite/baseline.json")).unwrap()).unwrap()
}

const PASSES: &str =
    "GATE PASS no_changed_prompts: models are called with the prompts, tools and parameters of the baseline\n";

fn is_green(suite: &Suite) {
    let ran = suite.agentci(&["run", "suite"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    ran.says(&[PASSES, "no case changed since suite/baseline.json\n"]);
}

fn is_red(suite: &Suite, words: &[&str]) {
    let ran = suite.agentci(&["run", "suite"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.says(&["GATE FAIL no_changed_prompts: "]);
    ran.says(words);
}

#[test]
fn unchanged_agent_passes_and_changed_line_is_reported() {
    let suite = promoted(shop());
    is_green(&suite);
    let suite = with(suite, "at most 50 USD", "at most 500 USD");
    let change = "system prompt: 1 line changed; line 2 was \"Refund at most 50 USD.\", is \"Refund at most 500 USD.\"";
    is_red(
        &suite,
        &[
            &format!(
                "GATE FAIL no_changed_prompts: 2 cases call their models differently from the baseline (a, b): {change}\n"
            ),
            &format!("changed since suite/baseline.json:\n  {change}\n"),
            "2 cases: 2 passed",
        ],
    );
    let summary = last(&suite, "summary.json");
    let summary: Value = serde_json::from_str(&summary).unwrap();
    let changed = &summary["regression"]["case_diffs"]["prompts_changed"];
    assert_eq!(*changed, json!([{ "change": change, "cases": ["a", "b"] }]));
    assert_eq!(summary["policy_snapshot"]["thresholds"], json!({ "no_changed_prompts": true }));
    let junit = last(&suite, "junit.xml");
    assert!(junit.contains("name=\"gate: no_changed_prompts\"") && junit.contains("at most 500 USD."), "{junit}");
    let page = last(&suite, "report.html");
    assert!(page.contains("at most 500 USD."), "{page}");
    // The stored run says the same.
    let run = last_run(&suite);
    let diff = suite.agentci(&["diff", "--baseline", "suite/baseline.json", "--run", &run]);
    assert_eq!(diff.code, Some(1), "{diff:?}");
    diff.says(&["no_changed_prompts  FAIL", change]);
}

#[test]
fn prompt_change_without_gate_is_listed_but_passes() {
    let suite = promoted(shop().file("suite/agentci.yaml", SUITE.replace(", no_changed_prompts: true", "")));
    let suite = with(suite, "\"gpt-4o\"", "\"gpt-4o-mini\"");
    let ran = suite.agentci(&["run", "suite"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    ran.says(&["changed since suite/baseline.json:\n  model gpt-4o -> gpt-4o-mini\n"]);
}

#[test]
fn describes_changes_to_tools_models_and_parameters() {
    for (from, to, words) in [
        ("[\"id\", \"amount\"]", "[\"id\"]", "tool `refund_order`: `amount` no longer required\n"),
        ("\"number\"", "\"string\"", "tool `refund_order`: `type` of `amount` number -> string\n"),
        (
            "Pays an order back.",
            "Pays back.",
            "tool `refund_order`: `description` changed: was \"Pays an order back.\", is \"Pays back.\"\n",
        ),
        ("refund_order", "pay_back", "  tool `refund_order` is gone\n  tool `pay_back` is new\n"),
        ("[REFUND]", "[REFUND, {\"type\": \"function\", \"function\": {\"name\": \"x\"}}]", "  tool `x` is new\n"),
        ("\"temperature\": 0", "\"temperature\": 0.7", "  temperature 0 -> 0.7\n"),
        (
            "\"temperature\": 0",
            "\"tool_choice\": \"none\"",
            "  temperature 0 -> not set\n  tool_choice not set -> none\n",
        ),
        ("\"gpt-4o\"", "\"gpt-4o-mini\"", "  model gpt-4o -> gpt-4o-mini\n"),
        (", \"system\": \"\\n\".join(SYSTEM)", "", "  system prompt is gone: 3 lines, \"You are the shop.\"\n"),
    ] {
        is_red(&with(promoted(shop()), from, to), &[words]);
    }
}

#[test]
fn ignores_changes_outside_the_prompt() {
    let suite = promoted(shop());
    let one_more = "\n\nonce = requests\ndef requests(question):\n    \
                    return [{**once(question)[0], \"ask\": \"again\"}, *once(question)]\n";
    let setup = fs::read_to_string(suite.path("suite/setup.py")).unwrap();
    let suite = suite.file("suite/setup.py", setup.clone() + one_more);
    is_green(&suite);
    let delivered =
        "\"stream\": False, \"user\": \"me\", \"metadata\": {\"run\": 7}, \"seed\": 1, \"temperature\": 0.0";
    let setup = setup.replace("\"temperature\": 0", delivered);
    // The order of keys does not matter.
    let setup = setup.replace(
        "\"type\": \"object\", \"required\": [\"id\", \"amount\"],",
        "\"required\": [\"id\", \"amount\"], \"type\": \"object\",",
    );
    is_green(&suite.file("suite/setup.py", setup));
}

const DAILY: &str = r#"SYSTEM = ["You are the shop.", now.strftime("Today is %A, %B %d, %Y."), now.isoformat(),
    now.strftime("%d.%m.%Y"), "Open Monday to Friday, Tuesday, Wednesday, Thursday, Saturday and Sunday.",
    f"Session {uuid.uuid4()} in {os.getcwd()} of {os.environ['HOME']}, notes in {tempfile.mkdtemp()}"]"#;

#[test]
fn prompt_with_current_date_is_unchanged_on_another_day() {
    let usual = "SYSTEM = [\"You are the shop.\", \"Refund at most 50 USD.\", \"Be brief.\"]";
    let suite = with(shop(), usual, &format!("now = datetime.datetime.now()\n{DAILY}"));
    let suite = promoted(suite);
    is_green(&suite);
    // Pretend that the baseline was made on another day.
    let mut earlier = baseline(&suite);
    let system = earlier["prompts"]["systems"].as_object_mut().unwrap().values_mut().next().unwrap();
    let mut moved = 0;
    for time in system["times"].as_object_mut().unwrap().values_mut().flat_map(|times| times.as_array_mut().unwrap()) {
        if time.as_str().unwrap().starts_with("now ") {
            *time = json!("now some other day");
            moved += 1;
        }
    }
    // The date in three forms, and today's weekday among the opening days: the baseline gets another weekday.
    assert_eq!((moved, system["times"]["4"].as_array().unwrap().len()), (4, 7), "{system:#}");
    system["times"]["4"] = json!(["Monday", "now Friday", "Tuesday", "Wednesday", "Thursday", "Saturday", "Sunday"]);
    let text = system["lines"][5].as_str().unwrap();
    assert!(text.ends_with("Session {id} in {cwd} of {home}, notes in {tmp}/{name}"), "{text}");
    fs::write(suite.path("suite/baseline.json"), earlier.to_string()).unwrap();
    is_green(&suite);
    // Another folder, and the same day.
    let elsewhere = Suite::empty();
    for file in ["agentci.yaml", "agent.py", "setup.py", "model.yaml", "baseline.json"] {
        let path = format!("suite/{file}");
        fs::create_dir_all(elsewhere.path("suite")).unwrap();
        fs::copy(suite.path(&path), elsewhere.path(&path)).unwrap();
    }
    is_green(&elsewhere);
    // A fixed date does not count as the current date.
    let suite = with(suite, "now.strftime(\"%d.%m.%Y\")", "\"01.02.2003\"");
    is_red(&suite, &["system prompt: 1 line changed; line 4 was ", "is \"01.02.2003\"\n"]);
}

#[test]
fn changed_fixed_date_is_a_prompt_change() {
    let suite = promoted(with(shop(), "Be brief.", "The sale ends on 2001-02-03."));
    is_green(&suite);
    let suite = with(suite, "2001-02-03", "2001-02-04");
    is_red(&suite, &["line 3 was \"The sale ends on 2001-02-03.\", is \"The sale ends on 2001-02-04.\"\n"]);
}

const SEVERAL: &str = r#"
def requests(question):
    routing = {"model": "gpt-4o-mini", "system": "You are a helper.\nYou route questions.", "temperature": 0}
    billing = {"model": "gpt-4o", "system": "You are a helper.\nYou know about bills.", "temperature": 0}
    greeting = {"model": "gpt-4o", "system": "You are a helper.\nYou greet people.", "temperature": 0}
    return [routing, billing if question == "billing" else greeting]
"#;

#[test]
fn distinguishes_agents_within_one_suite() {
    let suite = promoted(shop().file("suite/setup.py", SEVERAL));
    is_green(&suite);
    let suite = with(suite, "You know about bills.", "You know all about bills.");
    let change = "agent \"You know about bills.\": system prompt: 1 line changed; line 2 was \"You know about bills.\", is \"You know all about bills.\"\n";
    is_red(&suite, &[change, "1 case calls its models differently from the baseline (b): system prompt"]);
    let summary: Value = serde_json::from_str(&last(&suite, "summary.json")).unwrap();
    assert_eq!(summary["regression"]["case_diffs"]["prompts_changed"][0]["cases"], json!(["b"]));
    // The prompts of a case that is not selected do not count as missing.
    let ran = suite.agentci(&["run", "suite", "--case", "a"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    ran.says(&[PASSES]);
    // A change that affects every agent is reported once.
    let suite = with(promoted(suite), "\"temperature\": 0", "\"temperature\": 1");
    is_red(
        &suite,
        &["changed since suite/baseline.json:\n  temperature 0 -> 1\nFAIL"].map(|words| words.trim_end_matches("FAIL")),
    );
    // An agent whose model is no longer called.
    let suite = with(suite, "\"temperature\": 1", "\"temperature\": 0");
    let suite = with(suite, "[routing, billing if", "[billing if");
    is_red(
        &suite,
        &["a kind of request is gone: model gpt-4o-mini, system prompt of 2 lines, \"You are a helper.\"\n"],
    );
}

#[test]
fn missing_model_call_is_a_change() {
    let suite = promoted(shop());
    let suite = with(suite, "return [{", "return [] if question == 'billing' else [{");
    // The other case still sends the request; this one fails because it never calls its model.
    let ran = suite.agentci(&["run", "suite"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.says(&[PASSES, "model_never_asked"]);
    let suite = with(suite, "return [] if question == 'billing' else [{", "return [] and [{");
    is_red(&suite, &["a kind of request is gone: model gpt-4o, system prompt of 3 lines"]);
}

#[test]
fn redacts_prompt_secrets_in_baseline() {
    let key = "sk-proj-abcdefghijklmnopqrstuvwx0123456789";
    let suite = with(shop(), "\"Be brief.\"", "\"Be brief.\", \"The key is \" + os.environ['SHOP_API_KEY']");
    let keyed = |key: &str| SUITE.replace("env: {", &format!("env: {{ SHOP_API_KEY: {key},"));
    let suite = suite.file("suite/agentci.yaml", keyed(key));
    let suite = promoted(suite);
    let text = fs::read_to_string(suite.path("suite/baseline.json")).unwrap();
    assert!(!text.contains("abcdefghijklmnop") && text.contains("The key is"), "{text}");
    let events = last(&suite, "run.jsonl");
    assert!(!events.contains("abcdefghijklmnop"), "{events}");
    // A different key is not a different prompt.
    let suite = suite.file("suite/agentci.yaml", keyed("sk-proj-zyxwvutsrqponmlkjihgfe9876543210"));
    is_green(&suite);
}

#[test]
fn skips_gate_for_baseline_without_comparable_prompts() {
    let suite = promoted(shop());
    let kept = baseline(&suite);
    let mut old = kept.clone();
    old.as_object_mut().unwrap().remove("prompts");
    for case in old["cases"].as_array_mut().unwrap() {
        case.as_object_mut().unwrap().remove("asked");
    }
    let mut other = kept.clone();
    other["prompts"]["rule"] = json!(99);
    for (document, why) in [(old, "the baseline has no prompts"), (other, "were recorded by another rule")] {
        fs::write(suite.path("suite/baseline.json"), document.to_string()).unwrap();
        let ran = suite.agentci(&["run", "suite"]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        ran.says(&[
            "GATE SKIP no_changed_prompts: not evaluated: ",
            why,
            "agentci baseline promote --from RUN_DIR --to FILE",
        ]);
    }
    // If model calls can no longer be observed, the gate is skipped.
    fs::write(suite.path("suite/baseline.json"), kept.to_string()).unwrap();
    let unseen =
        SUITE.replace("world: { model: { script: model.yaml } }\n", "").replace("agent.py]", "-c, 'print(1)']");
    let ran = suite.file("suite/agentci.yaml", unseen).agentci(&["run", "suite"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    ran.says(&[
        "GATE SKIP no_changed_prompts: not evaluated: the requests to models could not be observed in this run",
    ]);
}

#[test]
fn stores_shared_prompt_once() {
    let suite = promoted(shop());
    let kept = baseline(&suite);
    let requests = kept["prompts"]["requests"].as_object().unwrap();
    assert_eq!((requests.len(), &kept["prompts"]["rule"]), (1, &json!(1)), "{kept:#}");
    let (id, request) = requests.iter().next().unwrap();
    assert_eq!((&request["model"], &request["parameters"]["values"]), (&json!("gpt-4o"), &json!({ "temperature": 0 })));
    assert!(kept["cases"].as_array().unwrap().iter().all(|case| case["asked"] == json!([id])), "{kept:#}");
    assert_eq!(
        (kept["prompts"]["systems"].as_object().unwrap().len(), kept["prompts"]["tools"].as_object().unwrap().len()),
        (1, 1)
    );
    let events = crate::ran::read_events(&run_folders(&suite.path(".agentci/runs")).last().unwrap().join("run.jsonl"));
    let ends: Vec<usize> = events
        .iter()
        .filter(|event| event["type"] == "case_end")
        .map(|event| event["prompts"].as_array().map_or(0, Vec::len))
        .collect();
    assert_eq!(ends.iter().sum::<usize>(), 1, "{ends:?}");
}

#[test]
fn promote_add_takes_prompts_from_the_latest_run() {
    let suite = promoted(shop());
    let before = baseline(&suite)["prompts"].clone();
    suite.agentci(&["run", "suite"]);
    let add = |suite: &Suite| {
        suite.agentci(&["baseline", "promote", "--add", "--from", &last_run(suite), "--to", "suite/baseline.json"])
    };
    let ran = add(&suite);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(baseline(&suite)["prompts"], before);
    is_green(&suite);
    // After the agent changed, it is compared with the run that was added last.
    let suite = with(suite, "at most 50 USD", "at most 500 USD");
    suite.agentci(&["run", "suite"]);
    let ran = add(&suite);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_ne!(baseline(&suite)["prompts"], before);
    is_green(&suite);
}

#[test]
fn compares_prompts_of_agent_with_recorded_model() {
    let mut upstream = Upstream::start();
    let suite = shop();
    let recorded = SUITE
        .replace("{ model: { script: model.yaml } }", "{ recording: 'recordings/{case}.jsonl' }")
        .replace("env: {", &format!("env: {{ OPENAI_API_KEY: none, OPENAI_BASE_URL: '{}/v1',", upstream.url));
    let suite = suite.file("suite/agentci.yaml", recorded);
    let ran = suite.agentci(&["record", "suite"]);
    ran.says(&["2 cases: 2 passed"]);
    upstream.close();
    let suite = promoted(suite);
    is_green(&suite);
    let suite = with(suite, "at most 50 USD", "at most 500 USD");
    is_red(
        &suite,
        &[
            "(a, b): system prompt: 1 line changed; line 2 was \"Refund at most 50 USD.\", is \"Refund at most 500 USD.\"\n",
            "2 cases: 0 passed, 2 failed",
            "(replay_miss)",
        ],
    );
}
