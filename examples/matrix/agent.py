"""Asks a model one question: agent.py MODEL PROMPT_FILE < question"""

import json
import os
import sys
import urllib.request

model, prompt = sys.argv[1:]
with open(prompt) as file:
    system = file.read()
messages = [{"role": "system", "content": system}, {"role": "user", "content": sys.stdin.read().strip()}]
request = urllib.request.Request(
    os.environ["OPENAI_BASE_URL"] + "/chat/completions",
    json.dumps({"model": model, "messages": messages}).encode(),
    {"content-type": "application/json", "authorization": "Bearer " + os.environ["OPENAI_API_KEY"]},
)
with urllib.request.urlopen(request, timeout=10) as answer:
    print(json.load(answer)["choices"][0]["message"]["content"])
