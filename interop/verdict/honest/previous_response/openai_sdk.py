"""The OpenAI SDK, Responses: the provider keeps the history. The second argument selects how the agent refers to it."""

import sys

from openai import OpenAI

api = OpenAI()
tools = [
    {
        "type": "function",
        "name": "find_order",
        "parameters": {
            "type": "object",
            "properties": {"id": {"type": "string"}},
            "required": ["id"],
            "additionalProperties": False,
        },
        "strict": True,
    }
]
conversation = api.conversations.create().id if sys.argv[2] == "conversation" else None
items = [{"role": "user", "content": sys.argv[1]}]
answer = None
while True:
    context = {"conversation": conversation} if conversation else {"previous_response_id": answer and answer.id}
    answer = api.responses.create(
        model="gpt-4.1", instructions="You help customers of a shop.", input=items, tools=tools, **context
    )
    items = [
        {"type": "function_call_output", "call_id": item.call_id, "output": "Order A-17: 60 euros, paid."}
        for item in answer.output
        if item.type == "function_call"
    ]
    if not items:
        break
print(answer.output_text)
