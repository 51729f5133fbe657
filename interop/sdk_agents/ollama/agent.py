"""An agent built on Ollama's package. The address of its model comes from the environment, as in production."""

import json
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "verdict"))

import ollama
from shop import INSTRUCTIONS, KNOWN, OLLAMA_MODEL, TOOLS, parameters

STREAM = "--stream" in sys.argv
api = ollama.Client()
messages = [{"role": "system", "content": INSTRUCTIONS}, *json.loads(sys.stdin.readline())["input"]["messages"]]
tools = [
    {"type": "function", "function": {"name": tool.__name__, "description": tool.__doc__, "parameters": parameters(tool)}}
    for tool in TOOLS
]


def ask():
    if not STREAM:
        return api.chat(model=OLLAMA_MODEL, messages=messages, tools=tools).message
    whole = ollama.Message(role="assistant", content="", tool_calls=[])
    for part in api.chat(model=OLLAMA_MODEL, messages=messages, tools=tools, stream=True):
        whole.content += part.message.content or ""
        whole.tool_calls = [*whole.tool_calls, *(part.message.tool_calls or [])]
    return whole


def run(function):
    try:
        return KNOWN[function.name](**function.arguments)
    except LookupError as error:
        return {"error": str(error)}


while True:
    message = ask()
    messages.append(message)
    if not message.tool_calls:
        break
    for call in message.tool_calls:
        messages.append({"role": "tool", "tool_name": call.function.name, "content": json.dumps(run(call.function))})
print(json.dumps({"type": "final_output", "output": {"answer": message.content}}), flush=True)
