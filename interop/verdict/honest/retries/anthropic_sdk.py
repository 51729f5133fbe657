"""The Anthropic SDK retries automatically when the provider is busy."""

import sys

from anthropic import Anthropic

messages = [{"role": "user", "content": sys.argv[1]}]
message = Anthropic().messages.create(model="claude-sonnet-4-5", max_tokens=500, messages=messages)
print(message.content[0].text)
