"""An agent that is a server, built on FastAPI and OpenAI's SDK. Its tools call another server; it streams its answer."""

import json
import os
import sys
from collections import defaultdict
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

import httpx
import mutation
import uvicorn
from fastapi import FastAPI
from fastapi.responses import StreamingResponse
from openai import NOT_GIVEN, OpenAI
from pydantic import BaseModel, TypeAdapter

OPENAI_MODEL = "gpt-4o"
INSTRUCTIONS = """\
You help customers of a small shop.
Look an order up before you refund it. Never refund more than the order cost."""


def find_order(id: str) -> dict:
    """Finds an order by its id."""
    return call("find_order", id=id)


def refund_order(id: str, amount: float) -> dict:
    """Refunds a part of an order, in euros."""
    return call("refund_order", id=id, amount=amount)


def call(path, **body):
    answer = httpx.post(f"{os.environ['SHOP_API']}/{path}", json=body)
    if answer.is_error:
        raise RuntimeError(answer.json()["error"])
    return answer.json()


TOOLS = [find_order, refund_order]
KNOWN = {tool.__name__: tool for tool in TOOLS}
mutation.apply(globals())

api = OpenAI()
app = FastAPI()
conversations = defaultdict(lambda: [{"role": "system", "content": INSTRUCTIONS}])


def offer(tool):
    function = {"name": tool.__name__, "description": tool.__doc__, "parameters": TypeAdapter(tool).json_schema()}
    return {"type": "function", "function": function}


class Question(BaseModel):
    customer: str
    text: str


@app.post("/ask")
def ask(question: Question):
    messages = conversations[question.customer]
    messages.append({"role": "user", "content": question.text})
    return StreamingResponse(answer(messages), media_type="text/event-stream")


def answer(messages):
    while True:
        tools = [offer(tool) for tool in TOOLS] or NOT_GIVEN
        message = api.chat.completions.create(model=OPENAI_MODEL, messages=messages, tools=tools).choices[0].message
        messages.append(message.model_dump(exclude_none=True, include={"role", "content", "tool_calls"}))
        if not message.tool_calls:
            break
        for call in message.tool_calls:
            yield event("status", f"calling {call.function.name}")
            messages.append({"role": "tool", "tool_call_id": call.id, "content": run(call.function)})
    for word in message.content.split(" "):
        yield event("token", word + " ")


def run(function):
    try:
        return json.dumps(KNOWN[function.name](**json.loads(function.arguments)))
    except Exception as error:  # noqa: BLE001 - every error is reported to the model
        return json.dumps({"error": str(error)})


def event(kind, text):
    return f"event: {kind}\ndata: {json.dumps({'text': text})}\n\n"


uvicorn.run(app, host="127.0.0.1", port=int(os.environ["PORT"]), log_level="warning")
