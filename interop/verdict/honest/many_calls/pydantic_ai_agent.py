"""pydantic-ai: several calls at once, streamed. The second argument is the model."""

import asyncio
import sys

from pydantic_ai import Agent

agent = Agent(sys.argv[2], system_prompt="You help customers of a shop.")


@agent.tool_plain
async def find_order(id: str) -> dict:
    """Finds an order by its id."""
    await asyncio.sleep(0.1 if id == "A-17" else 0)
    return {"id": id, "total": 60}


@agent.tool_plain
async def now() -> str:
    """The time."""
    return ""


async def read(context, events):
    async for _ in events:
        pass


print(agent.run_sync(sys.argv[1], event_stream_handler=read).output)
