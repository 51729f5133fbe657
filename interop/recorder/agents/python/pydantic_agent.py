"""pydantic-ai with the model in the argument: an agent with a tool, then streamed."""

import sys

from pydantic_ai import Agent
from shared import QUESTION, get_weather, run

MODELS = {"openai": "openai-chat:gpt-4o", "anthropic": "anthropic:claude-sonnet-4-5"}


async def main():
    agent = Agent(MODELS[sys.argv[1]], instructions="You are brief.", tools=[get_weather])
    print((await agent.run(QUESTION)).output)
    async with Agent(MODELS[sys.argv[1]]).run_stream(QUESTION) as result:
        print(await result.get_output())


run(main)
