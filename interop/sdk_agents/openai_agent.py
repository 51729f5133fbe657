"""An agent on the OpenAI SDK. Address and key of its model come from the environment, as they would in production."""

import json
import sys

from openai import OpenAI
from shop import PARAMETERS, TOOLS, finish, question

STREAM = "--stream" in sys.argv
api = OpenAI()
messages = [{"role": "system", "content": "You help customers of a shop."}, {"role": "user", "content": question()}]
tools = [{"type": "function", "function": {"name": name, "parameters": PARAMETERS[name]}} for name in TOOLS]


def ask():
    request = {"model": "gpt-4o", "messages": messages, "tools": tools}
    if not STREAM:
        return api.chat.completions.create(**request).choices[0].message
    with api.chat.completions.stream(**request) as stream:
        for _ in stream:
            pass
        return stream.get_final_completion().choices[0].message


while True:
    message = ask()
    messages.append(message.model_dump(exclude_none=True, include={"role", "content", "tool_calls"}))
    if not message.tool_calls:
        break
    for call in message.tool_calls:
        result = TOOLS[call.function.name](**json.loads(call.function.arguments))
        messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
finish(message.content)
