"""LangChain: JSON that follows a schema is requested from the provider (`ProviderStrategy`)."""

import sys

from langchain.agents import create_agent
from langchain.agents.structured_output import ProviderStrategy
from langchain.tools import tool
from pydantic import BaseModel


class Item(BaseModel):
    name: str
    price: float


class Order(BaseModel):
    """An order."""

    id: str
    items: list[Item]
    note: str | None = None


@tool
def find_order(id: str) -> str:
    """Finds an order by its id."""
    return f"Order {id}: one lamp for 60 euros."


agent = create_agent(
    "openai:gpt-4.1",
    tools=[find_order],
    system_prompt="You help customers of a shop.",
    response_format=ProviderStrategy(Order),
)
state = agent.invoke({"messages": [{"role": "user", "content": sys.argv[1]}]})
print(state["structured_response"].model_dump_json())
