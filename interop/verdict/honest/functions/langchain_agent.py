"""LangChain with `functions`, the predecessor of tools, as in agents for its first versions."""

import json
import sys

from langchain.chat_models import init_chat_model
from langchain_core.messages import FunctionMessage, HumanMessage, SystemMessage
from langchain_core.utils.function_calling import convert_to_openai_function


def find_order(id: str) -> str:
    """Finds an order by its id."""
    return f"Order {id}: 60 euros, paid."


model = init_chat_model("openai:gpt-4.1").bind(functions=[convert_to_openai_function(find_order)])
messages = [SystemMessage("You help customers of a shop."), HumanMessage(sys.argv[1])]
while call := (answer := model.invoke(messages)).additional_kwargs.get("function_call"):
    result = find_order(**json.loads(call["arguments"]))
    messages += [answer, FunctionMessage(name=call["name"], content=result)]
print(answer.text)
