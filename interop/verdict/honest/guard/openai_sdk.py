"""The OpenAI SDK: a moderation of the question, and an answer without the model."""

import sys

from openai import OpenAI

api = OpenAI()
if "order" in sys.argv[1]:
    answer = api.responses.create(model="gpt-4.1", input=sys.argv[1]).output_text
else:
    answer = "I can only help with orders."
print(answer)
