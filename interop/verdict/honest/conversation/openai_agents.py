"""openai-agents behind a web server: each thread has a session, which sends the history with every request."""

import os

import uvicorn
from agents import Agent, Runner, SQLiteSession, function_tool
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

SESSIONS = {}


@function_tool
def find_order(id: str) -> str:
    """Finds an order by its id."""
    return f"Order {id}: 60 euros, paid."


@function_tool
def refund_order(id: str, amount: float) -> str:
    """Refunds a part of an order."""
    return f"{amount} euros of order {id} were refunded."


agent = Agent(
    name="Shop", instructions="You help customers of a shop.", model="gpt-4.1", tools=[find_order, refund_order]
)


async def ask(request):
    asked = await request.json()
    session = SESSIONS.setdefault(asked["thread"], SQLiteSession(asked["thread"]))
    result = await Runner.run(agent, asked["question"], session=session)
    return JSONResponse({"answer": result.final_output})


app = Starlette(routes=[Route("/ask", ask, methods=["POST"])])
uvicorn.run(app, port=int(os.environ["PORT"]), log_level="critical")
