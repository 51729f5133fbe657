"""LiteLLM with the provider in the argument: plain, streamed and asynchronous."""

import sys

import litellm
from shared import QUESTION, run

MODELS = {
    "openai": "openai/gpt-4o",
    "anthropic": "anthropic/claude-sonnet-4-5",
    "gemini": "gemini/gemini-2.5-flash",
    "mistral": "mistral/mistral-small-latest",
}


async def main():
    asked = {"model": MODELS[sys.argv[1]], "messages": [{"role": "user", "content": QUESTION}]}
    print(litellm.completion(**asked).choices[0].message.content)
    chunks = litellm.completion(stream=True, **asked)
    print("".join(chunk.choices[0].delta.content or "" for chunk in chunks))
    print((await litellm.acompletion(**asked)).choices[0].message.content)


run(main)
