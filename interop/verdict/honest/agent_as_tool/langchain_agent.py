"""LangChain: a tool that asks another agent."""

import sys

from langchain.agents import create_agent
from langchain.tools import tool


@tool
def refund_order(id: str, amount: float) -> str:
    """Refunds a part of an order."""
    return f"{amount} euros of order {id} were refunded."


clerk = create_agent("openai:gpt-4.1-mini", tools=[refund_order], system_prompt="You refund orders.")


@tool
def ask_clerk(input: str) -> str:
    """Asks the clerk who refunds orders."""
    return clerk.invoke({"messages": [{"role": "user", "content": input}]})["messages"][-1].text


shop = create_agent("openai:gpt-4.1", tools=[ask_clerk], system_prompt="You help customers of a shop.")
print(shop.invoke({"messages": [{"role": "user", "content": sys.argv[1]}]})["messages"][-1].text)
