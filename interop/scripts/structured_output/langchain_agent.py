"""LangChain: an agent with a response format, as an output tool or as the provider's structured output."""

import sys

from langchain.agents import create_agent
from langchain.agents.structured_output import ProviderStrategy, ToolStrategy
from langchain.tools import tool
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


@tool
def find_order(id: str) -> str:
    """Finds an order by its id."""
    return f"Order {id}: a lamp for 40 euros and a desk for 20."


strategy = {"tool": ToolStrategy, "provider": ProviderStrategy}[sys.argv[2]]
agent = create_agent(
    "openai:gpt-4.1",
    tools=[find_order],
    system_prompt="You know all orders.",
    response_format=strategy(Order),
)
state = agent.invoke({"messages": [("user", sys.argv[1])]})
print(state["structured_response"].model_dump_json())
