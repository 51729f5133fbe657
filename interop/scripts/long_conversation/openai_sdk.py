"""The OpenAI SDK, Responses: several questions of one customer. The provider keeps the history; streamed with `stream`."""

import json
import sys

from openai import OpenAI
from shop import PARAMETERS, TOOLS

api = OpenAI()
tools = [{"type": "function", "name": name, "parameters": schema, "strict": False} for name, schema in PARAMETERS.items()]
last = None


def respond(items):
    global last
    request = {
        "model": "gpt-4.1",
        "instructions": "You help customers of a shop.",
        "input": items,
        "tools": tools,
        "previous_response_id": last,
    }
    if "stream" in sys.argv:
        with api.responses.stream(**{name: value for name, value in request.items() if value}) as stream:
            response = stream.get_final_response()
    else:
        response = api.responses.create(**request)
    last = response.id
    return response


def answer(question):
    response = respond([{"role": "user", "content": question}])
    while calls := [item for item in response.output if item.type == "function_call"]:
        outputs = []
        for call in calls:
            result = json.dumps(TOOLS[call.name](**json.loads(call.arguments)))
            outputs.append({"type": "function_call_output", "call_id": call.call_id, "output": result})
        response = respond(outputs)
    return response.output_text


print(json.dumps([answer(question) for question in json.load(sys.stdin)["questions"]]))
