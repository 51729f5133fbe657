"""openai-agents: a tool with nested, optional and enum arguments; strict and not strict."""

import sys
from typing import Literal

from agents import Agent, Runner, function_tool
from pydantic import BaseModel


class Item(BaseModel):
    sku: str
    count: int = 1


@function_tool
def place_order(items: list[Item], speed: Literal["normal", "fast"], price: float, note: str | None = None) -> str:
    """Places an order.

    Args:
        items: What is ordered.
        speed: How fast it has to come.
        price: What the customer pays.
        note: What the customer wants to say.
    """
    return f"{sum(item.count for item in items)} items, {speed}, {price} euros, {note}"


@function_tool(strict_mode=False)
def add_labels(labels: dict[str, str]) -> str:
    """Adds labels to the order."""
    return ", ".join(labels)


agent = Agent(
    name="Shop", instructions="You help customers of a shop.", model="gpt-4.1", tools=[place_order, add_labels]
)
print(Runner.run_sync(agent, sys.argv[1]).final_output)
