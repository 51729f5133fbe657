"""pydantic-ai: JSON that follows a schema is requested from the provider (`NativeOutput`). The second argument is the model."""

import sys

from pydantic import BaseModel
from pydantic_ai import Agent, NativeOutput


class Item(BaseModel):
    name: str
    price: float


class Order(BaseModel):
    """An order."""

    id: str
    items: list[Item]
    note: str | None = None


agent = Agent(sys.argv[2], instructions="You help customers of a shop.", output_type=NativeOutput(Order))


@agent.tool_plain
def find_order(id: str) -> dict:
    """Finds an order by its id."""
    return {"id": id, "items": [{"name": "lamp", "price": 60}]}


print(agent.run_sync(sys.argv[1]).output.model_dump_json())
