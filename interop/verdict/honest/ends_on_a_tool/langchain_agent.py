"""LangChain: a tool whose result is the answer (`return_direct`)."""

import sys

from langchain.agents import create_agent
from langchain.tools import tool


@tool(return_direct=True)
def find_order(id: str) -> str:
    """Finds an order by its id."""
    return f"Order {id}: 60 euros, paid."


agent = create_agent("openai:gpt-4o", tools=[find_order], system_prompt="You help customers of a shop.")
print(agent.invoke({"messages": [{"role": "user", "content": sys.argv[1]}]})["messages"][-1].content)
