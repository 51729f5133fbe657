"""openai-agents: the provider keeps the history. The second argument selects how the agent refers to it."""

import asyncio
import sys

from agents import Agent, Runner, function_tool
from openai import AsyncOpenAI


@function_tool
def find_order(id: str) -> str:
    """Finds an order by its id."""
    return f"Order {id}: 60 euros, paid."


agent = Agent(name="Shop", instructions="You help customers of a shop.", model="gpt-4.1", tools=[find_order])


async def main():
    if sys.argv[2] == "conversation":
        context = {"conversation_id": (await AsyncOpenAI().conversations.create()).id}
    else:
        context = {"auto_previous_response_id": True}
    result = await Runner.run(agent, sys.argv[1], **context)
    print(result.final_output)


asyncio.run(main())
