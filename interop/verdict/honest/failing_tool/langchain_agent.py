"""LangChain: a tool that fails the first time, and a middleware that reports it to the model. The second argument is the model."""

import sys

from langchain.agents import create_agent
from langchain.agents.middleware import wrap_tool_call
from langchain.messages import ToolMessage
from langchain.tools import tool

tries = 0


@tool
def find_order(id: str) -> str:
    """Finds an order by its id."""
    global tries
    tries += 1
    if tries == 1:
        raise ConnectionError("the shop does not answer")
    return f"Order {id}: 60 euros, paid."


@wrap_tool_call
def tell(request, handler):
    try:
        return handler(request)
    except ConnectionError as error:
        return ToolMessage(content=f"Error: {error}", tool_call_id=request.tool_call["id"], status="error")


agent = create_agent(
    sys.argv[2], tools=[find_order], system_prompt="You help customers of a shop.", middleware=[tell]
)
print(agent.invoke({"messages": [{"role": "user", "content": sys.argv[1]}]})["messages"][-1].text)
