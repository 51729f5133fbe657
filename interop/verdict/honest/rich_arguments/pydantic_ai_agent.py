"""pydantic-ai: a tool with nested, optional and enum arguments. The second argument is the model."""

import sys
from enum import Enum

from pydantic import BaseModel, Field
from pydantic_ai import Agent


class Speed(str, Enum):
    normal = "normal"
    fast = "fast"


class Item(BaseModel):
    sku: str = Field(pattern="^[A-Z]-[0-9]+$")
    count: int = Field(default=1, ge=1)


agent = Agent(sys.argv[2], instructions="You help customers of a shop.")


@agent.tool_plain
def place_order(items: list[Item], speed: Speed, price: float, note: str | None = None) -> str:
    """Places an order.

    Args:
        items: What is ordered.
        speed: How fast it has to come.
        price: What the customer pays.
        note: What the customer wants to say.
    """
    return f"{sum(item.count for item in items)} items, {speed.value}, {price} euros, {note}"


@agent.tool_plain
def add_labels(labels: dict[str, str]) -> str:
    """Adds labels to the order."""
    return ", ".join(labels)


print(agent.run_sync(sys.argv[1]).output)
