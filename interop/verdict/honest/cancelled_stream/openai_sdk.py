"""The OpenAI SDK: the agent stops reading after the first words, since they are all it needs."""

import sys

from openai import OpenAI

api = OpenAI()
tools = [
    {
        "type": "function",
        "function": {
            "name": "refund_order",
            "parameters": {
                "type": "object",
                "properties": {"id": {"type": "string"}, "amount": {"type": "number"}},
                "required": ["id", "amount"],
            },
        },
    }
]
messages = [{"role": "user", "content": sys.argv[1]}]
said = ""
with api.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools, stream=True) as stream:
    for chunk in stream:
        said += chunk.choices[0].delta.content or ""
        if len(said.split()) >= 3:
            break
print(said)
