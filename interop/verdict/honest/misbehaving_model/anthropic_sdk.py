"""The Anthropic SDK: the agent reports to the model that a tool or an argument does not exist, and the model tries another."""

import sys

from anthropic import Anthropic

api = Anthropic()
tools = [
    {
        "name": "find_order",
        "input_schema": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
    }
]
messages = [{"role": "user", "content": sys.argv[1]}]
while True:
    message = api.messages.create(model="claude-sonnet-4-5", max_tokens=500, messages=messages, tools=tools)
    messages.append({"role": "assistant", "content": message.content})
    results = []
    for call in message.content:
        if call.type != "tool_use":
            continue
        result = {"type": "tool_result", "tool_use_id": call.id}
        if call.name != "find_order":
            results.append({**result, "content": f"There is no tool {call.name}.", "is_error": True})
        elif "id" not in call.input:
            results.append({**result, "content": "`id` is missing.", "is_error": True})
        else:
            results.append({**result, "content": "Order A-17: 60 euros, paid."})
    if not results:
        break
    messages.append({"role": "user", "content": results})
print("".join(block.text for block in message.content if block.type == "text"))
