"""LangChain: structured output as a tool call (`ToolStrategy`)."""

import json
import sys

from langchain.agents import create_agent
from langchain.agents.structured_output import ToolStrategy
from langchain.tools import tool
from pydantic import BaseModel


class final_result(BaseModel):
    """The order that the customer asked for."""

    id: str
    total: float
    note: str | None = None


@tool
def find_order(id: str) -> dict:
    """Finds an order by its id."""
    return {"id": id, "total": 60, "paid": True}


agent = create_agent(
    "openai:gpt-4o",
    tools=[find_order],
    system_prompt="You help customers of a shop.",
    response_format=ToolStrategy(final_result),
)
state = agent.invoke({"messages": [{"role": "user", "content": sys.argv[1]}]})
print(json.dumps(state["structured_response"].model_dump()))
