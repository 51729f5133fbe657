"""Suites with scripts that describe what agents do: they pass, and fail for the right cause once an agent is broken.

A test breaks an agent by changing its source in a copy of the suite, so the agents themselves contain no test code.
"""

import json
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from harness import FOLDER, main

SUITES = FOLDER / "scripts"
HOME = os.environ.get("INTEROP_HOME", str(FOLDER.parent / "target" / "interop"))
PATIENCE = 900


def environment():
    """Returns the environment: with the installed packages, and without keys and addresses of real providers."""
    known = {name: value for name, value in os.environ.items() if not name.startswith(("OPENAI_", "ANTHROPIC_"))}
    return known | {
        "PATH": f"{HOME}/venv/bin:{os.environ['PATH']}",
        "INTEROP_HOME": HOME,
        "NODE_OPTIONS": f"--import {(FOLDER / 'verdict' / 'modules.mjs').as_uri()}",
        "NO_PROXY": "127.0.0.1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def agentci(folder, *arguments):
    return subprocess.run(
        [os.path.abspath(os.environ["AGENTCI"]), *map(str, arguments)],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def run(folder, suite, *flags):
    """Runs a suite, or all suites of a folder, and returns the cases of the report."""
    done = agentci(folder, "run", suite, "--json", "--output-dir", Path(folder) / "runs", *flags)
    try:
        report = json.loads(done.stdout)
        # For several suites, the output is a list of reports.
        cases = [case for suite in (report if isinstance(report, list) else [report]) for case in suite["cases"]]
    except (ValueError, KeyError):
        raise AssertionError(f"exit code {done.returncode} and no report: {done.stderr}") from None
    red = [case["id"] for case in cases if case["status"] != "pass"]
    assert (done.returncode == 0) == (not red), f"exit code {done.returncode}, red: {red}"
    return cases


@dataclass
class Change:
    """A change to an agent: the texts to replace in its file, and the expected findings of its suite for one case.

    `causes` are names of findings, one of which must occur; if empty, the case must pass. `words` must be in the findings.
    """

    suite: str
    case: str
    file: str
    texts: dict
    causes: list = field(default_factory=list)
    words: list = field(default_factory=list)

    def findings(self, folder):
        copy = Path(folder) / self.suite
        shutil.copytree(SUITES / self.suite, copy, ignore=shutil.ignore_patterns("__pycache__"))
        source = (copy / self.file).read_text()
        for old in self.texts:
            assert source.count(old) == 1, f"{self.file} has {old!r} {source.count(old)} times"
        # All at once, since some texts are swapped.
        pattern = "|".join(map(re.escape, self.texts))
        (copy / self.file).write_text(re.sub(pattern, lambda found: self.texts[found[0]], source))
        (case,) = run(folder, copy, "--case", self.case)
        return case["findings"] if case["status"] != "pass" else []

    def test(self, folder):
        findings = self.findings(folder)
        report = json.dumps(findings, indent=1)
        if not self.causes:
            assert not findings, report
            return
        assert findings, "passed although it is broken"
        assert set(self.causes) & {finding["name"] for finding in findings}, report
        for words in self.words:
            assert words in json.dumps(findings, ensure_ascii=False), f"{words!r} is not in {report}"


# The agents to change.
handoffs = partial(Change, "handoffs", "openai-agents", "openai_agents.py")
langgraph = partial(Change, "supervisor", "langgraph", "langgraph_agent.py")
pydantic_ai = partial(Change, "supervisor", "pydantic-ai", "pydantic_ai_agent.py")
side_calls = partial(Change, "side_calls", "openai-sdk", "openai_sdk.py")
side_calls_node = partial(Change, "side_calls", "ai-sdk", "ai_sdk.mjs")
structured = partial(Change, "structured_output")
streamed = partial(Change, "long_conversation", "anthropic-sdk-streamed", "anthropic_sdk.py")
responses = partial(Change, "long_conversation", "openai-sdk-responses", "openai_sdk.py")

NOTHING_BUT_WORDS = """\
TRANSFERS = [
    function_tool(lambda: "The customer was transferred.", name_override=name)
    for name in ("transfer_to_billing", "transfer_to_shipping")
]
router = Agent("""
WITHOUT_CALLS = """\
import Agent, Runner, function_tool, handoff
from agents.extensions.handoff_filters import remove_all_tools"""
EXCHANGED = """\
        ids = [result["tool_use_id"] for result in results]
        for result, id in zip(results, reversed(ids), strict=True):
            result["tool_use_id"] = id
        messages.append({"role": "user", "content": results})"""
CALLS_ALONE = """\
        calls = [block for block in message.content if block.type == "tool_use"]
        messages.append({"role": "assistant\""""
REFUNDED = 'return {"order": id, "refunded": amount}'
FIELD = {"    total: float\n": "    total: float\n    currency: str\n"}
FIELD_NODE = {"total: z.number(),": "total: z.number(), currency: z.string(),"}
RENAMED = {"class Order(": "class Purchase("}

CHANGES = {
    # A router that hands off.
    "handoffs: the specialists are swapped": handoffs(
        {"You do the shipping.": "You do the billing.", "You do the billing.": "You do the shipping."},
        ["tool_not_offered"],
        ["track_parcel", "refund_order", "transfer_to_shipping"],
    ),
    "handoffs: a handoff is never taken": handoffs(
        {"router = Agent(": NOTHING_BUT_WORDS, "handoffs=[billing, shipping])": "tools=TRANSFERS)"},
        ["model_miss"],
    ),
    "handoffs: a specialist has no tool": handoffs(
        {"    tools=[refund_order],\n": ""}, ["tool_not_offered"], ["refund_order", "transfer_to_shipping"]
    ),
    "handoffs: the tool waits for an approval that never comes": handoffs(
        {"@function_tool\ndef refund_order": "@function_tool(needs_approval=True)\ndef refund_order"},
        ["tool_called"],
        ["never sent a result"],
    ),
    "handoffs: the tool does nothing": handoffs({REFUNDED: "return {}"}, ["tool_result"]),
    "handoffs: the specialists get the history as one message": handoffs(
        {
            "import Agent, Runner": "import Agent, RunConfig, Runner",
            "sys.argv[1])": "sys.argv[1], run_config=RunConfig(nest_handoff_history=True))",
        }
    ),
    "handoffs: a specialist gets the history without its calls": handoffs(
        {
            "import Agent, Runner, function_tool": WITHOUT_CALLS,
            "handoffs=[shipping]": "handoffs=[handoff(shipping, input_filter=remove_all_tools)]",
        }
    ),
    # A supervisor whose specialists are tools.
    "langgraph: the specialists are swapped": langgraph(
        {"answer(billing, question)": "answer(shipping, question)", "answer(shipping, question)": "answer(billing, question)"},
        ["tool_called"],
        ["ask_billing"],
    ),
    "langgraph: one specialist is asked twice": langgraph(
        {"answer(billing, question)": "answer(shipping, question)"}, ["model_miss"]
    ),
    "langgraph: a specialist is never asked": langgraph(
        {"return answer(billing, question)": 'return "20 euros of A-17 were refunded."'}, ["tool_called"], ["refund_order"]
    ),
    "langgraph: the specialist's tool is not executed": langgraph({REFUNDED: 'return {"status": "ok"}'}, ["tool_result"]),
    "pydantic-ai: the specialists are swapped": pydantic_ai(
        {"billing.run(question)": "shipping.run(question)", "shipping.run(question)": "billing.run(question)"},
        ["tool_called"],
        ["ask_billing"],
    ),
    "pydantic-ai: one specialist is asked twice": pydantic_ai(
        {"billing.run(question)": "shipping.run(question)"}, ["model_miss"]
    ),
    "pydantic-ai: the tools of the specialists are swapped": pydantic_ai(
        {"@billing.tool_plain": "@shipping.tool_plain", "@shipping.tool_plain": "@billing.tool_plain"}, ["tool_not_offered"]
    ),
    "pydantic-ai: the specialist's tool is not executed": pydantic_ai({REFUNDED: 'return {"status": "ok"}'}, ["tool_result"]),
    # Requests in parallel with the conversation. One that matches no rule starts the steps or is a miss, depending on the order.
    "openai-sdk: the title has the prompt of the conversation": side_calls(
        {"You write titles.": "You help customers of a shop."}, ["model_miss", "tool_not_offered"]
    ),
    "openai-sdk: suggestions without the conversation": side_calls(
        {"[HELP, QUESTION, SUGGEST]": "[HELP, SUGGEST]"}, ["model_miss", "tool_not_offered"]
    ),
    "openai-sdk: the title is made up": side_calls(
        {"return (await ask([instructions, QUESTION])).content": 'return "Refund of A-17"'}, ["model_called"]
    ),
    "openai-sdk: the wrong amount is refunded": side_calls(
        {REFUNDED: 'return {"order": id, "refunded": amount * 10}'}, ["tool_result"]
    ),
    "openai-sdk: the title comes late": side_calls(
        {"async def title():\n": "async def title():\n    await asyncio.sleep(0.05)\n"}
    ),
    "openai-sdk: the conversation comes last": side_calls(
        {"async def converse():\n": "async def converse():\n    await asyncio.sleep(0.1)\n"}
    ),
    "ai-sdk: the title has the prompt of the conversation": side_calls_node(
        {"system: 'You write titles.'": "system"}, ["model_miss", "tool_not_offered"]
    ),
    "ai-sdk: suggestions are not asked for": side_calls_node(
        {"title(), questions()]": "title(), ['When do I get it?', 'Can I keep the lamp?']]"}, ["model_called"]
    ),
    "ai-sdk: the wrong amount is refunded": side_calls_node({"refunded: amount }": "refunded: amount * 10 }"}, ["tool_result"]),
    "ai-sdk: one after the other": side_calls_node(
        {"await Promise.all([converse(), title(), questions()])": "[await converse(), await title(), await questions()]"}
    ),
    # Structured output: a script that does not match the schema that the agent requests.
    "pydantic-ai-tool: a new field": structured(
        "pydantic-ai-tool", "pydantic_ai_agent.py", FIELD, ["arguments_do_not_fit"], ["final_result", "currency"]
    ),
    "pydantic-ai-tool: the output tool is renamed": structured(
        "pydantic-ai-tool",
        "pydantic_ai_agent.py",
        {
            "import Agent, NativeOutput": "import Agent, NativeOutput, ToolOutput",
            "else Order\n": 'else ToolOutput(Order, name="order")\n',
        },
        ["tool_not_offered"],
        ["final_result", "`find_order`", "`order`"],
    ),
    "pydantic-ai-native: a new field": structured(
        "pydantic-ai-native", "pydantic_ai_agent.py", FIELD, ["format_not_met"], ["currency"]
    ),
    "openai-agents: a new field": structured("openai-agents", "openai_agents.py", FIELD, ["format_not_met"], ["currency"]),
    "langchain-agent-tool: a new field": structured(
        "langchain-agent-tool", "langchain_agent.py", FIELD, ["arguments_do_not_fit"], ["Order", "currency"]
    ),
    "langchain-agent-tool: the output tool is renamed": structured(
        "langchain-agent-tool",
        "langchain_agent.py",
        RENAMED | {"strategy(Order)": "strategy(Purchase)"},
        ["tool_not_offered"],
        ["`Order`", "`find_order`", "`Purchase`"],
    ),
    "langchain-agent-provider: a new field": structured(
        "langchain-agent-provider", "langchain_agent.py", FIELD, ["format_not_met"], ["currency"]
    ),
    "langchain-model-tool: a new field": structured(
        "langchain-model-tool", "langchain_model.py", FIELD, ["arguments_do_not_fit"], ["Order", "currency"]
    ),
    "langchain-model-tool: the output tool is renamed": structured(
        "langchain-model-tool",
        "langchain_model.py",
        RENAMED | {"output(Order,": "output(Purchase,"},
        ["tool_not_offered"],
        ["`Order`", "`Purchase`"],
    ),
    "langchain-model-provider: a new field": structured(
        "langchain-model-provider", "langchain_model.py", FIELD, ["format_not_met"], ["currency"]
    ),
    "ai-sdk-generate-object: a new field": structured(
        "ai-sdk-generate-object", "ai_sdk.mjs", FIELD_NODE, ["format_not_met"], ["currency"]
    ),
    "ai-sdk-generate-object: another type": structured(
        "ai-sdk-generate-object", "ai_sdk.mjs", {"price: z.number()": "price: z.string()"}, ["format_not_met"], ["price"]
    ),
    "ai-sdk-output: a new field": structured(
        "ai-sdk-output", "ai_sdk.mjs", FIELD_NODE, ["format_not_met"], ["currency"]
    ),
    "pydantic-ai-tool-corrected: the agent does not ask again": structured(
        "pydantic-ai-tool-corrected",
        "pydantic_ai_agent.py",
        {"output_type=output)": "output_type=output, retries=0)"},
        ["agent_exited"],
    ),
    "langchain-agent-tool-corrected: the agent does not ask again": structured(
        "langchain-agent-tool-corrected",
        "langchain_agent.py",
        {'{"tool": ToolStrategy,': '{"tool": lambda kind: ToolStrategy(kind, handle_errors=False),'},
        ["agent_exited"],
    ),
    "langchain-agent-tool-corrected: the model is not told what is wrong": structured(
        "langchain-agent-tool-corrected",
        "langchain_agent.py",
        {'{"tool": ToolStrategy,': '{"tool": lambda kind: ToolStrategy(kind, handle_errors="Wrong."),'},
        ["model_called"],
    ),
    # A conversation with several questions.
    "anthropic-sdk: the history is lost": streamed(
        {'messages.append({"role": "user", "content": question})': 'messages[:] = [{"role": "user", "content": question}]'},
        ["model_miss"],
    ),
    "anthropic-sdk: a result is dropped": streamed(
        {'"content": results})': '"content": results[:1]})'}, ["provider_would_refuse"]
    ),
    "anthropic-sdk: results are exchanged": streamed(
        {'        messages.append({"role": "user", "content": results})': EXCHANGED},
        ["tool_called"],
    ),
    "anthropic-sdk: the words beside calls are not kept": streamed(
        {
            '"content": message.content})': '"content": calls or message.content})',
            '        messages.append({"role": "assistant"': CALLS_ALONE,
        }
    ),
    "responses: the former answer is not named": responses(
        {'"previous_response_id": last': '"previous_response_id": None'}, ["provider_would_refuse"]
    ),
    "responses: every question is a new conversation": responses(
        {"def answer(question):\n": "def answer(question):\n    global last\n    last = None\n"}, ["model_miss"]
    ),
    "responses: no result is sent": responses(
        {"        response = respond(outputs)": '        response = respond([{"role": "user", "content": "Go on."}])'},
        ["provider_would_refuse"],
    ),
    "responses: results come in another order": responses({"respond(outputs)": "respond(outputs[::-1])"}),
}


def test_every_suite_passes(folder):
    cases = run(folder, SUITES)
    assert len(cases) == 20, [case["id"] for case in cases]
    red = [case for case in cases if case["status"] != "pass"]
    assert not red, json.dumps(red, indent=1)


def test_suites_pass_strict_check(folder):
    done = agentci(folder, "check", "--strict", SUITES)
    assert done.returncode == 0, done.stdout + done.stderr


def test_unordered_calls_pass_on_every_run(folder):
    cases = run(folder, SUITES / "side_calls", "--runs", "20")
    assert len(cases) == 2 and all(case["status"] == "pass" for case in cases), json.dumps(cases, indent=1)


# Each change is a separate test, so that it is counted.
for name, change in CHANGES.items():
    globals()[f"test_{name}"] = (lambda change: lambda folder: change.test(folder))(change)

if __name__ == "__main__":
    main(globals(), tempfile.TemporaryDirectory)
