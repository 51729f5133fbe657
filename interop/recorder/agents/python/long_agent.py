"""A conversation of many turns with a prompt of 126 KB, as in coding agents. The first argument is the number of turns."""

import json
import os
import random
import sys
import urllib.request

from shared import run

WORDS = "order refund parcel customer shop invoice euro address return delivery warehouse label".split()


def text(size, seed):
    """Pseudo-random words, the same in every run."""
    chosen = random.Random(seed)
    words = []
    while sum(map(len, words)) + len(words) < size:
        words.append(chosen.choice(WORDS) + str(chosen.randrange(1000)))
    return " ".join(words)


def ask(messages):
    body = json.dumps({"model": "gpt-4o", "messages": messages}).encode()
    headers = {"authorization": f"Bearer {os.environ['OPENAI_API_KEY']}", "content-type": "application/json"}
    request = urllib.request.Request("https://api.openai.com/v1/chat/completions", body, headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)["choices"][0]["message"]


def main():
    messages = [{"role": "system", "content": text(126_000, 0)}]
    for turn in range(1, int(sys.argv[1]) + 1):
        messages.append({"role": "user", "content": text(400, turn)})
        answer = ask(messages)
        messages.append({"role": "assistant", "content": answer["content"]})
        print(answer["content"][:13])


run(main)
