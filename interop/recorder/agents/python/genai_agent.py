"""Google's SDK: plain, streamed, asynchronous, and with a tool that it calls itself."""

import asyncio

from google import genai
from google.genai import types
from shared import QUESTION, get_weather, run

MODEL = "gemini-2.5-flash"


def main():
    client = genai.Client()
    print(client.models.generate_content(model=MODEL, contents=QUESTION).text)
    print("".join(chunk.text for chunk in client.models.generate_content_stream(model=MODEL, contents=QUESTION)))
    tools = types.GenerateContentConfig(tools=[get_weather])
    print(client.models.generate_content(model=MODEL, contents=QUESTION, config=tools).text)
    asyncio.run(asynchronous())


async def asynchronous():
    client = genai.Client()
    asked = f"{QUESTION} Now?"
    print((await client.aio.models.generate_content(model=MODEL, contents=asked)).text)
    chunks = await client.aio.models.generate_content_stream(model=MODEL, contents=asked)
    print("".join([chunk.text async for chunk in chunks]))


run(main)
