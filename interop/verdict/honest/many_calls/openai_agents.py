"""openai-agents: several calls at once, whose results come in a different order. Streamed with `stream`."""

import asyncio
import sys

from agents import Agent, OpenAIChatCompletionsModel, Runner, function_tool
from openai import AsyncOpenAI


@function_tool
async def find_order(id: str) -> dict:
    """Finds an order by its id."""
    await asyncio.sleep(0.1 if id == "A-17" else 0)
    return {"id": id, "total": 60}


@function_tool
async def now() -> str:
    """The time."""
    return ""


model = OpenAIChatCompletionsModel("gpt-4.1", AsyncOpenAI()) if "chat" in sys.argv else "gpt-4.1"
agent = Agent(name="Shop", instructions="You help customers of a shop.", model=model, tools=[find_order, now])


async def main():
    if "stream" in sys.argv:
        result = Runner.run_streamed(agent, sys.argv[1])
        async for _ in result.stream_events():
            pass
    else:
        result = await Runner.run(agent, sys.argv[1])
    print(result.final_output)


asyncio.run(main())
