"""pydantic-ai: a history processor that sends the model only a summary and the last call."""

import sys

from pydantic_ai import Agent
from pydantic_ai.capabilities import ProcessHistory
from pydantic_ai.messages import ModelRequest


def shorten(messages):
    if len(messages) <= 3:
        return messages
    summary = f"{sys.argv[1]} Earlier results: {messages[2].parts[0].content}"
    return [ModelRequest.user_text_prompt(summary), *messages[-2:]]


agent = Agent(
    "openai-chat:gpt-4.1", instructions="You help customers of a shop.", capabilities=[ProcessHistory(shorten)]
)


@agent.tool_plain
def find_order(id: str) -> str:
    """Finds an order by its id."""
    return f"Order {id}: 60 euros, paid."


print(agent.run_sync(sys.argv[1]).output)
