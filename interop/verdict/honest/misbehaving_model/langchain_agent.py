"""LangChain: the agent reports to the model that a tool or an argument does not exist, and the model tries another."""

import sys

from langchain.agents import create_agent
from langchain.tools import tool


@tool
def find_order(id: str) -> str:
    """Finds an order by its id."""
    return f"Order {id}: 60 euros, paid."


agent = create_agent("openai:gpt-4.1", tools=[find_order], system_prompt="You help customers of a shop.")
print(agent.invoke({"messages": [{"role": "user", "content": sys.argv[1]}]})["messages"][-1].text)
