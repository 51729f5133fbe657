//! Agents in Python and Node to record, and helpers for recording them.

use std::fs;
use std::process::Command;
use std::time::Instant;

use crate::ran::Ran;
use crate::suite::Suite;
use crate::upstream::Upstream;

/// Calls a model that requests a tool, calls the tool over HTTP, and prints the model's answer.
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

/// Calls the same model with `fetch`, as a stream.
pub(crate) const NODE: &str = r#"
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

pub(crate) const MODEL_KEY: &str = "sk-proj-Zq8Wn3Rt6Yp1Ls9Dk4Vb";
pub(crate) const SHOP_KEY: &str = "shop_live_Hf7Jq2Xc5Mv8Nt1Bz";

pub(crate) fn shop(upstream: &Upstream) -> Suite {
    Suite::empty().file("agent.py", PYTHON).file("agent.cjs", NODE).file("base", &upstream.url)
}

pub(crate) fn ran(suite: &Suite, command: &mut Command) -> Ran {
    let started = Instant::now();
    let output = command.output().unwrap();
    suite.ran(&output, started.elapsed())
}

/// Replays a recording in another folder and home, after the live world was shut down.
pub(crate) fn replayed_elsewhere(recorded: &Suite, upstream: &mut Upstream, more: &[&str]) -> (Suite, Ran) {
    upstream.close();
    let fresh = shop(upstream);
    fs::create_dir(fresh.path("home")).unwrap();
    fs::copy(recorded.path("recordings/agent.jsonl"), fresh.path("agent.jsonl")).unwrap();
    let mut command = fresh.command(&[&["replay", "agent.jsonl"], more].concat());
    command.env("HOME", fresh.path("home"));
    let replayed = ran(&fresh, &mut command);
    (fresh, replayed)
}
