"""LangChain: a model with structured output, without an agent. The second argument is the method."""

import sys

from langchain_openai import ChatOpenAI
from pydantic import BaseModel


class Item(BaseModel):
    name: str
    price: float


class Order(BaseModel):
    """An order."""

    id: str
    items: list[Item]
    total: float
    note: str | None


model = ChatOpenAI(model="gpt-4.1").with_structured_output(Order, method=sys.argv[2])
print(model.invoke([("system", "You extract orders."), ("user", sys.argv[1])]).model_dump_json())
