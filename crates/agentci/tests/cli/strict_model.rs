//! A scripted model that is as strict as a provider: a wrong request is a finding even if the agent ignores the error,
//! and correct agents pass.

use crate::ran::Ran;
use crate::suite::Suite;

/// An agent in Python: `ask` posts to a path of the model and returns the answer or the error.
const AGENT: &str = r#"
import json, os, sys, urllib.request
def ask(body, path="/chat/completions", key=None):
    headers = {"authorization": "Bearer " + (key or os.environ["OPENAI_API_KEY"])}
    data = json.dumps({"model": "m", **body}).encode()
    try:
        request = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + path, data, headers)
        return json.load(urllib.request.urlopen(request))
    except urllib.error.HTTPError as error:
        return json.load(error)
def tool(name="refund", parameters=None):
    return {"type": "function", "function": {"name": name, "parameters": parameters or {"type": "object", "properties": {}}}}
USER = {"role": "user", "content": "refund it"}
sys.stdin.read()
"#;

const MODEL: &str = "rules:\n  - when: { user: refund, tool_result: true }\n    reply: refunded\n  \
                     - when: { user: refund }\n    tool_calls: [{ name: refund, args: { amount: 20 } }]\n";

fn run(agent: &str, model: &str, world: &str, case: &str) -> Ran {
    let text = format!(
        "suite: s\ntarget: {{ process: {{ command: [python3, agent.py], speaks: text }} }}\nworld: {{ model: {{ script: model.yaml{world} }} }}\n\
         cases: [{{ id: a, input: {{}}{case} }}]\n"
    );
    let suite = Suite::empty().file("suite/agentci.yaml", &text).file("suite/model.yaml", model);
    suite.file("suite/agent.py", format!("{AGENT}{agent}\nprint('done')\n")).agentci(&["run", "suite"])
}

fn cause(ran: &Ran) -> String {
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let (_, status, cause) = ran.verdicts().remove(0);
    assert_eq!(status, "fail", "{ran:?}");
    cause
}

/// A loop that sends a result for the requested call, with this call id and these tools.
fn conversation(id: &str, tools: &str) -> String {
    format!(
        "answer = ask({{'messages': [USER], 'tools': {tools}}})['choices'][0]['message']\ncall = answer['tool_calls'][0]\n\
         ask({{'messages': [USER, answer, {{'role': 'tool', 'tool_call_id': {id}, 'content': 'ok'}}], 'tools': {tools}}})\n"
    )
}

#[test]
fn wrong_call_id_fails_even_if_error_is_ignored() {
    let honest = run(&conversation("call['id']", "[tool()]"), MODEL, "", "");
    assert_eq!(honest.code, Some(0), "{honest:?}");
    let wrong = run(&conversation("'call_of_mine'", "[tool()]"), MODEL, "", "");
    assert_eq!(cause(&wrong), "provider_would_refuse");
    wrong.says(&["OpenAI would refuse a request", "'tool_call_id' of 'call_of_mine' not found", "`strict: false`"]);
    for world in [", strict: false", ""] {
        let model = if world.is_empty() { format!("strict: false\n{MODEL}") } else { MODEL.to_owned() };
        let lenient = run(&conversation("'call_of_mine'", "[tool()]"), &model, world, "");
        assert_eq!(lenient.code, Some(0), "{lenient:?}");
    }
}

#[test]
fn previous_response_id_needs_only_function_outputs() {
    let agent = |id: &str| {
        format!(
            "tools = [{{'type': 'function', 'name': 'refund', 'parameters': {{}}}}]\n\
             first = ask({{'input': 'refund it', 'tools': tools}}, '/responses')\n\
             output = {{'type': 'function_call_output', 'call_id': {id}, 'output': 'ok'}}\n\
             ask({{'previous_response_id': first['id'], 'input': [output], 'tools': tools}}, '/responses')\n"
        )
    };
    let honest = run(&agent("first['output'][0]['call_id']"), MODEL, "", "");
    assert_eq!(honest.code, Some(0), "{honest:?}");
    let wrong = run(&agent("'call_x'"), MODEL, "", "");
    assert_eq!(cause(&wrong), "provider_would_refuse");
    wrong.says(&["No tool call found for function call output with call_id call_x."]);
}

/// OpenAI pairs calls and outputs by their ids, in any order.
#[test]
fn function_output_may_precede_its_call() {
    let agent = "tools = [{'type': 'function', 'name': 'refund', 'parameters': {}}]\n\
                 call = ask({'input': 'refund it', 'tools': tools}, '/responses')['output'][0]\n\
                 output = {'type': 'function_call_output', 'call_id': call['call_id'], 'output': 'ok'}\n\
                 said = ask({'input': [{'role': 'user', 'content': 'refund it'}, output, call], 'tools': tools}, '/responses')\n\
                 print(said['output'][0]['content'][0]['text'])\n";
    let checks = ", checks: [{ contains: refunded }, { tool_called: { name: refund, count: 1 } }, { tool_result: { name: refund, result: ok } }]";
    let ran = run(agent, MODEL, "", checks);
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

/// An agent on Anthropic's API that sends a result for the requested call; `result` is the content of its message, and
/// `said` is what it does with the answer.
fn messages(result: &str, said: &str) -> String {
    format!(
        "def send(messages):\n    return ask({{'max_tokens': 99, 'tools': [{{'name': 'refund', 'input_schema': {{'type': 'object'}}}}], 'messages': messages}}, '/messages')\n\
         answer = send([USER])['content']\ncall = answer[0]\n\
         result = {{'type': 'tool_result', 'tool_use_id': call['id'], 'content': 'ok'}}\n\
         text = {{'type': 'text', 'text': 'refund it, please'}}\n\
         send([USER, {{'role': 'assistant', 'content': {said}}}, {{'role': 'user', 'content': {result}}}])\n"
    )
}

#[test]
fn content_blocks_invalid_for_anthropic_fail_the_case() {
    for honest in ["[result]", "[result, text]"] {
        let ran = run(&messages(honest, "answer"), MODEL, "", ", checks: [{ tool_called: refund }]");
        assert_eq!(ran.code, Some(0), "{honest}: {ran:?}");
    }
    let empty = "{'type': 'text', 'text': ''}";
    for (result, said, message) in [
        ("[text, result]", "answer", "Did not find 1 `tool_result` block(s) at the beginning of this message"),
        (&*format!("[result, {empty}]"), "answer", "text content blocks must be non-empty"),
        ("[result, result]", "answer", "each tool_use must have a single result"),
        ("[result]", "[call, call]", "`tool_use` ids must be unique"),
        ("[result]", "[{**call, 'input': '{}'}]", "tool_use.input: Input should be a valid dictionary"),
    ] {
        let ran = run(&messages(result, said), MODEL, "", "");
        assert_eq!(cause(&ran), "provider_would_refuse", "{result}");
        ran.says(&["Anthropic would refuse a request", message]);
    }
    let silent = "ask({'max_tokens': 9, 'messages': [USER, {'role': 'assistant', 'content': []}, USER]}, '/messages')";
    run(silent, MODEL, "", "").says(&["all messages must have non-empty content"]);
    let begun = |text: &str| {
        format!(
            "ask({{'max_tokens': 9, 'messages': [USER, {{'role': 'assistant', 'content': [{{'type': 'text', 'text': '{text}'}}]}}]}}, '/messages')"
        )
    };
    let honest = run(&begun("So:"), "rules: [{ reply: ' it is' }]\n", "", "");
    assert_eq!(honest.code, Some(0), "{honest:?}");
    let blank = run(&begun("So: "), "rules: [{ reply: it is }]\n", "", "");
    assert_eq!(cause(&blank), "provider_would_refuse");
    blank.says(&["final assistant content cannot end with trailing whitespace"]);
}

#[test]
fn requests_invalid_for_openai_fail_the_case() {
    let said = |more: &str| {
        format!("ask({{'messages': [USER, {{'role': 'assistant', 'content': 'x'{more}}}, USER], 'tools': [tool()]}})")
    };
    let honest = run(&said(", 'tool_calls': None, 'refusal': None"), MODEL, "", "");
    assert_eq!(honest.code, Some(0), "{honest:?}");
    let asked = |more: &str| format!("ask({{'messages': [USER], {more}}})");
    let object = ", 'tool_calls': [{'id': 'a', 'type': 'function', 'function': {'name': 'refund', 'arguments': {}}}]";
    for (agent, message) in [
        (said(", 'tool_calls': []"), "Invalid 'messages[1].tool_calls': empty array."),
        (said(object), "function.arguments': expected a string, but got an object instead."),
        (asked("'tools': []"), "Invalid 'tools': empty array."),
        (asked("'tool_choice': 'auto'"), "'tool_choice' is only allowed when 'tools' are specified."),
        (asked("'tools': [tool()], 'stream_options': {}"), "only allowed when 'stream' is enabled."),
        (asked("'tools': [tool()], 'model': 'o3-mini', 'max_tokens': 9"), "Use 'max_completion_tokens' instead."),
        (asked("'tools': [tool()], 'response_format': {'type': 'json_object'}"), "must contain the word 'json'"),
        (
            asked("'tools': [tool(parameters={'type': 'object', 'properties': {'a': {'type': 'array'}}})]"),
            "array schema missing items",
        ),
    ] {
        let ran = run(&agent, MODEL, "", "");
        assert_eq!(cause(&ran), "provider_would_refuse", "{agent}");
        ran.says(&[message]);
    }
    // The Responses API accepts an empty list of tools: openai-agents sends one.
    let model = "rules: [{ reply: hello }]\n";
    let responses = run(
        "ask({'input': 'hi', 'tools': [], 'tool_choice': 'auto', 'parallel_tool_calls': True}, '/responses')",
        model,
        "",
        "",
    );
    assert_eq!(responses.code, Some(0), "{responses:?}");
}

/// An agent that uses `functions`, the predecessor of tools; `name` is the name field of its result.
fn functions(name: &str) -> String {
    format!(
        "functions = [{{'name': 'refund', 'parameters': {{'type': 'object', 'properties': {{}}}}}}]\n\
         answer = ask({{'messages': [USER], 'functions': functions}})['choices'][0]\n\
         assert answer['finish_reason'] == 'function_call', answer\n\
         result = {{'role': 'function', {name}, 'content': 'ok'}}\n\
         ask({{'messages': [{{'role': 'system', 'content': 'the shop'}}, USER, answer['message'], result], 'functions': functions}})\n"
    )
}

#[test]
fn legacy_functions_are_matched_by_name() {
    let checks = ", checks: [{ tool_called: { name: refund, args: { amount: 20 }, count: 1 } }, { tool_result: { name: refund, result: ok } }]";
    let honest = run(&functions("'name': 'refund'"), MODEL, "", checks);
    assert_eq!(honest.code, Some(0), "{honest:?}");
    let other = run(&functions("'name': 'mail'"), MODEL, "", checks);
    assert_eq!(cause(&other), "check");
    other.says(&["the model requested `refund`, but the agent never sent a result"]);
    let nameless = run(&functions("'tool_call_id': 'a'"), MODEL, "", checks);
    assert_eq!(cause(&nameless), "provider_would_refuse");
    let changed =
        functions("'name': 'refund'").replace("'name': 'refund', 'parameters'", "'name': 'give_back', 'parameters'");
    assert_eq!(cause(&run(&changed, MODEL, "", "")), "tool_not_offered");
    let by = ", checks: [{ tool_called: { name: refund, by: { system: the shop } } }]";
    let asked = functions("'name': 'refund'").replace(
        "'messages': [USER], 'functions'",
        "'messages': [{'role': 'system', 'content': 'the shop'}, USER], 'functions'",
    );
    let ran = run(&asked, MODEL, "", by);
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

#[test]
fn null_fits_nullable_parameter() {
    let model = MODEL.replace("amount: 20", "amount: null");
    let agent = |part: &str| {
        conversation(
            "call['id']",
            &format!("[tool(parameters={{'type': 'object', 'properties': {{'amount': {part}}}}})]"),
        )
    };
    let nullable = run(&agent("{'type': 'number', 'nullable': True}"), &model, "", "");
    assert_eq!(nullable.code, Some(0), "{nullable:?}");
    let plain = run(&agent("{'type': 'number'}"), &model, "", "");
    assert_eq!(cause(&plain), "arguments_do_not_fit");
}

#[test]
fn changed_tools_fail_unless_model_misbehaves_on_purpose() {
    let renamed = run(&conversation("call['id']", "[tool('give_back')]"), MODEL, "", "");
    assert_eq!(cause(&renamed), "tool_not_offered");
    renamed.says(&[
        "the script calls `refund`, which the request does not offer; it offers `give_back`",
        "model.yaml:4:5",
    ]);
    let text = "[tool(parameters={'type': 'object', 'properties': {'amount': {'type': 'string'}}})]";
    let changed = run(&conversation("call['id']", text), MODEL, "", "");
    assert_eq!(cause(&changed), "arguments_do_not_fit");
    changed.says(&["at `/amount`, 20 is not of type \"string\""]);
    let on_purpose = format!("{MODEL}    misbehaves: true\n");
    let coping = run(&conversation("call['id']", "[tool('give_back')]"), &on_purpose, "", "");
    assert_eq!(coping.code, Some(0), "{coping:?}");
    let formatted = "ask({'messages': [USER], 'response_format': {'type': 'json_schema', 'json_schema': {'name': 'r', 'schema': {'type': 'object'}}}})";
    let words = run(formatted, "rules: [{ reply: refunded }]\n", "", "");
    assert_eq!(cause(&words), "format_not_met");
    let data = run(formatted, "rules: [{ reply: '{}' }]\n", "", "");
    assert_eq!(data.code, Some(0), "{data:?}");
}

/// A provider always obeys these parameters of a request, so a script must not ignore them.
#[test]
fn script_that_violates_tool_choice_fails_the_case() {
    let asked = |more: &str| format!("ask({{'messages': [USER], 'tools': [tool(), tool('find')], {more}}})");
    let named = |name: &str| asked(&format!("'tool_choice': {{'type': 'function', 'function': {{'name': '{name}'}}}}"));
    let text = "rules: [{ reply: hello }]\n";
    let both = "rules: [{ tool_calls: [{ name: find }, { name: refund }] }]\n";
    for (agent, model) in [
        (named("refund"), MODEL),
        (asked("'tool_choice': 'required', 'parallel_tool_calls': False"), MODEL),
        (asked("'tool_choice': 'auto', 'parallel_tool_calls': False"), text),
        (asked("'tool_choice': 'required'"), both),
    ] {
        let honest = run(&agent, model, "", "");
        assert_eq!(honest.code, Some(0), "{agent}: {honest:?}");
    }
    for (agent, model, expected, message) in [
        (named("find"), MODEL, "tool_not_offered", "`tool_choice` allows only `find`"),
        (asked("'tool_choice': 'required'"), text, "format_not_met", "`tool_choice` requires a call of a tool"),
        (named("refund"), text, "format_not_met", "`tool_choice` requires a call of `refund`"),
        (asked("'parallel_tool_calls': False"), both, "tool_not_offered", "`refund` together with `find`"),
    ] {
        let ran = run(&agent, model, "", "");
        assert_eq!(cause(&ran), expected, "{agent}");
        ran.says(&[message]);
    }
    let on_purpose = run(&asked("'tool_choice': 'required'"), "rules: [{ reply: hello, misbehaves: true }]\n", "", "");
    assert_eq!(on_purpose.code, Some(0), "{on_purpose:?}");
}

#[test]
fn model_miss_fails_the_case_unless_set_to_warn() {
    let agent = "ask({'messages': [{'role': 'user', 'content': 'rebate'}]})";
    let missed = run(agent, MODEL, "", "");
    assert_eq!(cause(&missed), "model_miss");
    missed.says(&["the user's text does not contain `refund`", "the closest rule"]);
    for (model, world) in [(MODEL.to_owned(), ", miss: warn"), (format!("miss: warn\n{MODEL}"), "")] {
        let softened = run(agent, &model, world, "");
        assert_eq!(softened.code, Some(0), "{softened:?}");
        softened.says(&["no rule of the script matches this request"]);
    }
    let other = run("ask({}, '/images/generations')\nask({'messages': [USER], 'tools': [tool()]})", MODEL, "", "");
    assert_eq!(cause(&other), "model_miss");
    other.says(&["/v1/images/generations"]);
}

#[test]
fn uncalled_model_fails_the_case_unless_optional() {
    let silent = run("", MODEL, "", "");
    assert_eq!(cause(&silent), "model_never_asked");
    silent.says(&["does it read the address from `OPENAI_BASE_URL`"]);
    for (world, case) in [(", optional: true", ""), ("", ", world: { model: { optional: true } }")] {
        let optional = run("", MODEL, world, case);
        assert_eq!(optional.code, Some(0), "{optional:?}");
    }
    for none in ["not: model_called", "model_called: { count: 0 }", "model_called: { count: { max: 0 } }"] {
        let meant = run("", MODEL, "", &format!(", checks: [{{ {none} }}]"));
        assert_eq!(meant.code, Some(0), "{none}: {meant:?}");
    }
    // These checks do not say that the model may stay uncalled.
    for other in ["not: { model_called: { messages: someone else } }", "model_called: { count: { max: 3 } }"] {
        let silent = run("", MODEL, "", &format!(", checks: [{{ {other} }}]"));
        assert_eq!(cause(&silent), "model_never_asked", "{other}");
    }
    // Requests for models and embeddings do not count as model calls.
    let beside =
        "urllib.request.urlopen(os.environ['OPENAI_BASE_URL'] + '/models')\nask({'input': 'x'}, '/embeddings')\n";
    let reached = run(beside, MODEL, "", "");
    assert_eq!(cause(&reached), "model_never_asked");
    reached.says(&["never requested an answer from its model: it requested only `/v1/models`, `/v1/embeddings`"]);
    assert!(!reached.stdout.contains("does it read the address"), "{reached:?}");
    // Another failure takes precedence, since it says more.
    let failed = run("", MODEL, "", ", checks: [{ contains: refunded }]");
    assert_eq!(cause(&failed), "check");
}

#[test]
fn api_keys_are_placeholders_and_others_are_redacted() {
    let own = "assert os.environ['OPENAI_API_KEY'] == os.environ['ANTHROPIC_API_KEY'] == 'agentci-placeholder'\n\
               assert os.environ['LANGSMITH_TRACING'] == 'false' and os.environ['OPENAI_AGENTS_DISABLE_TRACING'] == '1'\n\
               ask({'messages': [USER], 'tools': [tool()]})";
    let ran = run(own, MODEL, "", "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(!ran.stdout.contains("API key"), "{ran:?}");
    let hard_coded =
        "ask({'messages': [USER], 'tools': [tool()]}, key='of-the-house-77')\nprint('key of-the-house-77')";
    let ran = run(hard_coded, MODEL, "", "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    ran.says(&["has an API key that is not the placeholder"]);
    let events = ran.events().into_iter().map(|event| event.to_string()).collect::<String>();
    assert!(!events.contains("of-the-house-77") && events.contains("[REDACTED]"), "{events}");
}

#[test]
fn retry_after_injected_fault_passes() {
    let model =
        "rules:\n  - when: { user: refund }\n    reply: [refunded, twice]\n    fail: { status: 429, times: 1 }\n";
    let agent =
        "ask({'messages': [USER]})\nassert ask({'messages': [USER]})['choices'][0]['message']['content'] == 'refunded'";
    let ran = run(agent, model, "", "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let calls: Vec<_> = ran.events().into_iter().filter(|event| event["type"] == "model_call").collect();
    assert_eq!(calls[0]["response"]["failure"], "status");
}

#[test]
fn model_settings_without_script_are_an_error() {
    let text = "suite: s\ntarget: { process: { command: [python3, agent.py], speaks: text } }\n\
                cases: [{ id: a, input: {}, world: { model: { optional: true } } }]\n";
    let ran = Suite::empty().file("suite/agentci.yaml", text).agentci(&["check", "suite"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.complains(&["`model` has neither `script` nor `recording`", "agentci.yaml:3:", "script: model.yaml"]);
}

/// Without `strict`, a tool that was not offered is still a finding.
#[test]
fn lenient_model_still_fails_on_unoffered_tool() {
    let ran = run("ask({'messages': [USER]})", MODEL, ", strict: false", "");
    assert_eq!(cause(&ran), "tool_not_offered");
}

/// After a tool the agent answers its user itself and continues the conversation, so the result precedes its own text.
#[test]
fn finds_tool_result_before_assistant_message() {
    let agent = "answer = ask({'messages': [USER], 'tools': [tool()]})['choices'][0]['message']\ncall = answer['tool_calls'][0]\n\
                 said = {'role': 'assistant', 'content': 'Refunded.'}\n\
                 result = {'role': 'tool', 'tool_call_id': call['id'], 'content': 'ok'}\n\
                 ask({'messages': [USER, answer, result, said, {'role': 'user', 'content': 'thanks'}], 'tools': [tool()]})\n";
    let model = format!("{MODEL}  - when: {{ user: thanks }}\n    reply: bye\n");
    let ran = run(agent, &model, "", ", checks: [{ tool_called: { name: refund, count: 1 } }]");
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

/// A server at a fixed port that calls the model only if its argument is `asks`.
const SERVER: &str = r#"
import http.server, json, os, sys, urllib.request
class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        if sys.argv[2] == "asks":
            body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "hello"}]}).encode()
            urllib.request.urlopen(urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body)).read()
        said = b'{"answer": "Hi"}'
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)
    def log_message(self, *_): pass
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"#;

/// Agents that need the same port are started one after the other, so that none answers for another.
#[test]
fn agents_on_the_same_port_run_sequentially() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let case = |id: &str, how: &str| {
        format!(
            "- id: {id}\n  target: {{ http: {{ url: 'http://127.0.0.1:{port}/ask', command: [python3, agent.py, '{port}', {how}] }} }}\n  \
             input: {{ question: hello }}\n  checks: [{{ contains: Hi }}, {{ model_called: {{ count: 1 }} }}]\n"
        )
    };
    let cases = format!("{}{}{}", case("honest", "asks"), case("broken", "silent"), case("again", "asks"));
    let text = format!("suite: s\nworld: {{ model: {{ script: model.yaml }} }}\ncases:\n{cases}");
    let suite = Suite::empty().file("suite/agentci.yaml", text).file("suite/agent.py", SERVER);
    let suite = suite.file("suite/model.yaml", "rules:\n  - when: { user: hello }\n    reply: hi\n");
    let ran = suite.agentci(&["run", "suite", "--parallel", "3"]);
    let verdicts: Vec<_> = ran.verdicts().into_iter().map(|(id, status, _)| (id, status)).collect();
    let expected = [("again", "pass"), ("broken", "fail"), ("honest", "pass")];
    assert_eq!(verdicts, expected.map(|(id, status)| (id.to_owned(), status.to_owned())), "{ran:?}");
}
