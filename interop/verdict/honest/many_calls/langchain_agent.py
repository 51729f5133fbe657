"""LangChain: several calls at once, in a graph whose model is streamed. The second argument is the model."""

import asyncio
import sys

from langchain.agents import create_agent
from langchain.tools import tool


@tool
async def find_order(id: str) -> dict:
    """Finds an order by its id."""
    await asyncio.sleep(0.1 if id == "A-17" else 0)
    return {"id": id, "total": 60}


@tool
async def now() -> str:
    """The time."""
    return ""


agent = create_agent(sys.argv[2], tools=[find_order, now], system_prompt="You help customers of a shop.")


async def main():
    said = ""
    question = {"messages": [{"role": "user", "content": sys.argv[1]}]}
    async for message, _ in agent.astream(question, stream_mode="messages"):
        if message.type == "AIMessageChunk":
            said += message.text
    print(said)


asyncio.run(main())
