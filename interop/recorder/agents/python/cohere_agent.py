"""Cohere's SDK: plain and streamed."""

import cohere
from shared import QUESTION, run


def main():
    client = cohere.ClientV2()
    asked = {"model": "command-a", "messages": [{"role": "user", "content": QUESTION}]}
    print(client.chat(**asked).message.content[0].text)
    events = client.chat_stream(**asked)
    print("".join(event.delta.message.content.text for event in events if event.type == "content-delta"))


run(main)
