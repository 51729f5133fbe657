"""The Anthropic SDK: a search that the provider runs, and a tool that the agent runs."""

import sys

from anthropic import Anthropic

api = Anthropic()
tools = [
    {"type": "web_search_20250305", "name": "web_search", "max_uses": 2},
    {
        "name": "find_order",
        "input_schema": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
    },
]
messages = [{"role": "user", "content": sys.argv[1]}]
while True:
    message = api.messages.create(
        model="claude-sonnet-4-5",
        system="You help customers of a shop.",
        max_tokens=1000,
        messages=messages,
        tools=tools,
    )
    messages.append({"role": "assistant", "content": message.content})
    calls = [block for block in message.content if block.type == "tool_use"]
    if not calls:
        break
    results = [
        {"type": "tool_result", "tool_use_id": call.id, "content": "Order A-17: 60 euros, paid."} for call in calls
    ]
    messages.append({"role": "user", "content": results})
print("".join(block.text for block in message.content if block.type == "text"))
