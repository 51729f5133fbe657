"""openai-agents: an output type, requested from the provider as a strict schema."""

import sys

from agents import Agent, Runner, function_tool
from pydantic import BaseModel


class Item(BaseModel):
    name: str
    price: float


class Order(BaseModel):
    """An order."""

    id: str
    items: list[Item]
    note: str | None = None


@function_tool
def find_order(id: str) -> str:
    """Finds an order by its id."""
    return f"Order {id}: one lamp for 60 euros."


agent = Agent(
    name="Shop",
    instructions="You help customers of a shop.",
    model="gpt-4.1",
    tools=[find_order],
    output_type=Order,
)
print(Runner.run_sync(agent, sys.argv[1]).final_output.model_dump_json())
