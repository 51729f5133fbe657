"""Conversations with A2A agents built on the official SDK: every kind of answer, in every binding and version."""

import textwrap
from contextlib import nullcontext

from a2a_suite import A2aSuite, OldShop, Shop, methods, run, said
from harness import main

EVERY = ["rpc", "rest", "tenant", "whole", "restwhole", "old", "oldrest"]

PLAN = """
task:
  state: completed
  artifacts: { min: 3, names: [itinerary, price, ticket], match: ['^Fly to Rome\\.$', '"currency":"EUR"', '/TICKET\\.PDF/i'] }
text: { must_match: '^Fly to Rome\\.$', must_not_match: calendar }
"""


def test_message_response(shop):
    for name in EVERY:
        run(shop.card(name), said("hello there", asserts="text: { must_match: '^You said: hello there$' }")).passed()
        run(shop.card(name), said("hello", asserts="task: { state: completed }")).failed("no task", at="task:")


def test_task_with_artifacts(shop):
    for name in EVERY:
        with A2aSuite(shop.card(name), said("plan a journey", asserts=PLAN)) as suite:
            suite.run().passed()
            seen = suite.trace()
        (output,) = [event for event in seen if event["type"] == "final_output"]
        assert output["output"] == {"currency": "EUR", "total": 420}, output
        if name not in ("whole", "restwhole"):
            assert any(event.get("message") == "looking at the calendar" for event in seen), "what it says at work is kept"


def test_each_task_assertion_can_fail(shop):
    for asserts, reason in [
        ("state: input-required", r"`completed`, expected input-required"),
        ("artifacts: { min: 4 }", "produced 3 artifacts"),
        ("artifacts: { names: [price, hotel] }", "no artifact `hotel`"),
        ("artifacts: { match: Paris }", "Paris"),
    ]:
        outcome = run(shop.card("rpc"), said("plan", asserts=f"task: {{ {asserts} }}"))
        outcome.failed(reason, r"(?i)turn\W+1\b", at=asserts.split(":")[0] + ":")
    run(shop.card("rpc"), said("plan", asserts="task: { state: [input-required, completed] }")).passed()


def test_invalid_task_assertion_is_reported_before_any_request(shop):
    before = len(shop.asked("rpc"))
    for asserts in ["{}", "{ state: done }", "{ artifacts: { match: '(' } }", "{ artefacts: {} }"]:
        outcome = run(shop.card("rpc"), said("plan", asserts=f"task: {asserts}"))
        assert outcome.status == 1 and "flow.test.yaml:" in outcome.shown(), outcome.shown()
    assert len(shop.asked("rpc")) == before


def test_final_message_and_replaced_artifact(shop):
    asserts = "text: { must_match: '^final\\nThe report is ready\\.$', must_not_match: draft }"
    for name in ["rpc", "whole"]:
        run(shop.card(name), said("report", asserts=asserts)).passed()


def test_waiting_task_continues_in_next_turn(shop):
    test = """
    version: "1.1"
    name: flow
    turns:
      - user: book
        assert:
          task: { state: input-required, artifacts: { names: [offer] } }
          text: { must_match: '^An offer\\.\\nTo which city\\?$' }
      - user: city of Rome
        assert: { task: { state: auth-required }, text: { must_match: '^May I charge 42 euros\\?$' } }
      - user: "yes"
        assert:
          task: { state: completed, artifacts: { names: [offer, ticket] } }
          text: { must_match: '^Booked\\.$' }
      - user: hello again
    assert: { task: { state: completed } }
    """
    for name in EVERY:
        before = len(shop.asked(name))
        run(shop.card(name), dedented(test)).passed()
        messages = [entry["body"] for entry in shop.asked(name, before)]
        messages = [body.get("params", body)["message"] for body in messages if body]
        contexts = [message.get("contextId") for message in messages]
        tasks = [message.get("taskId") for message in messages]
        assert contexts[0] is None and len(set(contexts[1:])) == 1 and contexts[1], contexts
        assert tasks[0] is None and tasks[1] and tasks[1:] == [tasks[1], tasks[1], None], tasks
        assert len({message["messageId"] for message in messages}) == 4


def test_failed_rejected_and_canceled_tasks(shop):
    for name in EVERY:
        with A2aSuite(shop.card(name), said("fail", "never said")) as suite:
            suite.run().failed("no flights on that day", "failed", r"(?i)turn\W+1\b")
            assert any("half a plan" in str(event) for event in suite.trace()), "what it made is kept"
        run(shop.card(name), said("reject")).failed("rejected", "sells no weapons")
        run(shop.card(name), said("cancel")).failed("canceled")


def test_context_id_from_suite(shop):
    for name in ["rpc", "rest", "old"]:
        before = len(shop.asked(name))
        run(shop.card(name), said("hello", "hello"), 'contextId: "trip-7"').passed()
        sent = [entry["body"].get("params", entry["body"])["message"] for entry in shop.asked(name, before)]
        assert [message["contextId"] for message in sent] == ["trip-7", "trip-7"], sent


def test_sends_parts_and_metadata(shop):
    test = """
    version: "1.1"
    name: flow
    turns:
      - type: a2a:send
        message: data please
        parts:
          - data: { amount: 17 }
          - { url: "https://example.com/a.pdf", filename: a.pdf, mediaType: application/pdf }
          - { raw: aGVsbG8=, filename: hello.txt }
        metadata: { trace: abc }
        assert:
          text: { must_match: ['"parts":\\["text","data","url","raw"\\]', '"amounts":\\[17(\\.0)?\\]', 'text/markdown'] }
    """
    for name in EVERY:
        before = len(shop.asked(name))
        # For version 0.3 over HTTP+JSON, the SDK decodes the content of files twice.
        sent = without_content(dedented(test)) if name == "oldrest" else dedented(test)
        run(shop.card(name), sent, "acceptedOutputModes: [text/markdown]").passed()
        (sent,) = shop.asked(name, before)
        assert sent["body"].get("params", sent["body"])["message"]["metadata"] == {"trace": "abc"}
    wrong = dedented(test).replace("raw: aGVsbG8=", "bytes: aGVsbG8=")
    run(shop.card("rpc"), wrong).failed("bytes")


def test_continues_task_by_explicit_id(shop):
    with A2aSuite(shop.card("rpc"), said("book")) as suite:
        suite.run().passed()
        (task,) = [event["data"]["task"]["id"] for event in suite.trace() if event.get("level") == "state"]
    test = f"""
    version: "1.1"
    name: flow
    turns:
      - type: a2a:send
        message: "yes"
        taskId: {task}
        assert: {{ task: {{ state: completed, artifacts: {{ names: [offer, ticket] }} }} }}
    """
    run(shop.card("rpc"), dedented(test), "blocking: true").passed()
    gone = dedented(test).replace(task, "no-such-task")
    run(shop.card("rpc"), gone).failed("not found", "TASK_NOT_FOUND|-32001")


def test_uses_expected_methods_for_each_version(shop):
    for name, target, calls in [
        ("rpc", "", ["SendStreamingMessage"]),
        ("rpc", "blocking: true", ["SendMessage"]),
        ("whole", "", ["SendMessage"]),
        ("old", "", ["message/stream"]),
        ("old", "blocking: true", ["message/send"]),
    ]:
        before = len(shop.asked(name))
        run(shop.card(name), said("plan", asserts=PLAN), target).passed()
        asked = shop.asked(name, before)
        assert methods(asked) == calls, asked
        assert {entry["headers"]["a2a-version"] for entry in asked} == {"0.3" if name == "old" else "1.0"}
    before = len(shop.asked("tenant"))
    run(shop.card("tenant"), said("plan"), 'headers: { X-Trip: "7" }').passed()
    (asked,) = shop.asked("tenant", before)
    assert asked["path"] == "/tenant/acme/message:stream" and asked["headers"]["x-trip"] == "7", asked
    assert asked["headers"]["content-type"] == "application/a2a+json"


def test_non_blocking_task_is_polled(shop):
    for name in ["rpc", "rest", "old", "oldrest"]:
        before = len(shop.asked(name))
        asserts = "task: { state: completed }\ntext: { must_match: '^one two$' }"
        run(shop.card(name), said("long", asserts=asserts), "blocking: false").passed()
        asked = shop.asked(name, before)
        assert 3 <= len(asked) <= 10, f"requested for {len(asked)} times"


def test_task_timeout(shop):
    for target in ["", "blocking: true", "blocking: false"]:
        outcome = run(shop.card("rpc"), said("slow"), f"timeout_ms: 700\n{target}")
        outcome.failed(r"did not finish within 700ms", r"(?i)turn\W+1\b")
        assert outcome.report["tests"][0]["duration"] < 5000


def test_interrupted_stream_is_resumed(shop):
    asserts = "task: { state: completed, artifacts: { names: [count] } }\ntext: { must_match: '^one two$' }"
    for name, again in [("cut", "SubscribeToTask"), ("closed", "SubscribeToTask"), ("cutold", "tasks/resubscribe")]:
        before = len(shop.asked(name))
        run(shop.card(name), said("long", asserts=asserts)).passed()
        assert methods(shop.asked(name, before))[1:] == [again]
    run(shop.card("cutrest"), said("long", asserts=asserts)).passed()
    before = len(shop.asked("lost"))
    run(shop.card("lost"), said("long", asserts=asserts)).passed()
    assert methods(shop.asked("lost", before))[1:3] == ["SubscribeToTask", "GetTask"]
    with A2aSuite(shop.card("closed"), said("long")) as suite:
        assert "ended while the task was working" in suite.run().passed().suite.artifacts(), "it is told all the same"


def test_agent_without_card(shop):
    for asserts, words in [(PLAN, "plan"), ("text: { must_match: hello }", "hello")]:
        run(f'endpoint: "{shop.url}/rpc/"', said(words, asserts=asserts)).passed()
    before = len(shop.asked("old"))
    with OldShop() as old:
        run(f'endpoint: "{old.url}/"', said("plan", "plan", asserts="task: { state: completed }")).passed()
    assert len(shop.asked("old")) == before


def test_agent_with_previous_protocol_version(_):
    with OldShop() as old:
        found = f'agentCardUrl: "{old.url}/.well-known/agent-card.json"'
        for target in ["", "blocking: true", "blocking: false"]:
            run(found, said("hello", asserts="text: { must_match: '^You said: hello$' }"), target).passed()
            run(found, said("book", "plan", asserts="text: { must_match: '^Fly to Rome\\.$' }"), target).passed()
            artifacts = "task: { state: completed, artifacts: { names: [itinerary, price] } }"
            run(found, said("plan", asserts=artifacts), target).passed()
            run(found, said("fail"), target).failed("no flights on that day")


def test_agent_card_inlined_in_suite(shop):
    interface = f'{{ url: "{shop.url}/rest/", protocolBinding: HTTP+JSON, protocolVersion: "1.0" }}'
    found = f"agentCard: {{ name: x, supportedInterfaces: [{interface}], capabilities: {{ streaming: true }} }}"
    before = len(shop.asked("rest"))
    run(found, said("plan", asserts=PLAN)).passed()
    assert [entry["path"] for entry in shop.asked("rest", before)] == ["/rest/message:stream"]


def test_unusable_agent_cards_are_reported(shop):
    run(shop.card("grpc"), said("hello")).failed("no supported interface", "GRPC 1.0")
    run(f'agentCardUrl: "{shop.url}/none/card.json"', said("hello")).failed("agent card", "404")
    run(f'agentCardUrl: "{shop.url}/rest/tasks"', said("hello")).failed("agent card")
    run('agentCardUrl: "http://127.0.0.1:9/card.json"', said("hello")).failed("127.0.0.1:9", "refused")
    run('endpoint: "http://127.0.0.1:9/"', said("hello")).failed("127.0.0.1:9", "refused")


def test_agent_errors_are_reported(shop):
    # For version 0.3 over HTTP+JSON, the SDK cuts the stream instead of reporting an error.
    for name in EVERY[:-1]:
        run(shop.card(name), said("refuse")).failed("reads no such thing")
        run(shop.card(name), said("crash")).failed("oven is on fire|unknown exception|(?i:error)")


def test_invalid_responses_are_reported(shop):
    for words, reason in [
        ("html", "not JSON.*Welcome"),
        ("http500", "500.*|database is on fire"),
        ("nothing", "without a single item"),
        ("neither", "neither `result` nor `error`"),
        ("strange", "weather"),
        ("garbled", "not JSON"),
        ("item", "out of paper"),
    ]:
        run(shop.card("mute"), said(words)).failed(reason, r"(?i)turn\W+1\b")


def without_content(test):
    lines = [line.replace(',"raw"', "") for line in test.splitlines() if "raw:" not in line]
    return "\n".join(lines) + "\n"


def dedented(test):
    return textwrap.dedent(test).lstrip("\n")


with Shop() as shop:
    main(globals(), lambda: nullcontext(shop))
