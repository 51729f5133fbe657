"""LangChain: a middleware that clears old results (`ClearToolUsesEdit`), and with `inputs` their arguments as well."""

import sys

from langchain.agents import create_agent
from langchain.agents.middleware import ClearToolUsesEdit, ContextEditingMiddleware
from langchain.tools import tool


@tool
def find_order(id: str) -> str:
    """Finds an order by its id."""
    return f"Order {id}: 60 euros, paid."


edit = ClearToolUsesEdit(trigger=1, keep=1, clear_tool_inputs="inputs" in sys.argv)
agent = create_agent(
    "openai:gpt-4.1",
    tools=[find_order],
    system_prompt="You help customers of a shop.",
    middleware=[ContextEditingMiddleware(edits=[edit])],
)
print(agent.invoke({"messages": [{"role": "user", "content": sys.argv[1]}]})["messages"][-1].text)
