"""The OpenAI SDK: the conversation, its title and suggested questions, all in parallel."""

import asyncio
import json
import sys

from openai import AsyncOpenAI

api = AsyncOpenAI()
HELP = {"role": "system", "content": "You help customers of a shop."}
QUESTION = {"role": "user", "content": sys.argv[1]}
SUGGEST = {"role": "user", "content": "Suggest two questions as JSON."}


def find_order(id):
    return {"id": id, "total": 60}


def refund_order(id, amount):
    return {"order": id, "refunded": amount}


def described(name, **arguments):
    parameters = {
        "type": "object",
        "properties": {key: {"type": kind} for key, kind in arguments.items()},
        "required": list(arguments),
    }
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


TOOLS = {"find_order": find_order, "refund_order": refund_order}
OFFER = [described("find_order", id="string"), described("refund_order", id="string", amount="number")]


async def ask(messages, **settings):
    answer = await api.chat.completions.create(model="gpt-4.1", messages=messages, **settings)
    return answer.choices[0].message


async def converse():
    messages = [HELP, QUESTION]
    while True:
        message = await ask(messages, tools=OFFER)
        if not message.tool_calls:
            return message.content
        messages.append(message)
        for call in message.tool_calls:
            result = TOOLS[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})


async def title():
    instructions = {"role": "system", "content": "You write titles."}
    return (await ask([instructions, QUESTION])).content


async def questions():
    # The request continues the messages of the conversation.
    message = await ask([HELP, QUESTION, SUGGEST], response_format={"type": "json_object"})
    return json.loads(message.content)["questions"]


async def main():
    said = await asyncio.gather(converse(), title(), questions())
    print(json.dumps(dict(zip(("answer", "title", "questions"), said, strict=True))))


asyncio.run(main())
