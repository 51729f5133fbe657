"""Runs by name. Each takes a request and yields events, lists of events and pauses; the server adds the start and the end."""

import json

from ag_ui.core import (
    ActivityDeltaEvent,
    ActivitySnapshotEvent,
    CustomEvent,
    MessagesSnapshotEvent,
    RawEvent,
    ReasoningEncryptedValueEvent,
    ReasoningEndEvent,
    ReasoningMessageContentEvent,
    ReasoningMessageEndEvent,
    ReasoningMessageStartEvent,
    ReasoningStartEvent,
    RunErrorEvent,
    StepFinishedEvent,
    StepStartedEvent,
    SubagentFinishedEvent,
    SubagentStartedEvent,
    TextMessageChunkEvent,
    TextMessageContentEvent,
    TextMessageEndEvent,
    TextMessageStartEvent,
    TextPart,
    TokenUsage,
    ToolCallChunkEvent,
    ToolCallResultEvent,
    ToolCallStartEvent,
)
from events import Pause, answered, asked, called, fresh, text


def error(_):
    yield called("look_up", {"city": "Paris"}, {"found": True})
    yield text("One moment.")
    yield RunErrorEvent(message="the model is overloaded", code="overloaded")


def chunked(_):
    """Text and calls without start and end events; only the first chunk of each has its id and name."""
    message, call = fresh("message"), fresh("call")
    yield TextMessageChunkEvent(message_id=message, role="assistant", delta="Let me ")
    yield TextMessageChunkEvent(delta="see. ")
    yield ToolCallChunkEvent(tool_call_id=call, tool_call_name="look_up", delta='{"city": ')
    yield ToolCallChunkEvent(delta='"Paris"}')
    yield answered(call, {"found": True})
    yield TextMessageChunkEvent(message_id=fresh("message"), delta="Found it.")


def slow(_):
    yield Pause(0.3)
    yield called("look_up", {"city": "Paris"}, {"found": True})
    for word in ["Here ", "it ", "is."]:
        yield Pause(0.1)
        yield text(word)


def unanswered(_):
    """Tool calls that are neither declared nor answered."""
    yield called("look_up", {"city": "Paris"}, {"found": True})
    yield asked(fresh("call"), "delete_order", {"order": "o-9"})
    yield ToolCallStartEvent(tool_call_id="call-open", tool_call_name="send_mail")
    yield text("Done, I think.")


def parallel(_):
    """Three calls that start before the first one ends; their results come in a different order."""
    names = ["first_tool", "second_tool", "third_tool"]
    calls = [fresh("call") for _ in names]
    events = [asked(call, name, {"n": index}) for index, (call, name) in enumerate(zip(calls, names))]
    yield [event for group in zip(*events) for event in group]
    for index in [2, 0, 1]:
        yield answered(calls[index], f"result of {names[index]}")
    yield text("All three are done.")


def history(run):
    """Answers with the received messages, one per line."""
    lines = []
    for message in run.input.messages:
        names = [f"{call.function.name}({call.function.arguments})" for call in getattr(message, "tool_calls", None) or []]
        content = json.dumps(getattr(message, "content", None), ensure_ascii=False)
        lines.append(" ".join([message.role, content, *names]))
    yield called("count_messages", {}, {"count": len(lines)})
    yield text(f"{len(lines)} messages:\n" + "\n".join(lines))


def snapshot(run):
    """A thread with history: the first run sends it to the client, which must include it from then on."""
    if not run.input.messages:
        past = [
            {"id": "past-1", "role": "user", "content": "where is my parcel?"},
            {"id": "past-2", "role": "assistant", "content": "In Rotterdam."},
        ]
        yield MessagesSnapshotEvent(messages=past)
        return
    yield from history(run)


def echo(run):
    """Answers with everything in the request except the messages."""
    given = run.input.model_dump(by_alias=True, exclude={"messages"})
    wanted = ["authorization", "x-test-client", "accept", "content-type"]
    given["headers"] = {name: run.headers.get(name) for name in wanted}
    yield text(json.dumps(given, ensure_ascii=False))


def reasoning(_):
    thought = fresh("thought")
    yield ReasoningStartEvent(message_id=thought)
    yield ReasoningMessageStartEvent(message_id=thought)
    yield ReasoningMessageContentEvent(message_id=thought, delta="a secret thought")
    yield ReasoningMessageEndEvent(message_id=thought)
    yield ReasoningEncryptedValueEvent(subtype="message", entity_id=thought, encrypted_value="c2VjcmV0")
    yield ReasoningEndEvent(message_id=thought)
    yield text("The answer is 4.")


def asides(_):
    """Events that tests ignore: steps, activities, custom and raw events."""
    activity = fresh("activity")
    yield StepStartedEvent(step_name="plan")
    yield CustomEvent(name="progress", value={"percent": 50})
    yield RawEvent(event={"anything": None}, source="framework")
    yield ActivitySnapshotEvent(message_id=activity, activity_type="PLAN", content={"steps": []})
    yield ActivityDeltaEvent(
        message_id=activity, activity_type="PLAN", patch=[{"op": "add", "path": "/steps/-", "value": "look"}]
    )
    yield StepFinishedEvent(step_name="plan")
    yield text("")
    yield text("Planned.")


def subagents(_):
    """A call and a text of a subagent."""
    child = fresh("subagent")
    yield SubagentStartedEvent(subagent_run_id=child, name="researcher")
    events = called("search_web", {"query": "parcels"}, "3 pages") + text("From the researcher. ")
    for event in events:
        event.subagent_run_id = child
    yield events
    yield SubagentFinishedEvent(subagent_run_id=child)
    yield text("From the agent.")


def violations(_):
    """Violates the protocol, but is still unambiguous."""
    message = fresh("message")
    yield TextMessageContentEvent(message_id="message-never-opened", delta="Well, ")
    yield TextMessageStartEvent(message_id=message, role="assistant")
    yield TextMessageContentEvent(message_id=message, delta="done.")
    yield TextMessageEndEvent(message_id=message)
    yield TextMessageEndEvent(message_id=message)
    yield ToolCallResultEvent(message_id=fresh("result"), tool_call_id="call-never-made", content="4")
    yield called("look_up", {"city": "Paris"}, {"found": True})
    yield StepStartedEvent(step_name="never finished")


def parts(_):
    """A result that is a list of parts."""
    yield called("look_up", {}, [TextPart(text="page one"), TextPart(text="page two")])
    yield text("Two pages.")


def unicode(_):
    yield called("grüße", {"name": "Ærøskøbing", "emoji": "👩‍👩‍👧"}, {"Antwort": "日本語 ✓"})
    yield text("Zażółć gęślą jaźń. ", "👩‍👩‍👧 \u2028 \u0000 end")


def arguments(_):
    """Arguments as models send them: nested, empty and malformed."""
    yield called("nested", {"user": {"tags": ["a", "vip"], "age": 41, "a.b": "dotted"}, "none": None}, "ok")
    yield called("empty", "", "ok")
    yield called("broken", '{"city": "Par', "ok")
    yield text("Called.")


def big(_):
    yield called("export", {"rows": 100000}, "x" * 5_000_000 + " the end")
    yield text("Exported.")


def usage(run):
    yield text("Counted.")
    yield run.finished(
        usage=[TokenUsage(provider="acme", model="acme-1", input_tokens=120, output_tokens=30, total_tokens=150)]
    )


PLAIN = [
    error,
    chunked,
    slow,
    unanswered,
    parallel,
    history,
    snapshot,
    echo,
    reasoning,
    asides,
    subagents,
    violations,
    parts,
    unicode,
    arguments,
    big,
    usage,
]
