"""LangChain: a middleware answers before the model is called."""

import sys

from langchain.agents import create_agent
from langchain.agents.middleware import before_model
from langchain.messages import AIMessage


@before_model(can_jump_to=["end"])
def about_orders(state, runtime):
    if "order" not in state["messages"][-1].text:
        return {"messages": [AIMessage("I can only help with orders.")], "jump_to": "end"}
    return None


agent = create_agent("openai:gpt-4o", tools=[], middleware=[about_orders])
print(agent.invoke({"messages": [{"role": "user", "content": sys.argv[1]}]})["messages"][-1].text)
