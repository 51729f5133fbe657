"""openai-agents: the agent reports to the model that a tool or an argument does not exist, and the model tries another."""

import sys

from agents import Agent, RunConfig, Runner, function_tool


@function_tool
def find_order(id: str) -> str:
    """Finds an order by its id."""
    return f"Order {id}: 60 euros, paid."


agent = Agent(name="Shop", instructions="You help customers of a shop.", model="gpt-4.1", tools=[find_order])
config = RunConfig(tool_not_found_behavior="return_error_to_model")
print(Runner.run_sync(agent, sys.argv[1], run_config=config).final_output)
