"""An agent built on the Anthropic SDK. The address and key of its model come from the environment, as in production."""

import json
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "verdict"))

from anthropic import Anthropic
from shop import ANTHROPIC_MODEL, INSTRUCTIONS, KNOWN, TOOLS, parameters

api = Anthropic()
messages = json.loads(sys.stdin.readline())["input"]["messages"]
tools = [{"name": tool.__name__, "description": tool.__doc__, "input_schema": parameters(tool)} for tool in TOOLS]


def run(call):
    try:
        return {"content": json.dumps(KNOWN[call.name](**call.input))}
    except LookupError as error:
        return {"content": str(error), "is_error": True}


while True:
    message = api.messages.create(
        model=ANTHROPIC_MODEL, system=INSTRUCTIONS, max_tokens=500, messages=messages, tools=tools
    )
    messages.append({"role": "assistant", "content": message.content})
    calls = [block for block in message.content if block.type == "tool_use"]
    if not calls:
        break
    results = [{"type": "tool_result", "tool_use_id": call.id, **run(call)} for call in calls]
    messages.append({"role": "user", "content": results})
answer = "".join(block.text for block in message.content if block.type == "text")
print(json.dumps({"type": "final_output", "output": {"answer": answer}}), flush=True)
