"""openai-agents: an agent with a tool, plain and streamed. It also sends its traces."""

from agents import Agent, Runner, function_tool
from shared import QUESTION, get_weather, run


async def main():
    agent = Agent(name="weather", instructions="You are brief.", model="gpt-4o", tools=[function_tool(get_weather)])
    print((await Runner.run(agent, QUESTION)).final_output)
    streamed = Runner.run_streamed(agent, f"{QUESTION} Now?")
    async for _ in streamed.stream_events():
        pass
    print(streamed.final_output)


run(main)
