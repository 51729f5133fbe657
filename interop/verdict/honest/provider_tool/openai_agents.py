"""openai-agents: a search that the provider runs, and a tool that the agent runs."""

import sys

from agents import Agent, Runner, WebSearchTool, function_tool


@function_tool
def find_order(id: str) -> str:
    """Finds an order by its id."""
    return f"Order {id}: 60 euros, paid."


agent = Agent(name="Shop", instructions="You help customers of a shop.", tools=[WebSearchTool(), find_order])
print(Runner.run_sync(agent, sys.argv[1]).final_output)
