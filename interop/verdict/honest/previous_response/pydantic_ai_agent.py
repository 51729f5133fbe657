"""pydantic-ai: the provider keeps the history (`openai_previous_response_id: auto`)."""

import sys

from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIResponsesModelSettings

agent = Agent(
    "openai-responses:gpt-4.1",
    instructions="You help customers of a shop.",
    model_settings=OpenAIResponsesModelSettings(openai_previous_response_id="auto"),
)


@agent.tool_plain
def find_order(id: str) -> str:
    """Finds an order by its id."""
    return f"Order {id}: 60 euros, paid."


print(agent.run_sync(sys.argv[1]).output)
