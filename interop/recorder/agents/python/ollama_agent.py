"""Ollama's SDK, with a remote server: plain and streamed."""

import ollama
from shared import QUESTION, run


def main():
    client = ollama.Client("https://ollama.example")
    asked = {"model": "llama3.2", "messages": [{"role": "user", "content": QUESTION}]}
    print(client.chat(**asked).message.content)
    print("".join(chunk.message.content for chunk in client.chat(stream=True, **asked)))


run(main)
