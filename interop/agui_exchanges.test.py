"""Data that is carried from run to run: history, results of client-side tools, interrupts, state, thread."""

import sys
from contextlib import nullcontext

from conversation import Suite, run, turns
from harness import FOLDER, Agent, main

TOOL = """\
tools:
  - name: confirm_payment
    description: Asks the customer
    parameters: { type: object, properties: { amount: { type: number } } }
    reply: { confirmed: true }
"""


def test_history_is_sent_with_each_turn(agent):
    asserts = """
    text:
      must_match:
        - "^(\\\\d+) messages:"
        - '(?m)^user "first"$'
        - '(?m)^assistant .*count_messages'
        - '(?m)^tool .*count'
        - '(?m)^assistant "1 messages:'
        - '(?m)^user "second"$'
    """
    run(f"{agent.url}/history", turns("first", "second", asserts=asserts)).passed()
    run(f"{agent.url}/history", turns("first", asserts="text: { must_match: ^1 messages }")).passed()


def test_calls_without_result(agent):
    endpoint = f"{agent.url}/unanswered"
    seen = """
    tools:
      require:
        - name: delete_order
          args_match: { order: o-9 }
          result_not_match: anything
        - name: send_mail
    """
    run(endpoint, turns("go", asserts=seen)).passed()
    run(endpoint, turns("go", asserts="tools: { forbid: [delete_order] }")).failed("delete_order", at="delete_order")
    unmet = "tools: { require: [{ name: delete_order, result_match: . }] }"
    run(endpoint, turns("go", asserts=unmet)).failed("delete_order", at="delete_order")


def test_parallel_calls(agent):
    endpoint = f"{agent.url}/parallel"
    asserts = """
    tools:
      require:
        - { name: first_tool, args_match: { n: ^0$ }, result_match: result of first_tool }
        - { name: second_tool, args_match: { n: ^1$ }, result_match: result of second_tool, after: first_tool }
        - { name: third_tool, args_match: { n: ^2$ }, result_match: result of third_tool, after: second_tool }
    """
    run(endpoint, turns("go", asserts=asserts)).passed()
    wrong = "tools: { require: [{ name: first_tool, after: third_tool }] }"
    run(endpoint, turns("go", asserts=wrong)).failed("first_tool", "third_tool", at="third_tool")


def test_client_tool(agent):
    asserts = """
    tools:
      require:
        - { name: confirm_payment, count: { exact: 1 }, args_match: { amount: ^42\\.5$ }, result_match: confirmed }
    text: { must_match: 'The client said: .*"confirmed": ?true' }
    """
    for path in ["frontend", "frontend?pending=no"]:
        before = len(agent.journal())
        run(f"{agent.url}/{path}", turns("pay", asserts=asserts), TOOL).passed()
        first, second = agent.journal()[before:]
        assert first["threadId"] == second["threadId"] and first["runId"] != second["runId"]
        assert [tool["name"] for tool in first["tools"]] == ["confirm_payment"]
        assert [message["role"] for message in second["messages"]] == ["user", "assistant", "tool"]


def test_client_and_server_tools_in_one_turn(agent):
    asserts = """
    tools: { require: [{ name: calculate_total }, { name: confirm_payment, after: calculate_total }] }
    text: { must_match: The client said }
    """
    run(f"{agent.url}/frontend?mixed=yes", turns("pay", asserts=asserts), TOOL).passed()


def test_client_tool_called_repeatedly_in_two_turns(agent):
    asserts = """
    tools: { require: [{ name: confirm_payment, count: { exact: 2 } }] }
    text: { must_match: 'true.*, then .*true' }
    """
    whole = "tools: { require: [{ name: confirm_payment, count: { exact: 4 } }] }"
    run(f"{agent.url}/frontend?rounds=2", turns("pay", "again", asserts=asserts, test=whole), TOOL).passed()


def test_undeclared_client_tool_is_refused(agent):
    run(f"{agent.url}/frontend", turns("pay")).failed("did not declare `confirm_payment`")


def test_endless_client_tool_calls_are_stopped(agent):
    test = turns("pay")
    run(f"{agent.url}/frontend?rounds=1000000", test, "timeout_ms: 5000\n" + TOOL).failed("confirm_payment|limit|runs|time")


def resumes(*lines):
    return turns("refund 20 euros") + "".join(f"  {line}\n" for line in lines)


def test_resumes_interrupt(agent):
    test = resumes(
        "- type: agui:resume",
        "  payload: { approved: true }",
        "  assert: { text: { must_match: '^approve-1 resolved \\{\"approved\": true\\}' } }",
    )
    run(f"{agent.url}/interrupt", test).passed()


def test_resumes_several_interrupts_by_name(agent):
    test = resumes(
        "- type: agui:resume",
        "  resume:",
        "    approve-1: { status: resolved, payload: { approved: true } }",
        "    approve-2: { status: cancelled }",
        "  assert: { text: { must_match: ['approve-1 resolved', 'approve-2 cancelled'] } }",
    )
    run(f"{agent.url}/interrupt?count=2", test).passed()
    both = resumes(
        "- type: agui:resume",
        "  status: cancelled",
        "  assert: { text: { must_match: 'approve-1 cancelled.* approve-2 cancelled' } }",
    )
    run(f"{agent.url}/interrupt?count=2", both).passed()


def test_unresumed_interrupts_are_reported(agent):
    run(f"{agent.url}/interrupt", turns("refund", "and now?")).failed("approve-1")
    some = resumes("- type: agui:resume", "  resume: { approve-1: { status: resolved } }")
    run(f"{agent.url}/interrupt?count=2", some).failed("approve-2")
    wrong = resumes("- type: agui:resume", "  resume: { approve-7: { status: resolved } }")
    run(f"{agent.url}/interrupt", wrong).failed("approve-7|approve-1")
    nothing = turns("hello") + "  - type: agui:resume\n    payload: yes\n"
    run(f"{agent.url}/history", nothing).failed("(?i)interrupt")


def test_state_is_kept_across_turns(agent):
    began = """
    version: "1.0"
    name: flow
    turns:
      - user: a
        assert: { text: { must_match: 'It began with \\{"basket": "b-1"\\}' } }
      - user: b
        assert: { text: { must_match: The state was kept } }
      - user: c
        assert: { text: { must_match: The state was kept } }
    """
    test = "\n".join(line[4:] for line in began.splitlines()[1:])
    run(f"{agent.url}/state", test, 'state: { basket: "b-1" }').passed()


def test_invalid_state_patch_is_reported(agent):
    run(f"{agent.url}/state?patch=bad", turns("a"), "protocol: fail").failed("/nowhere/at/all")


def test_connects_to_thread_with_history(agent):
    asserts = """
    text: { must_match: ['^3 messages', 'user "where is my parcel', 'assistant "In Rotterdam', 'user "thanks"'] }
    """
    test = turns("thanks", asserts=asserts).replace("turns:\n", "turns:\n  - type: agui:connect\n")
    run(f"{agent.url}/snapshot", test, "threadId: parcel-17").passed()


def test_sends_thread_headers_and_forwarded_props(agent):
    target = """
    threadId: "thread-${ENV.PARCEL}"
    headers: { Authorization: "Bearer ${ENV.SHOP_TOKEN}", X-Test-Client: agentci }
    forwardedProps: { tenant: "acme" }
    """
    asserts = """
    text:
      must_match:
        - '"threadId": "thread-17"'
        - '"protocolVersion": "1.0"'
        - '"forwardedProps": \\{"tenant": "acme"\\}'
        - '"authorization": "Bearer tok-4f9a77c1d2e8"'
        - '"x-test-client": "agentci"'
        - '"accept": "text/event-stream"'
        - '"content-type": "application/json'
        - '"tools": \\[\\], "context": \\[\\]'
    """
    environment = {"PARCEL": "17", "SHOP_TOKEN": "tok-4f9a77c1d2e8"}
    with Suite(f"{agent.url}/echo", turns("hello", asserts=asserts), target) as suite:
        outcome = suite.run("--mode", "live", environment=environment).passed()
        assert "[REDACTED]" in suite.artifacts() and "4f9a77c1d2e8" not in suite.artifacts() + outcome.shown()
    unset = run(f"{agent.url}/echo", turns("hello"), target, environment={"PARCEL": "17"})
    assert unset.status == 1 and "SHOP_TOKEN" in unset.shown(), unset.shown()


def test_copilotkit_single_route(agent):
    said = "text: { must_match: \"^shop heard 'again' after 1 refusals\" }"
    run(f"{agent.url}/copilotkit", turns("hello", "again", asserts=said)).passed()
    said = said.replace("1 refusals", "0 refusals")
    run(f"{agent.url}/copilotkit", turns("hello", "again", asserts=said), "wire: copilotkit").passed()
    run(f"{agent.url}/copilotkit", turns("hello"), "wire: agui").failed("400", "(?i)method")
    run(f"{agent.url}/history", turns("hello"), "wire: copilotkit").failed("422")


def test_copilotkit_single_route_connect(agent):
    test = turns("hello") + "  - type: agui:connect\n    assert: { text: { must_match: 'shop is connected, 2 messages' } }\n"
    run(f"{agent.url}/copilotkit", test).passed()


with Agent(sys.executable, FOLDER / "agui" / "server.py") as agent:
    main(globals(), lambda: nullcontext(agent))
