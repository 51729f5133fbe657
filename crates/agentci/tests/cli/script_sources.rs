//! Where the script of a model may be, and how an agent gets the address of the model.

use crate::suite::Suite;

/// An agent that sends its input to the model at `LLM_URL` and prints the answer.
const AGENT: &str = r#"
import json, os, sys, urllib.request
body = {"model": "m", "messages": [{"role": "user", "content": sys.stdin.read()}]}
headers = {"content-type": "application/json", "authorization": "Bearer " + os.environ.get("LLM_KEY", "")}
request = urllib.request.Request(os.environ["LLM_URL"] + "/chat/completions", json.dumps(body).encode(), headers)
print(json.load(urllib.request.urlopen(request))["choices"][0]["message"]["content"])
"#;

const HEAD: &str = "suite: suite
target: { process: { command: [python3, suite/agent.py], speaks: text, env: { LLM_URL: \"${MODEL.openai_base_url}\" } } }
";

fn suite(yaml: &str) -> Suite {
    Suite::empty().file("suite/agent.py", AGENT).file("suite/agentci.yaml", format!("{HEAD}{yaml}"))
}

const CASES: &str = "cases:
  - { id: one, turns: [{ user: hi }], checks: [equals: first] }
  - { id: two, turns: [{ user: hi }], checks: [equals: second] }
";

#[test]
fn script_path_can_contain_the_case_id() {
    let suite = suite(&format!("world: {{ model: {{ script: 'models/{{case}}.yaml' }} }}\n{CASES}"))
        .file("suite/models/one.yaml", "rules: [{ when: { user: hi }, reply: first }]\n")
        .file("suite/models/two.yaml", "rules: [{ when: { user: hi }, reply: second }]\n");
    let ran = suite.run(&[]);
    assert_eq!((ran.code, ran.verdicts().len()), (Some(0), 2), "{ran:?}");
    std::fs::remove_file(suite.path("suite/models/two.yaml")).unwrap();
    let ran = suite.run(&[]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.says(&["PASS one", "suite/models/two.yaml`: no such file", "this file"]);
}

#[test]
fn script_can_be_inline() {
    let own = "world: { model: { script: { steps: [{ reply: second }] } } }";
    let cases = CASES.replace("{ id: two,", &format!("{{ id: two, {own},"));
    let yaml =
        format!("world: {{ model: {{ script: {{ rules: [{{ when: {{ user: hi }}, reply: first }}] }} }} }}\n{cases}");
    let suite = suite(&yaml);
    let ran = suite.run(&[]);
    assert_eq!((ran.code, ran.verdicts().len()), (Some(0), 2), "{ran:?}");
    // An error in it is reported at its place, once.
    let wrong =
        suite.file("suite/agentci.yaml", format!("{HEAD}{}", yaml.replace("when: { user: hi", "when: { usr: hi")));
    let checked = wrong.agentci(&["check", "suite"]);
    assert_eq!(checked.code, Some(1), "{checked:?}");
    assert!(
        checked.stderr.contains("error: unknown key `usr` in `when`\n  --> suite/agentci.yaml:3:47\n"),
        "{checked:?}"
    );
    assert_eq!(checked.stderr.matches("error: unknown key").count(), 1, "{checked:?}");
}

#[test]
fn convert_keeps_inline_script() {
    let suite = suite(&format!(
        "world: {{ model: {{ script: {{ rules: [{{ when: {{ user: hi }}, reply: first }}] }} }} }}\n{CASES}"
    ));
    let printed = suite.agentci(&["convert", "suite"]);
    assert_eq!(printed.code, Some(0), "{printed:?}");
    let again = suite.file("suite/agentci.yaml", &printed.stdout);
    let ran = again.run(&["--case", "one"]);
    assert_eq!(ran.code, Some(0), "{ran:?}\n{}", printed.stdout);
}

#[test]
fn api_key_of_the_script_is_available_as_variable() {
    let yaml = format!("world: {{ model: {{ script: {{ api_key: sk-of-the-script, default: first }} }} }}\n{CASES}");
    let env = "env: { LLM_URL: \"${MODEL.openai_base_url}\" }";
    let with_key = "env: { LLM_URL: \"${MODEL.url}/v1\", LLM_KEY: \"${MODEL.api_key}\" }";
    let suite = suite("").file("suite/agentci.yaml", format!("{}{yaml}", HEAD.replace(env, with_key)));
    let ran = suite.run(&["--case", "one"]);
    assert_eq!((ran.code, ran.stderr.contains("warning")), (Some(0), false), "{ran:?}");
}

#[test]
fn reports_unknown_model_variable() {
    let yaml = format!("world: {{ model: {{ script: {{ default: first }} }} }}\n{CASES}");
    let wrong = format!("{HEAD}{yaml}").replace("MODEL.openai_base_url", "MODEL.opnai_url");
    let ran = suite("").file("suite/agentci.yaml", wrong).run(&["--case", "one"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.says(&["the variable `MODEL.opnai_url` has no value", "`MODEL.openai_base_url`"]);
    // Without a model, a default value can be used.
    let plain = "suite: suite\ntarget: { process: { command: [echo, \"${MODEL.url:-nobody}\"], speaks: text } }\n\
                 cases: [{ id: a, turns: [{ user: x }], checks: [equals: nobody] }]\n";
    let ran = suite("").file("suite/agentci.yaml", plain).run(&[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
}
