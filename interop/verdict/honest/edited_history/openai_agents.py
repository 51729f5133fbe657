"""openai-agents: a filter that sends the model only a summary and the last call."""

import sys

from agents import Agent, RunConfig, Runner, function_tool
from agents.run import CallModelData, ModelInputData


@function_tool
def find_order(id: str) -> str:
    """Finds an order by its id."""
    return f"Order {id}: 60 euros, paid."


def shorten(data: CallModelData) -> ModelInputData:
    items = data.model_data.input
    if len(items) > 3:
        summary = f"{sys.argv[1]} Earlier results: {items[2]['output']}"
        items = [{"role": "user", "content": summary}, *items[-2:]]
    return ModelInputData(input=items, instructions=data.model_data.instructions)


agent = Agent(name="Shop", instructions="You help customers of a shop.", model="gpt-4.1", tools=[find_order])
print(Runner.run_sync(agent, sys.argv[1], run_config=RunConfig(call_model_input_filter=shorten)).final_output)
