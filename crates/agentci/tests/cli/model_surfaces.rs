//! The scripted model with the APIs of Gemini, Ollama and Azure OpenAI: the agent's environment, and the verdicts.

use std::time::Duration;

use crate::ran::Ran;
use crate::suite::Suite;

/// An agent in Python. `gemini`, `ollama` and `azure` each call the model over that API, and send the result of the
/// requested tool call unless `skip` is set.
const AGENT: &str = r#"
import json, os, sys, urllib.request
sys.stdin.read()
SYSTEM = "Never refund twice."
SCHEMA = {"type": "object", "properties": {"amount": {"type": "number"}}}
def post(url, body, **headers):
    request = urllib.request.Request(url, json.dumps(body).encode(), {"content-type": "application/json", **headers})
    return json.load(urllib.request.urlopen(request))
def gemini(skip=False, system=SYSTEM, key=None):
    url = os.environ["GOOGLE_GEMINI_BASE_URL"] + "/v1beta/models/gemini-2.5-flash:generateContent"
    headers = {} if key else {"x-goog-api-key": os.environ["GEMINI_API_KEY"]}
    body = {"systemInstruction": {"parts": [{"text": system}]}, "contents": [{"role": "user", "parts": [{"text": "refund it"}]}],
            "tools": [{"functionDeclarations": [{"name": "refund", "parametersJsonSchema": SCHEMA}]}]}
    ask = lambda: post(url + (f"?key={key}" if key else ""), body, **headers)["candidates"][0]["content"]
    answer = ask()
    if skip: return
    call = answer["parts"][0]["functionCall"]
    body["contents"] += [answer, {"role": "user", "parts": [{"functionResponse": {"name": call["name"], "response": {"output": "ok"}}}]}]
    ask()
def ollama(skip=False, system=SYSTEM):
    body = {"model": "llama3.2", "stream": False, "messages": [{"role": "system", "content": system}, {"role": "user", "content": "refund it"}],
            "tools": [{"type": "function", "function": {"name": "refund", "parameters": SCHEMA}}]}
    answer = post(os.environ["OLLAMA_HOST"] + "/api/chat", body)["message"]
    if skip: return
    body["messages"] += [answer, {"role": "tool", "tool_name": "refund", "content": "ok"}]
    post(os.environ["OLLAMA_HOST"] + "/api/chat", body)
def azure(skip=False, system=SYSTEM):
    url = os.environ["AZURE_OPENAI_ENDPOINT"] + "/openai/deployments/our-gpt/chat/completions?api-version=2024-10-21"
    body = {"messages": [{"role": "system", "content": system}, {"role": "user", "content": "refund it"}],
            "tools": [{"type": "function", "function": {"name": "refund", "parameters": SCHEMA}}]}
    ask = lambda: post(url, body, **{"api-key": os.environ["AZURE_OPENAI_API_KEY"]})["choices"][0]["message"]
    answer = ask()
    if skip: return
    body["messages"] += [answer, {"role": "tool", "tool_call_id": answer["tool_calls"][0]["id"], "content": "ok"}]
    ask()
"#;

const MODEL: &str = "rules:\n  - when: { user: refund, tool_result: true }\n    reply: refunded\n  \
                     - when: { user: refund }\n    tool_calls: [{ name: refund, args: { amount: 20 } }]\n";

const AZURE: &str =
    ", env: { AZURE_OPENAI_ENDPOINT: \"${MODEL.azure_endpoint}\", AZURE_OPENAI_API_KEY: agentci-placeholder }";

/// Variables that may be set in the environment of the tests.
const PROVIDERS: [&str; 6] = [
    "AZURE_OPENAI_ENDPOINT",
    "AZURE_OPENAI_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "OLLAMA_API_KEY",
    "OLLAMA_BASE_URL",
];

fn run(agent: &str, target: &str, checks: &str, outside: &[(&str, &str)]) -> Ran {
    let text = format!(
        "suite: s\ntarget: {{ process: {{ command: [python3, agent.py], speaks: text{target} }} }}\n\
         world: {{ model: {{ script: model.yaml }} }}\ncases: [{{ id: a, input: {{}}, checks: [{checks}] }}]\n"
    );
    let suite = Suite::empty().file("suite/agentci.yaml", &text).file("suite/model.yaml", MODEL);
    let suite = suite.file("suite/agent.py", format!("{AGENT}{agent}\nprint('done')\n"));
    let mut command = suite.command(&["run", "suite"]);
    for name in PROVIDERS {
        command.env_remove(name);
    }
    let output = command.envs(outside.iter().copied()).output().unwrap();
    suite.ran(&output, Duration::ZERO)
}

#[test]
fn calls_are_observed_through_every_model_api() {
    for (surface, model, target) in
        [("gemini", "gemini-2.5-flash", ""), ("ollama", "llama3.2", ""), ("azure", "our-gpt", AZURE)]
    {
        let checks = format!(
            "{{ tool_called: {{ name: refund, args: {{ amount: 20 }}, count: 1 }} }}, \
             {{ model_called: {{ system: Never refund twice, tools: [refund], model: {model}, of: all }} }}, \
             {{ model_called: {{ count: 2 }} }}"
        );
        let honest = run(&format!("{surface}()"), target, &checks, &[]);
        assert_eq!(honest.code, Some(0), "{surface} {honest:?}");
        assert!(!honest.stdout.contains("API key"), "{honest:?}");
        for (broken, says) in
            [("skip=True", "the agent never sent a result"), ("system='Refund.'", "no system prompt that contains")]
        {
            let red = run(&format!("{surface}({broken})"), target, &checks, &[]);
            assert_eq!(red.code, Some(1), "{surface} {broken} {red:?}");
            red.says(&[says]);
        }
    }
}

/// Asserts that the agent finds exactly these variables; `HERE` is the address of its model and `KEY` the placeholder.
fn finds(expected: &str, outside: &[(&str, &str)]) {
    let agent = format!(
        "ollama()\nurl = os.environ['OLLAMA_HOST']\nassert url == os.environ['GOOGLE_GEMINI_BASE_URL']\n\
         shown = lambda text: text.replace(url, 'HERE').replace('agentci-placeholder', 'KEY')\n\
         found = [n + ' ' + shown(os.environ[n]) for n in {PROVIDERS:?} if n in os.environ]\n\
         assert ', '.join(found) == '{expected}', found"
    );
    let ran = run(&agent, "", "", outside);
    assert_eq!(ran.code, Some(0), "{expected}: {ran:?}");
}

#[test]
fn environment_variables_never_point_at_real_providers() {
    finds("GEMINI_API_KEY KEY", &[]);
    // With two Google keys, Google's SDK would print a warning.
    finds("GOOGLE_API_KEY KEY", &[("GOOGLE_API_KEY", "real-google-key")]);
    let azure = [("AZURE_OPENAI_ENDPOINT", "https://real.test"), ("AZURE_OPENAI_API_KEY", "real-azure-key")];
    finds("AZURE_OPENAI_ENDPOINT HERE, AZURE_OPENAI_API_KEY KEY, GEMINI_API_KEY KEY", &azure);
    let ollama = [("OLLAMA_API_KEY", "real-ollama-key"), ("OLLAMA_BASE_URL", "http://real.test/v1/")];
    finds("GEMINI_API_KEY KEY, OLLAMA_API_KEY KEY, OLLAMA_BASE_URL HERE/v1", &ollama);
}

#[test]
fn api_key_in_query_is_reported_and_redacted() {
    let ran = run("gemini(key='of-the-house-77')\nprint('key of-the-house-77')", "", "", &[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    ran.says(&["has an API key that is not the placeholder"]);
    let events = ran.events().into_iter().map(|event| event.to_string()).collect::<String>();
    assert!(!events.contains("of-the-house-77") && events.contains("[REDACTED]"), "{events}");
}

#[test]
fn refuses_model_url_variable_without_a_model() {
    let text = "suite: s\ntarget: { process: { command: [echo, hi], speaks: text, env: { LLM: \"${MODEL.url}\" } } }\n\
                cases: [{ id: a, input: {} }]\n";
    let ran = Suite::empty().file("suite/agentci.yaml", text).agentci(&["run", "suite"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.says(&["`MODEL.url`"]);
}
