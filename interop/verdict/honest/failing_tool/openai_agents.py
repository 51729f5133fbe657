"""openai-agents: a tool that fails the first time."""

import sys

from agents import Agent, Runner, function_tool

tries = 0


@function_tool
def find_order(id: str) -> str:
    """Finds an order by its id."""
    global tries
    tries += 1
    if tries == 1:
        raise ConnectionError("the shop does not answer")
    return f"Order {id}: 60 euros, paid."


agent = Agent(name="Shop", instructions="You help customers of a shop.", model="gpt-4.1", tools=[find_order])
print(Runner.run_sync(agent, sys.argv[1]).final_output)
