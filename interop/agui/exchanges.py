"""Runs that need something from the client in the next request: a tool result, the answer to an interrupt, the state."""

import json

from ag_ui.core import (
    Interrupt,
    RunFinishedInterruptOutcome,
    RunFinishedSuccessOutcome,
    StateDeltaEvent,
    StateSnapshotEvent,
)
from events import asked, called, fresh, refused, text

TOOL = "confirm_payment"


def frontend(run):
    """Calls the client's tool `confirm_payment`. With `?pending=no` the run does not list the call as pending,
    with `?mixed=yes` it also calls a server-side tool, with `?rounds=2` it calls the client's tool twice."""
    if TOOL not in [tool.name for tool in run.input.tools or []]:
        yield refused(f"the client did not declare `{TOOL}`")
        return
    asked_for = run.thread.setdefault("asked", [])
    answers = {message.tool_call_id: message.content for message in run.input.messages if message.role == "tool"}
    made = [call.id for message in run.input.messages for call in getattr(message, "tool_calls", None) or []]
    for call in asked_for:
        if call not in made:
            yield refused(f"no message of the assistant has the call {call}")
            return
        if call not in answers:
            yield refused(f"no message has the answer to {call}")
            return
    if len(asked_for) == int(run.query.get("rounds", "1")):
        yield text("The client said: " + ", then ".join(answers[call] for call in asked_for))
        asked_for.clear()
        return
    call = fresh("call")
    asked_for.append(call)
    if run.query.get("mixed"):
        yield called("calculate_total", {}, {"total": 42.5})
    yield asked(call, TOOL, {"amount": 42.5})
    pending = None if run.query.get("pending") == "no" else [call]
    yield run.finished(outcome=RunFinishedSuccessOutcome(pending_tool_call_ids=pending))


def interrupt(run):
    """Asks for approval with an interrupt before it continues; with `?count=2` with two interrupts at once."""
    open_ones = run.thread.setdefault("interrupts", [])
    if not open_ones:
        if run.input.resume:
            yield refused("nothing is interrupted, and yet something is resumed")
            return
        open_ones.extend(f"approve-{number + 1}" for number in range(int(run.query.get("count", "1"))))
        yield called("prepare_refund", {"amount": 20}, {"ready": True})
        interrupts = [
            Interrupt(
                id=name,
                reason="approval",
                message="May I refund 20 euros?",
                response_schema={"type": "object", "properties": {"approved": {"type": "boolean"}}},
            )
            for name in open_ones
        ]
        yield run.finished(outcome=RunFinishedInterruptOutcome(interrupts=interrupts))
        return
    resumed = {entry.interrupt_id: entry for entry in run.input.resume or []}
    missing = [name for name in open_ones if name not in resumed]
    if missing:
        yield refused(f"still interrupted: {', '.join(missing)}")
        return
    open_ones.clear()
    for name, entry in resumed.items():
        yield text(f"{name} {entry.status} {json.dumps(entry.payload)}. ")


def state(run):
    """Changes the state and checks that the next turn sends it back. With `?patch=bad` a patch does not apply."""
    wanted = run.thread.get("state")
    if wanted is None:
        yield text(f"It began with {json.dumps(run.input.state)}. ")
    elif run.input.state == wanted:
        yield text("The state was kept. ")
    else:
        yield text(f"The state was lost: {json.dumps(run.input.state)}. ")
    if wanted is None:
        yield StateSnapshotEvent(snapshot={"cart": ["book"], "step": 1, "a/b": None})
    path = "/nowhere/at/all" if run.query.get("patch") == "bad" else "/step"
    yield StateDeltaEvent(
        delta=[
            {"op": "add", "path": "/cart/-", "value": "pen"},
            {"op": "replace", "path": path, "value": run.turn() + 1},
            {"op": "add", "path": "/a~1b", "value": {"deep": [1, 2]}},
        ]
    )
    run.thread["state"] = {"cart": ["book"] + ["pen"] * run.turn(), "step": run.turn() + 1, "a/b": {"deep": [1, 2]}}


EXCHANGES = [frontend, interrupt, state]
