"""An agent built on Google's Gen AI SDK. The address and key of its model come from the environment, as in production."""

import json
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "verdict"))

from google import genai
from google.genai import types
from shop import GEMINI_MODEL, INSTRUCTIONS, KNOWN, TOOLS, parameters

STREAM = "--stream" in sys.argv
api = genai.Client()
functions = [
    types.FunctionDeclaration(name=tool.__name__, description=tool.__doc__, parameters_json_schema=parameters(tool))
    for tool in TOOLS
]
config = types.GenerateContentConfig(
    system_instruction=INSTRUCTIONS or None, tools=[types.Tool(function_declarations=functions)] if functions else None
)


def content(message):
    role = "model" if message["role"] == "assistant" else "user"
    return types.Content(role=role, parts=[types.Part(text=message["content"])])


def ask():
    request = {"model": GEMINI_MODEL, "contents": contents, "config": config}
    if not STREAM:
        return api.models.generate_content(**request).candidates[0].content.parts
    chunks = api.models.generate_content_stream(**request)
    return [part for chunk in chunks for part in chunk.candidates[0].content.parts or []]


def run(call):
    try:
        response = {"output": KNOWN[call.name](**call.args)}
    except LookupError as error:
        response = {"error": str(error)}
    return types.Part(function_response=types.FunctionResponse(id=call.id, name=call.name, response=response))


contents = [content(message) for message in json.loads(sys.stdin.readline())["input"]["messages"]]
while True:
    parts = ask()
    contents.append(types.Content(role="model", parts=parts))
    calls = [part.function_call for part in parts if part.function_call]
    if not calls:
        break
    contents.append(types.Content(role="user", parts=[run(call) for call in calls]))
answer = "".join(part.text or "" for part in parts)
print(json.dumps({"type": "final_output", "output": {"answer": answer}}), flush=True)
