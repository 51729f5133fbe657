"""The Anthropic SDK: several calls at once, whose results are sent in a different order, by its tool runner or by hand."""

import sys

from anthropic import Anthropic, beta_tool

api = Anthropic()


@beta_tool
def find_order(id: str) -> str:
    """Finds an order by its id."""
    return '{"id": "%s", "total": 60}' % id


@beta_tool
def now() -> str:
    """The time."""
    return ""


request = {"model": "claude-sonnet-4-5", "max_tokens": 500, "system": "You help customers of a shop."}
messages = [{"role": "user", "content": sys.argv[1]}]
if "runner" in sys.argv:
    message = api.beta.messages.tool_runner(**request, tools=[find_order, now], messages=messages).until_done()
else:
    tools = {tool.name: tool for tool in (find_order, now)}
    offer = [tool.to_dict() for tool in tools.values()]
    while True:
        message = api.messages.create(**request, tools=offer, messages=messages)
        messages.append({"role": "assistant", "content": message.content})
        results = [
            {"type": "tool_result", "tool_use_id": block.id, "content": tools[block.name].call(block.input)}
            for block in reversed(message.content)
            if block.type == "tool_use"
        ]
        if not results:
            break
        # Results come first in a message; text may follow.
        messages.append({"role": "user", "content": [*results, {"type": "text", "text": "Be brief."}]})
print("".join(block.text for block in message.content if block.type == "text"))
