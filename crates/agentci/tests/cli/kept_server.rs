//! A server that gets the address of its model with each question is started once, however many cases have scripts.

use std::fs;

use crate::suite::Suite;

/// Writes a line when it starts, and calls the model at the address in a header. With `IGNORES` it calls the model of
/// its environment.
const SERVER: &str = r#"
import http.server, json, os, urllib.request
open("started", "a").write("started\n")
class Agent(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        question = self.rfile.read(int(self.headers["content-length"])).decode()
        base = os.environ["OPENAI_BASE_URL"] if "IGNORES" in os.environ else self.headers["x-model"]
        body = {"model": "m", "messages": [{"role": "user", "content": question}]}
        headers = {"content-type": "application/json", "authorization": "Bearer " + os.environ["OPENAI_API_KEY"]}
        try:
            request = urllib.request.Request(base + "/chat/completions", json.dumps(body).encode(), headers)
            answer = json.load(urllib.request.urlopen(request, timeout=20))["choices"][0]["message"]["content"]
        except OSError as error:
            answer = f"no model: {error}"
        self.send_response(200)
        self.send_header("content-type", "text/plain")
        self.end_headers()
        self.wfile.write(answer.encode())
    def log_message(self, *_): pass
http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Agent).serve_forever()
"#;

fn suite(settings: &str) -> Suite {
    with_case(settings, "")
}

/// A suite of six cases with scripted models, followed by `more`.
fn with_case(settings: &str, more: &str) -> Suite {
    let case = |at: usize| {
        let script = format!("{{ rules: [{{ when: {{ user: hi }}, reply: it is {at} }}] }}");
        let world = format!("world: {{ model: {{ script: {script} }} }}");
        format!("  - {{ id: c{at}, turns: [{{ user: hi }}], checks: [equals: it is {at}], {world} }}\n")
    };
    let cases: Vec<String> = (0..6).map(case).collect();
    let target = format!(
        "target: {{ http: {{ url: 'http://127.0.0.1:${{PORT}}/', command: [python3, server.py], {settings} }} }}"
    );
    Suite::empty()
        .file("server.py", SERVER)
        .file("suite/agentci.yaml", format!("suite: suite\n{target}\ncases:\n{}{more}", cases.concat()))
}

fn starts(suite: &Suite) -> usize {
    fs::read_to_string(suite.path("started")).unwrap().lines().count()
}

const TOLD: &str = "headers: { x-model: '${MODEL.openai_base_url}' }";

#[test]
fn starts_server_once_if_requests_contain_the_model_url() {
    let told = suite(TOLD);
    let ran = told.run(&["--parallel", "3"]);
    assert_eq!((ran.code, starts(&told)), (Some(0), 1), "{ran:?}");
    // A server that finds its model in the environment is started for each case.
    let untold = suite(&format!("{}, env: {{ IGNORES: '1' }}", "headers: { x-model: unused }"));
    let ran = untold.run(&["--parallel", "3"]);
    assert_eq!((ran.code, starts(&untold)), (Some(0), 6), "{ran:?}");
}

#[test]
fn server_that_ignores_the_model_url_fails() {
    let deaf = suite(&format!("{TOLD}, env: {{ IGNORES: '1' }}"));
    let ran = deaf.run(&["--case", "c1"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.says(&["no model: "]);
}

/// The message of `check` about `shared`.
fn of_shared(suite: &Suite) -> Option<String> {
    let ran = suite.agentci(&["check", "suite"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    ran.stderr.lines().find(|line| line.contains("`shared`")).map(str::to_owned)
}

#[test]
fn reports_shared_without_effect_beside_scripted_model() {
    let idle = "warning: `shared` has no effect: agentci starts the server for each case and points it at its scripted model (case `c0`)";
    assert_eq!(of_shared(&suite("shared: true")).as_deref(), Some(idle));
    let plain = "  - { id: plain, turns: [{ user: hi }], checks: [contains: no model] }\n";
    assert_eq!(of_shared(&with_case("shared: true", plain)).as_deref(), Some(idle));
    for settings in [&format!("{TOLD}, shared: true"), "shared: false"] {
        assert_eq!(of_shared(&suite(settings)), None, "{settings}");
    }
}
