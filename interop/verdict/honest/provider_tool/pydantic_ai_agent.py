"""pydantic-ai: a search that the provider runs, and a tool that the agent runs."""

import sys

from pydantic_ai import Agent
from pydantic_ai.capabilities import NativeTool
from pydantic_ai.native_tools import WebSearchTool

agent = Agent(
    sys.argv[2], instructions="You help customers of a shop.", capabilities=[NativeTool(WebSearchTool())]
)


@agent.tool_plain
def find_order(id: str) -> str:
    """Finds an order by its id."""
    return f"Order {id}: 60 euros, paid."


print(agent.run_sync(sys.argv[1]).output)
