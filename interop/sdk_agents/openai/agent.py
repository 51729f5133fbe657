"""An agent built on the OpenAI SDK. The address and key of its model come from the environment, as in production."""

import json
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "verdict"))

from openai import NOT_GIVEN, OpenAI
from shop import INSTRUCTIONS, KNOWN, OPENAI_MODEL, TOOLS, parameters

STREAM = "--stream" in sys.argv
api = OpenAI()
messages = [{"role": "system", "content": INSTRUCTIONS}, *json.loads(sys.stdin.readline())["input"]["messages"]]


def offer(tool):
    return {"type": "function", "function": {"name": tool.__name__, "description": tool.__doc__, "parameters": parameters(tool)}}


def ask():
    request = {"model": OPENAI_MODEL, "messages": messages, "tools": [offer(tool) for tool in TOOLS] or NOT_GIVEN}
    if not STREAM:
        return api.chat.completions.create(**request).choices[0].message
    with api.chat.completions.stream(**request) as stream:
        for _ in stream:
            pass
        return stream.get_final_completion().choices[0].message


def run(function):
    try:
        return KNOWN[function.name](**json.loads(function.arguments))
    except LookupError as error:
        return {"error": str(error)}


while True:
    message = ask()
    messages.append(message.model_dump(exclude_none=True, include={"role", "content", "tool_calls"}))
    if not message.tool_calls:
        break
    for call in message.tool_calls:
        messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(run(call.function))})
print(json.dumps({"type": "final_output", "output": {"answer": message.content}}), flush=True)
