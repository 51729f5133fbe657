"""LangChain: a tool with nested, optional and enum arguments. The second argument is the model."""

import sys
from typing import Literal

from langchain.agents import create_agent
from langchain.tools import tool
from pydantic import BaseModel


class Item(BaseModel):
    sku: str
    count: int = 1


@tool
def place_order(items: list[Item], speed: Literal["normal", "fast"], price: float, note: str | None = None) -> str:
    """Places an order."""
    return f"{sum(item.count for item in items)} items, {speed}, {price} euros, {note}"


@tool
def add_labels(labels: dict[str, str]) -> str:
    """Adds labels to the order."""
    return ", ".join(labels)


agent = create_agent(sys.argv[2], tools=[place_order, add_labels], system_prompt="You help customers of a shop.")
print(agent.invoke({"messages": [{"role": "user", "content": sys.argv[1]}]})["messages"][-1].text)
