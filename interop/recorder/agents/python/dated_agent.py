"""An agent whose requests differ in every run: the date, the working folder, the home folder, and random ids.

`DEADLINE` is a date other than today. It is meaningful, so it must not differ.
"""

import datetime
import json
import os
import uuid

from openai import OpenAI
from shared import QUESTION, run


def main():
    now = datetime.datetime.now()
    session = str(uuid.uuid4())
    told = (
        f"Today is {now:%Y-%m-%d}, a {now:%A}. You work in {os.getcwd()}; notes are in {os.environ['HOME']}/notes.\n"
        f"The deadline is {os.environ.get('DEADLINE', '2031-04-05')}."
    )
    client = OpenAI()
    messages = [{"role": "system", "content": told}, {"role": "user", "content": QUESTION}]
    # Ids in text, in JSON inside a string, and again in the next request.
    asked = {"model": "gpt-4o", "user": session, "metadata": {"state": json.dumps({"session": session})}}
    for _ in range(2):
        answer = client.chat.completions.create(messages=messages, **asked).choices[0].message.content
        print(answer)
        messages += [{"role": "assistant", "content": answer}, {"role": "user", "content": f"And on {session}?"}]


run(main)
