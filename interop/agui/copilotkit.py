"""A single route, as in CopilotKit: the method and the agent's name are in an envelope around the input."""

from typing import Literal

from ag_ui.core import MessagesSnapshotEvent, RunAgentInput
from ag_ui.encoder import EventEncoder
from events import Run, fresh, text
from pydantic import BaseModel, ValidationError
from starlette.responses import JSONResponse, StreamingResponse
from streams import encoded

REJECTED = {}
PASTS = {}


class Parameters(BaseModel):
    agentId: str


class Envelope(BaseModel):
    method: Literal["agent/run", "agent/connect"]
    params: Parameters
    body: RunAgentInput


def copilotkit(body):
    try:
        envelope = Envelope.model_validate_json(body)
    except ValidationError as error:
        plain = any(problem["type"] == "missing" and problem["loc"] == ("method",) for problem in error.errors())
        if plain:
            thread = RunAgentInput.model_validate_json(body).thread_id
            REJECTED[thread] = REJECTED.get(thread, 0) + 1
            return JSONResponse({"error": "invalid_request", "message": "Missing method field"}, status_code=400)
        return JSONResponse({"error": "invalid_request", "message": str(error)}, status_code=400)
    run = Run(envelope.body)
    answer = _connect if envelope.method == "agent/connect" else _run
    events = answer(run, envelope.params.agentId)
    return StreamingResponse(iter([encoded(events)]), media_type=EventEncoder().get_content_type())


def _run(run, agent):
    thread = run.input.thread_id
    said = run.input.messages[-1].content
    answer = f"{agent} heard {said!r} after {REJECTED.get(thread, 0)} refusals."
    past = PASTS.setdefault(thread, [])
    past.append({"id": fresh("past"), "role": "user", "content": said})
    past.append({"id": fresh("past"), "role": "assistant", "content": answer})
    return [run.started(), *text(answer), run.finished()]


def _connect(run, agent):
    past = PASTS.get(run.input.thread_id, [])
    return [
        run.started(),
        MessagesSnapshotEvent(messages=past),
        *text(f"{agent} is connected, {len(past)} messages so far."),
        run.finished(),
    ]
