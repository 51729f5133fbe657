"""The OpenAI SDK retries automatically when the provider is busy."""

import sys

from openai import OpenAI

if sys.argv[2] == "chat":
    messages = [{"role": "user", "content": sys.argv[1]}]
    print(OpenAI().chat.completions.create(model="gpt-4.1", messages=messages).choices[0].message.content)
else:
    print(OpenAI().responses.create(model="gpt-4.1", input=sys.argv[1]).output_text)
