"""Anthropic's SDK, streamed: several questions of one customer, with the whole history in each request."""

import json
import sys

from anthropic import Anthropic
from shop import PARAMETERS, TOOLS

api = Anthropic()
tools = [{"name": name, "input_schema": schema} for name, schema in PARAMETERS.items()]
messages = []


def answer(question):
    messages.append({"role": "user", "content": question})
    while True:
        with api.messages.stream(
            model="claude-sonnet-4-5",
            max_tokens=500,
            system="You help customers of a shop.",
            messages=messages,
            tools=tools,
        ) as stream:
            message = stream.get_final_message()
        messages.append({"role": "assistant", "content": message.content})
        if message.stop_reason != "tool_use":
            return message.content[0].text
        results = []
        for block in message.content:
            if block.type == "tool_use":
                result = json.dumps(TOOLS[block.name](**block.input))
                results.append({"type": "tool_result", "tool_use_id": block.id, "content": result})
        messages.append({"role": "user", "content": results})


print(json.dumps([answer(question) for question in json.load(sys.stdin)["questions"]]))
