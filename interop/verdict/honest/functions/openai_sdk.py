"""OpenAI's SDK with `functions`, the predecessor of tools. With a second argument, the answers are streamed."""

import json
import sys

from openai import OpenAI

FUNCTIONS = [
    {
        "name": "find_order",
        "description": "Finds an order by its id.",
        "parameters": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
    }
]
client = OpenAI()
messages = [
    {"role": "system", "content": "You help customers of a shop."},
    {"role": "user", "content": sys.argv[1]},
]


def ask():
    """Returns the next message and its finish reason."""
    request = {"model": "gpt-4.1", "messages": messages, "functions": FUNCTIONS, "function_call": "auto"}
    if len(sys.argv) < 3:
        choice = client.chat.completions.create(**request).choices[0]
        return choice.message.model_dump(exclude_none=True), choice.finish_reason
    text, call, finish = "", {"name": "", "arguments": ""}, None
    for chunk in client.chat.completions.create(**request, stream=True):
        choice = chunk.choices[0]
        text += choice.delta.content or ""
        if choice.delta.function_call:
            call["name"] += choice.delta.function_call.name or ""
            call["arguments"] += choice.delta.function_call.arguments or ""
        finish = choice.finish_reason or finish
    message = {"role": "assistant", "content": text or None}
    return (message | {"function_call": call} if call["name"] else message), finish


while True:
    message, finish = ask()
    if finish != "function_call":
        break
    messages.append({"content": None} | message)
    order = json.loads(message["function_call"]["arguments"])["id"]
    messages.append({"role": "function", "name": "find_order", "content": f"Order {order}: 60 euros, paid."})
print(message["content"])
