"""Messages: plain, streamed, and with a tool."""

from anthropic import Anthropic
from shared import QUESTION, SCHEMA, get_weather, run

TOOL = {"name": "get_weather", "description": "Tells the weather.", "input_schema": SCHEMA}
ASKED = {"model": "claude-sonnet-4-5", "max_tokens": 100, "system": "You are brief."}


def main():
    client = Anthropic()
    messages = [{"role": "user", "content": QUESTION}]
    print(client.messages.create(messages=messages, **ASKED).content[0].text)

    with client.messages.stream(messages=messages, **ASKED) as stream:
        print("".join(stream.text_stream))

    with client.messages.stream(messages=messages, tools=[TOOL], **ASKED) as stream:
        message = stream.get_final_message()
    call = message.content[0]
    result = {"type": "tool_result", "tool_use_id": call.id, "content": get_weather(**call.input)}
    messages += [{"role": "assistant", "content": message.content}, {"role": "user", "content": [result]}]
    print(client.messages.create(messages=messages, tools=[TOOL], **ASKED).content[0].text)


run(main)
