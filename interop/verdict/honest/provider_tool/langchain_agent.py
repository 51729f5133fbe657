"""LangChain: a search that the provider runs, and a tool that the agent runs."""

import sys

from langchain.agents import create_agent
from langchain.tools import tool


@tool
def find_order(id: str) -> str:
    """Finds an order by its id."""
    return f"Order {id}: 60 euros, paid."


agent = create_agent(
    "openai:gpt-4.1", tools=[{"type": "web_search"}, find_order], system_prompt="You help customers of a shop."
)
print(agent.invoke({"messages": [{"role": "user", "content": sys.argv[1]}]})["messages"][-1].text)
