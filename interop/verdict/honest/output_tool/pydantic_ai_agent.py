"""pydantic-ai: the answer is a call of an output tool. The second argument selects the API."""

import json
import sys

from pydantic import BaseModel
from pydantic_ai import Agent


class Order(BaseModel):
    id: str
    total: float
    note: str | None = None


agent = Agent(f"{sys.argv[2]}:gpt-4o", instructions="You help customers of a shop.", output_type=Order)


@agent.tool_plain
def find_order(id: str) -> dict:
    """Finds an order by its id."""
    return {"id": id, "total": 60, "paid": True}


print(json.dumps(agent.run_sync(sys.argv[1]).output.model_dump()))
