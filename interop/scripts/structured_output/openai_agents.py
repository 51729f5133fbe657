"""openai-agents: an output type, sent as JSON that follows a schema."""

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
    total: float
    note: str | None


@function_tool
def find_order(id: str) -> str:
    """Finds an order by its id."""
    return f"Order {id}: a lamp for 40 euros and a desk for 20."


agent = Agent(name="Orders", instructions="You know all orders.", model="gpt-4.1", tools=[find_order], output_type=Order)
print(Runner.run_sync(agent, sys.argv[1]).final_output.model_dump_json())
