"""The OpenAI SDK: `chat.completions.parse`, streamed with `stream`, or plain JSON with `json`."""

import sys

from openai import OpenAI, pydantic_function_tool
from pydantic import BaseModel


class Item(BaseModel):
    name: str
    price: float


class Order(BaseModel):
    """An order."""

    id: str
    items: list[Item]
    note: str | None = None


class find_order(BaseModel):
    """Finds an order by its id."""

    id: str


form = {"type": "json_object"} if "json" in sys.argv else Order
api = OpenAI()
request = {"model": "gpt-4.1", "tools": [pydantic_function_tool(find_order)], "response_format": form}
messages = [
    {"role": "developer", "content": "You help customers of a shop. Answer in JSON."},
    {"role": "user", "content": sys.argv[1]},
]
while True:
    if "stream" in sys.argv:
        with api.chat.completions.stream(**request, messages=messages) as stream:
            message = stream.until_done().get_final_completion().choices[0].message
    elif "json" in sys.argv:
        message = api.chat.completions.create(**request, messages=messages).choices[0].message
    else:
        message = api.chat.completions.parse(**request, messages=messages).choices[0].message
    messages.append(message)
    if not message.tool_calls:
        break
    for call in message.tool_calls:
        messages.append({"role": "tool", "tool_call_id": call.id, "content": "one lamp for 60 euros"})
print(Order.model_validate_json(message.content).model_dump_json())
