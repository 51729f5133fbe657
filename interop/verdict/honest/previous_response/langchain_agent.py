"""LangChain: the provider keeps the history (`use_previous_response_id`)."""

import sys

from langchain.agents import create_agent
from langchain.tools import tool
from langchain_openai import ChatOpenAI


@tool
def find_order(id: str) -> str:
    """Finds an order by its id."""
    return f"Order {id}: 60 euros, paid."


model = ChatOpenAI(model="gpt-4.1", use_responses_api=True, use_previous_response_id=True)
agent = create_agent(model, tools=[find_order], system_prompt="You help customers of a shop.")
print(agent.invoke({"messages": [{"role": "user", "content": sys.argv[1]}]})["messages"][-1].text)
