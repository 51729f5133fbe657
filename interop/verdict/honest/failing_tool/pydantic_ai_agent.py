"""pydantic-ai: a tool that requests a retry the first time. The second argument is the model."""

import sys

from pydantic_ai import Agent, ModelRetry

agent = Agent(sys.argv[2], instructions="You help customers of a shop.")
tries = 0


@agent.tool_plain
def find_order(id: str) -> str:
    """Finds an order by its id."""
    global tries
    tries += 1
    if tries == 1:
        raise ModelRetry("the shop does not answer")
    return f"Order {id}: 60 euros, paid."


print(agent.run_sync(sys.argv[1]).output)
