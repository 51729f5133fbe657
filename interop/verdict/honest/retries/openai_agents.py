"""openai-agents: the underlying SDK retries when the provider is busy."""

import sys

from agents import Agent, Runner

agent = Agent(name="Shop", instructions="You help customers of a shop.", model="gpt-4.1")
print(Runner.run_sync(agent, sys.argv[1]).final_output)
