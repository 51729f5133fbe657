"""An agent that answers one question with one call to its model. It contains no code for recording."""

import json
import os
import sys
import urllib.request

ADDRESS = os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1") + "/chat/completions"
SYSTEM = "You are the support agent of a shop. Answer in one sentence."


def ask(question):
    messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": question}]
    headers = {"authorization": "Bearer " + os.environ["OPENAI_API_KEY"], "content-type": "application/json"}
    body = json.dumps({"model": "gpt-4o", "messages": messages}).encode()
    with urllib.request.urlopen(urllib.request.Request(ADDRESS, body, headers), timeout=60) as answer:
        return json.load(answer)["choices"][0]["message"]["content"]


print(ask(" ".join(sys.argv[1:]) or "When are you open?"))
