"""LangChain behind a web server: each thread has a checkpoint, which sends the history with every request."""

import os

import uvicorn
from langchain.agents import create_agent
from langchain.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route


@tool
def find_order(id: str) -> str:
    """Finds an order by its id."""
    return f"Order {id}: 60 euros, paid."


@tool
def refund_order(id: str, amount: float) -> str:
    """Refunds a part of an order."""
    return f"{amount} euros of order {id} were refunded."


agent = create_agent(
    os.environ["MODEL"],
    tools=[find_order, refund_order],
    system_prompt="You help customers of a shop.",
    checkpointer=InMemorySaver(),
)


async def ask(request):
    asked = await request.json()
    thread = {"configurable": {"thread_id": asked["thread"]}}
    state = await agent.ainvoke({"messages": [{"role": "user", "content": asked["question"]}]}, thread)
    return JSONResponse({"answer": state["messages"][-1].text})


app = Starlette(routes=[Route("/ask", ask, methods=["POST"])])
uvicorn.run(app, port=int(os.environ["PORT"]), log_level="critical")
