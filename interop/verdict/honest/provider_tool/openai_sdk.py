"""The OpenAI SDK, Responses: a search that the provider runs, and a tool that the agent runs."""

import sys

from openai import OpenAI

api = OpenAI()
tools = [
    {"type": "web_search"},
    {
        "type": "function",
        "name": "find_order",
        "parameters": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
    },
]
items = [{"role": "user", "content": sys.argv[1]}]
while True:
    answer = api.responses.create(
        model="gpt-4.1",
        instructions="You help customers of a shop.",
        input=items,
        tools=tools,
        store=False,
        include=["reasoning.encrypted_content", "web_search_call.action.sources"],
    )
    items += answer.output
    calls = [item for item in answer.output if item.type == "function_call"]
    if not calls:
        break
    for call in calls:
        items.append(
            {"type": "function_call_output", "call_id": call.call_id, "output": "Order A-17: 60 euros, paid."}
        )
print(answer.output_text)
