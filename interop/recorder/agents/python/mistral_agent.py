"""Mistral's SDK: plain, streamed, and with a tool."""

import json
import os

from mistralai.client import Mistral
from shared import QUESTION, SCHEMA, get_weather, run

MODEL = "mistral-small-latest"
TOOL = {"type": "function", "function": {"name": "get_weather", "description": "Tells the weather.", "parameters": SCHEMA}}


def main():
    client = Mistral(api_key=os.environ["MISTRAL_API_KEY"])
    messages = [{"role": "user", "content": QUESTION}]
    print(client.chat.complete(model=MODEL, messages=messages).choices[0].message.content)
    chunks = client.chat.stream(model=MODEL, messages=messages)
    print("".join(chunk.data.choices[0].delta.content or "" for chunk in chunks))
    message = client.chat.complete(model=MODEL, messages=messages, tools=[TOOL]).choices[0].message
    call = message.tool_calls[0]
    result = get_weather(**json.loads(call.function.arguments))
    messages += [message, {"role": "tool", "tool_call_id": call.id, "content": result}]
    print(client.chat.complete(model=MODEL, messages=messages, tools=[TOOL]).choices[0].message.content)


run(main)
