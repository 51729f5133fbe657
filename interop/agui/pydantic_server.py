"""A pydantic-ai agent behind pydantic-ai's own AG-UI adapter. Its model is a function, so no provider is called.

    python3 pydantic_server.py

It prints its address as JSON, `{"url": ...}`, and serves until it is stopped. The user's message selects what the model does:
`weather` calls a server-side tool, `pay` a client-side tool, `both` one of each, `refund` a tool that needs approval, `fail` raises
an exception, and any other message is answered with the number of messages so far.
"""

import asyncio
import json
import socket

import uvicorn
from pydantic_ai import Agent, DeferredToolRequests
from pydantic_ai.messages import ModelResponse, TextPart, ToolReturnPart, UserPromptPart
from pydantic_ai.models.function import DeltaToolCall, FunctionModel
from pydantic_ai.ui.ag_ui import AGUIAdapter
from starlette.applications import Starlette
from starlette.routing import Route


async def model(messages, _):
    parts = [part for message in messages for part in message.parts]
    prompts = [part.content for part in parts if isinstance(part, UserPromptPart)]
    last = max(index for index, part in enumerate(parts) if isinstance(part, UserPromptPart))
    results = [part for part in parts[last:] if isinstance(part, ToolReturnPart)]
    wish = str(prompts[-1])
    if results:
        yield "The tools said: "
        yield "; ".join(f"{part.tool_name} {part.model_response_str()}" for part in results) + "."
    elif "fail" in wish:
        raise RuntimeError("the model is gone")
    else:
        wanted = WISHES.get(next((word for word in WISHES if word in wish), ""), [])
        if wanted:
            yield "One moment. "
        for index, (name, arguments) in enumerate(wanted):
            middle = len(arguments) // 2
            yield {index: DeltaToolCall(name=name, json_args=arguments[:middle])}
            yield {index: DeltaToolCall(json_args=arguments[middle:])}
        if not wanted:
            answers = sum(isinstance(part, TextPart) for m in messages if isinstance(m, ModelResponse) for part in m.parts)
            yield f"You said {len(prompts)} things, first {prompts[0]!r}, and I answered {answers} times."


WEATHER = ("get_weather", '{"city": "Paris", "days": 2}')
PAY = ("confirm_payment", '{"amount": 42.5}')
WISHES = {"weather": [WEATHER], "pay": [PAY], "both": [WEATHER, PAY], "refund": [("refund", '{"amount": 20}')]}

agent = Agent(FunctionModel(stream_function=model), output_type=[str, DeferredToolRequests])


@agent.tool_plain
def get_weather(city: str, days: int) -> dict:
    """The weather of the next days."""
    return {"city": city, "days": days, "sky": "rain"}


@agent.tool_plain(requires_approval=True)
def refund(amount: int) -> str:
    """Gives money back."""
    return f"refunded {amount}"


async def serve_run(request):
    return await AGUIAdapter.dispatch_request(request, agent=agent)


def main():
    listener = socket.create_server(("127.0.0.1", 0))
    print(json.dumps({"url": "http://127.0.0.1:%d" % listener.getsockname()[1]}), flush=True)
    app = Starlette(routes=[Route("/", serve_run, methods=["POST"])])
    config = uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=1)
    asyncio.run(uvicorn.Server(config).serve(sockets=[listener]))


if __name__ == "__main__":
    main()
