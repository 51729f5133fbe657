"""An agent built on pydantic-ai and Anthropic's Messages. It reads its task and writes its result as lines of JSON."""

import functools
import json
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

from pydantic_ai import Agent, ModelRequest, ModelResponse, ModelRetry, TextPart
from shop import ANTHROPIC_MODEL, INSTRUCTIONS, TOOLS


def explained(tool):
    """Wraps a tool so that errors are reported to the model, which may retry."""

    @functools.wraps(tool)
    def run(*args, **kwargs):
        try:
            return tool(*args, **kwargs)
        except LookupError as error:
            raise ModelRetry(str(error)) from error

    return run


def message(said):
    if said["role"] == "user":
        return ModelRequest.user_text_prompt(said["content"])
    return ModelResponse([TextPart(said["content"])])


agent = Agent(
    f"anthropic:{ANTHROPIC_MODEL}",
    instructions=INSTRUCTIONS,
    tools=[explained(tool) for tool in TOOLS],
)
*history, question = json.loads(sys.stdin.readline())["input"]["messages"]
run = agent.run_sync(question["content"], message_history=[message(said) for said in history])
print(json.dumps({"type": "final_output", "output": {"answer": run.output}}), flush=True)
