"""openai-agents: two conversations at once, each with its own model."""

import asyncio
import sys

from agents import Agent, Runner, function_tool


@function_tool
async def find_order(id: str) -> str:
    """Finds an order by its id."""
    await asyncio.sleep(0.05)
    return f"Order {id}: 60 euros, paid."


@function_tool
async def find_parcel(id: str) -> str:
    """Finds the parcel of an order."""
    await asyncio.sleep(0.02)
    return f"The parcel of {id} is on its way."


orders = Agent(name="Orders", instructions="You know orders.", model="gpt-4.1", tools=[find_order])
parcels = Agent(name="Parcels", instructions="You know parcels.", model="gpt-4.1-mini", tools=[find_parcel])


async def main():
    results = await asyncio.gather(*(Runner.run(agent, sys.argv[1]) for agent in (orders, parcels)))
    print(" ".join(result.final_output for result in results))


asyncio.run(main())
