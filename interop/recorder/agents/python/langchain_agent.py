"""LangChain with the provider in the argument: streamed, and an agent with a tool."""

import sys

from langchain.agents import create_agent
from langchain.chat_models import init_chat_model
from shared import QUESTION, get_weather, run

MODELS = {"openai": "openai:gpt-4o", "anthropic": "anthropic:claude-sonnet-4-5"}


def main():
    model = init_chat_model(MODELS[sys.argv[1]])
    print("".join(chunk.text for chunk in model.stream(QUESTION)))
    agent = create_agent(model, tools=[get_weather], system_prompt="You are brief.")
    print(agent.invoke({"messages": [{"role": "user", "content": QUESTION}]})["messages"][-1].text)


run(main)
