"""LangChain: the human-in-the-loop middleware, and a person who rejects the call."""

import sys

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command


@tool
def refund_order(id: str, amount: float) -> str:
    """Refunds a part of an order."""
    raise AssertionError("nobody approved this")


question = sys.argv[1]
reason = sys.argv[2] if len(sys.argv) > 2 else ""
model = sys.argv[3] if len(sys.argv) > 3 else "openai:gpt-4o"
decision = {"type": "reject", "message": reason} if reason else {"type": "reject"}
agent = create_agent(
    model,
    tools=[refund_order],
    system_prompt="You help customers of a shop.",
    middleware=[HumanInTheLoopMiddleware(interrupt_on={"refund_order": True})],
    checkpointer=InMemorySaver(),
)
thread = {"configurable": {"thread_id": "1"}}
state = agent.invoke({"messages": [{"role": "user", "content": question}]}, thread)
while "__interrupt__" in state:
    state = agent.invoke(Command(resume={"decisions": [decision]}), thread)
print(state["messages"][-1].text)
