"""pydantic-ai: an output type, as a call of an output tool, or with `native` as JSON that follows a schema."""

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
    total: float
    note: str | None


output = NativeOutput(Order) if sys.argv[2] == "native" else Order
agent = Agent("openai-chat:gpt-4.1", instructions="You know all orders.", output_type=output)


@agent.tool_plain
def find_order(id: str) -> str:
    """Finds an order by its id."""
    return f"Order {id}: a lamp for 40 euros and a desk for 20."


print(agent.run_sync(sys.argv[1]).output.model_dump_json())
