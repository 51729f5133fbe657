"""openai-agents: a streamed run that is cancelled after the first words."""

import asyncio
import sys

from agents import Agent, Runner, function_tool


@function_tool
def refund_order(id: str, amount: float) -> str:
    """Refunds a part of an order."""
    raise AssertionError("the run was cancelled before this")


agent = Agent(name="Shop", instructions="You help customers of a shop.", model="gpt-4.1", tools=[refund_order])


async def main():
    said = ""
    result = Runner.run_streamed(agent, sys.argv[1])
    async for event in result.stream_events():
        if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
            said += event.data.delta
            if len(said.split()) >= 3:
                result.cancel()
                break
    print(said)


asyncio.run(main())
