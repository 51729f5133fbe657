"""An agent on the Anthropic SDK. Address and key of its model come from the environment, as they would in production."""

import json

from anthropic import Anthropic
from shop import PARAMETERS, TOOLS, finish, question

api = Anthropic()
messages = [{"role": "user", "content": question()}]
tools = [{"name": name, "input_schema": PARAMETERS[name]} for name in TOOLS]

while True:
    message = api.messages.create(model="claude-test", max_tokens=500, messages=messages, tools=tools)
    messages.append({"role": "assistant", "content": message.content})
    calls = [block for block in message.content if block.type == "tool_use"]
    if not calls:
        break
    results = [
        {"type": "tool_result", "tool_use_id": call.id, "content": json.dumps(TOOLS[call.name](**call.input))}
        for call in calls
    ]
    messages.append({"role": "user", "content": results})
finish("".join(block.text for block in message.content if block.type == "text"))
