"""Chat Completions and Responses: plain, streamed, and with a tool."""

import asyncio
import json

from openai import AsyncOpenAI, OpenAI
from shared import QUESTION, SCHEMA, get_weather, run

MODEL = "gpt-4o"
TOOL = {"type": "function", "function": {"name": "get_weather", "description": "Tells the weather.", "parameters": SCHEMA}}


def main():
    client = OpenAI()
    messages = [{"role": "system", "content": "You are brief."}, {"role": "user", "content": QUESTION}]
    print(client.chat.completions.create(model=MODEL, messages=messages).choices[0].message.content)

    chunks = client.chat.completions.create(model=MODEL, messages=messages, stream=True)
    print("".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices))

    message = client.chat.completions.create(model=MODEL, messages=messages, tools=[TOOL]).choices[0].message
    call = message.tool_calls[0]
    result = get_weather(**json.loads(call.function.arguments))
    messages += [message.model_dump(exclude_none=True), {"role": "tool", "tool_call_id": call.id, "content": result}]
    print(client.chat.completions.create(model=MODEL, messages=messages, tools=[TOOL]).choices[0].message.content)

    with client.responses.stream(model=MODEL, input=QUESTION) as stream:
        print(stream.get_final_response().output_text)
    asyncio.run(several())


async def several():
    """Three questions at once."""
    client = AsyncOpenAI()
    asked = [client.responses.create(model=MODEL, input=f"{QUESTION} Day {day}.") for day in range(3)]
    for answer in await asyncio.gather(*asked):
        print(answer.output_text)


run(main)
