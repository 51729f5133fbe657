"""The Anthropic SDK: the agent stops reading after the first words, since they are all it needs."""

import sys

from anthropic import Anthropic

tools = [
    {
        "name": "refund_order",
        "input_schema": {
            "type": "object",
            "properties": {"id": {"type": "string"}, "amount": {"type": "number"}},
            "required": ["id", "amount"],
        },
    }
]
messages = [{"role": "user", "content": sys.argv[1]}]
said = ""
with Anthropic().messages.stream(model="claude-sonnet-4-5", max_tokens=500, messages=messages, tools=tools) as stream:
    for text in stream.text_stream:
        said += text
        if len(said.split()) >= 3:
            break
print(said)
