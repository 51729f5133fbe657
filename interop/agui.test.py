"""A complete conversation with an AG-UI server; then each of its assertions is made to fail in turn."""

import sys
from contextlib import nullcontext

from conversation import Suite, run, turns
from harness import FOLDER, Agent, main

CHECKOUT = """\
version: "1.0"

name: checkout flow

hooks:
  - cmd: ["sh", "-c", "echo '{\\"CART\\": \\"c-17\\"}'"]
    timeout_ms: 10000

turns:
  - user: "I want to check out cart ${CART}"
    assert:
      tools:
        require:
          - name: validate_cart
          - name: get_shipping_options
            after: validate_cart
      timing:
        max_duration_ms: 30000

  - user: "Use the first shipping option"
    assert:
      tools:
        require:
          - name: calculate_total
            result_not_match: "error|failed"

  - user: "Confirm and pay"
    assert:
      tools:
        require:
          - name: charge_card
            count: { exact: 1 }
        forbid_calls:
          - name: charge_card # forbidden
            result_match: "declined|insufficient"
      timing:
        max_idle_ms: false

assert:
  tools:
    forbid:
      - delete_order
  timing:
    max_duration_ms: 120000
    max_idle_ms: 60000
  text:
    must_not_match:
      - "error"
      - "failed"
"""

TARGET = """\
timeout_ms: 20000
headers:
  X-Test-Client: "agentci"
assert:
  timing:
    max_duration_ms: 60000
    max_idle_ms: 10000
  text:
    must_not_match: ["exception", "fatal"]
"""


def checkout(agent, broken="", test=CHECKOUT, target=TARGET):
    return run(f"{agent.url}/checkout?break={broken}", test, target)


def changed(old, new):
    assert CHECKOUT.count(old) == 1, old
    return CHECKOUT.replace(old, new)


def test_all_assertions_pass(agent):
    before = len(agent.journal())
    checkout(agent).passed()
    asked = agent.journal()[before:]
    assert [len(request["messages"]) for request in asked] == sorted({len(request["messages"]) for request in asked})
    assert len(asked) == 3 and len({request["threadId"] for request in asked}) == 1
    assert len({request["runId"] for request in asked}) == 3
    assert asked[0]["messages"][-1]["content"] == "I want to check out cart c-17"


def test_required_tool_is_missing(agent):
    before = len(agent.journal())
    outcome = checkout(agent, "missing")
    outcome.failed("validate_cart", r"(?i)turn\W+1\b", at=["- name: validate_cart$"])
    assert len(agent.journal()) - before == 1, "a turn that failed ends the test"


def test_tool_called_too_early(agent):
    outcome = checkout(agent, "order")
    lines = ["- name: get_shipping_options", "after: validate_cart"]
    outcome.failed("get_shipping_options", "validate_cart", r"(?i)turn\W+1\b", at=lines)


def test_turn_exceeds_max_duration(agent):
    test = changed("max_duration_ms: 30000", "max_duration_ms: 1100")
    outcome = checkout(agent, "slow", test)
    outcome.failed(r"1100|1\.1", r"(?i)turn\W+1\b", at="max_duration_ms: 1100")


def test_tool_result_is_an_error(agent):
    outcome = checkout(agent, "total")
    outcome.failed(
        "calculate_total", r"error\|failed", r"(?i)turn\W+2\b", at=["- name: calculate_total", "result_not_match:"]
    )


def test_required_tool_is_missing_in_second_turn(agent):
    checkout(agent, "nototal").failed("calculate_total", r"(?i)turn\W+2\b", at="- name: calculate_total")


def test_tool_called_too_often(agent):
    outcome = checkout(agent, "twice")
    outcome.failed("charge_card", r"\b2\b|twice", r"(?i)turn\W+3\b", at=["- name: charge_card$", "count: { exact: 1 }"])


def test_tool_called_too_rarely(agent):
    outcome = checkout(agent, "nocharge")
    outcome.failed("charge_card", r"(?i)turn\W+3\b", at=["- name: charge_card$", "count: { exact: 1 }"])


def test_forbidden_tool_result(agent):
    outcome = checkout(agent, "declined")
    outcome.failed(
        "charge_card",
        r"declined\|insufficient",
        r"(?i)turn\W+3\b",
        at=["- name: charge_card # forbidden", "result_match:"],
    )


def test_forbidden_tool_call(agent):
    checkout(agent, "delete").failed("delete_order", at=["- delete_order", "forbid:$"])


def test_forbidden_text(agent):
    checkout(agent, "text").failed("error", at=['- "error"', "must_not_match:"])
    checkout(agent, "failed").failed("failed", at=['- "failed"', "must_not_match:"])


def test_text_forbidden_by_target(agent):
    target = TARGET.replace('"fatal"', '"42\\\\.50 euros"')
    outcome = checkout(agent, target=target).failed(r"42\\+\.50", r"ananke\.config\.yaml:\d+")
    outcome.without("calculate_total")


def test_whole_test_exceeds_max_duration(agent):
    test = changed("max_duration_ms: 120000", "max_duration_ms: 1100")
    outcome = checkout(agent, "long", test).failed(r"1100|1\.1", at="max_duration_ms: 1100")
    outcome.without(r"(?i)turn\W+[123]\b")


def test_turn_exceeds_max_idle_time(agent):
    test = changed("max_idle_ms: 60000", "max_idle_ms: 1100")
    checkout(agent, "idle", test).failed(r"1100|1\.1", r"(?i)idle", at="max_idle_ms: 1100")


def test_whole_test_exceeds_max_idle_time(agent):
    test = changed("max_idle_ms: 60000", "max_idle_ms: 1100")
    outcome = checkout(agent, "wait", test).failed(r"1100|1\.1", r"(?i)idle", at="max_idle_ms: 1100")
    outcome.without(r"(?i)turn\W+3\b")


def test_limit_of_target_can_be_disabled(agent):
    target = TARGET.replace("max_idle_ms: 10000", "max_idle_ms: 1100")
    checkout(agent, "wait", target=target).passed()
    without = changed("    max_idle_ms: 60000\n", "")
    checkout(agent, "wait", without, target).failed(r"1100|1\.1", r"(?i)idle", r"ananke\.config\.yaml:\d+")
    off = changed("    max_idle_ms: 60000\n", "    max_idle_ms: false\n")
    checkout(agent, "wait", off, target).passed()


def test_failing_hook_prevents_turns(agent):
    before = len(agent.journal())
    old = CHECKOUT.split("cmd: ")[1].split("\n")[0]
    for command in ['["sh", "-c", "exit 3"]', '["sh", "-c", "echo not JSON"]', '["no-such-program"]']:
        checkout(agent, test=CHECKOUT.replace(old, command)).failed(r"(?i)hook", at="- cmd:")
    slow = CHECKOUT.replace(old, '["sleep", "30"]').replace("timeout_ms: 10000", "timeout_ms: 300")
    checkout(agent, test=slow).failed(r"(?i)hook", r"300|0\.3", at=["- cmd:", "timeout_ms: 300"])
    assert len(agent.journal()) == before, "no turn is run after a hook that failed"


def test_test_level_assertions_apply_to_whole_test(agent):
    once = "tools: { require: [{ name: charge_card, count: { exact: 1 }, after: validate_cart }] }"
    said = ["a", "b", "c"]
    endpoint = f"{agent.url}/checkout"
    run(endpoint, turns(*said, test=once)).passed()
    run(f"{endpoint}?break=twice", turns(*said, test=once)).failed("charge_card", at="charge_card")
    # With `inherit: all`, as in the original tool, the assertions of the test apply to each turn.
    run(endpoint, turns(*said, test=once), "inherit: all").failed("charge_card", r"(?i)turn\W+1\b", at="charge_card")


def test_tool_call_counts(agent):
    endpoint = f"{agent.url}/checkout?break=twice"
    for count, holds in [("{ exact: 2 }", True), ("{ min: 2 }", True), ("{ max: 1 }", False), ("{ min: 1, max: 3 }", True)]:
        test = turns("a", "b", "c", asserts=f"tools: {{ require: [{{ name: charge_card, count: {count} }}] }}")
        outcome = run(endpoint, test)
        outcome.passed() if holds else outcome.failed("charge_card", at="charge_card")
    never = "tools: { require: [{ name: delete_order, count: { exact: 0 } }] }"
    run(endpoint, turns("a", "b", asserts=never)).passed()
    run(f"{agent.url}/checkout?break=delete", turns("a", "b", asserts=never)).failed("delete_order", at="delete_order")


def test_tool_order_includes_earlier_turns(agent):
    asserts = "tools: { require: [{ name: charge_card, after: validate_cart }] }"
    run(f"{agent.url}/checkout", turns("a", "b", "c", asserts=asserts)).passed()
    asserts = "tools: { require: [{ name: charge_card, after: send_mail }] }"
    run(f"{agent.url}/checkout", turns("a", "b", "c", asserts=asserts)).failed("charge_card", "send_mail", at="charge_card")


def test_shared_assertions(agent):
    config = """
    assertions:
      cheap: { text: { must_not_match: ['42\\.50'] } }
      charged: { tools: { require: [{ name: charge_card }] } }
    """
    endpoint = f"{agent.url}/checkout"
    run(endpoint, turns("a", "b", "c", asserts="extends: [cheap, charged]"), config=config).passed()
    dear = run(endpoint, turns("a", "b", "c", test="extends: [cheap]"), config=config)
    dear.failed("42", r"ananke\.config\.yaml:\d+|flow\.test\.yaml:\d+")
    unknown = run(endpoint, turns("a", asserts="extends: [dear]"), config=config)
    assert unknown.status == 1 and "dear" in unknown.shown()


def test_failure_does_not_stop_other_tests(agent):
    tests = {"a.test.yaml": turns("x", asserts="text: { must_match: nothing of it }"), "b.test.yaml": CHECKOUT}
    with Suite(f"{agent.url}/checkout", tests) as suite:
        outcome = suite.run()
    assert outcome.status == 1 and outcome.verdicts() == {"flow": False, "checkout flow": True}, outcome.shown()
    outcome.counted()


def test_invalid_pattern_is_reported_before_any_request(agent):
    before = len(agent.journal())
    with Suite(f"{agent.url}/checkout", turns("a", asserts='text: { must_match: "(unclosed" }')) as suite:
        outcome = suite.run()
        assert outcome.status == 1 and suite.line("unclosed") in outcome.shown(), outcome.shown()
    assert len(agent.journal()) == before


with Agent(sys.executable, FOLDER / "agui" / "server.py") as agent:
    main(globals(), lambda: nullcontext(agent))
