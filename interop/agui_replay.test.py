"""Records conversations, and replays them after the server has been stopped: same verdicts, same times, no hooks."""

import sys
from contextlib import nullcontext

from conversation import Suite, turns
from harness import FOLDER, Agent, main

TEST = """\
version: "1.0"
name: {name}
hooks:
  - cmd: ["sh", "-c", "echo ran >> $MARKER; echo '{{\\"BREAK\\": \\"{broken}\\"}}'"]
turns:
  - user: "I want to check out"
    assert:
      tools: {{ require: [{{ name: get_shipping_options, after: validate_cart }}] }}
  - user: "Use the first"
    assert:
      tools: {{ require: [{{ name: calculate_total, result_not_match: "error|failed" }}] }}
      timing: {{ max_idle_ms: 1100 }}
  - user: "Pay with ${{BREAK}}"
    assert:
      tools: {{ require: [{{ name: charge_card, count: {{ exact: 1 }}, result_match: paid }}] }}
"""
KINDS = ["fine", "order", "idle", "total", "declined", "twice"]
TESTS = {f"{kind}.test.yaml": TEST.format(name=kind, broken=kind) for kind in KINDS}


def start():
    return Agent(sys.executable, FOLDER / "agui" / "server.py")


def reasons(outcome):
    """Returns the failure reasons of each test."""
    return {test["name"]: [test.get("error"), test.get("failures")] for test in outcome.report["tests"]}


def test_replay_reproduces_recorded_run(_):
    with start() as agent, Suite(f"{agent.url}/checkout?break=${{BREAK}}", TESTS) as suite:
        marker = suite.root / "marker"
        environment = {"MARKER": str(marker)}
        recorded = suite.run("--mode", "record", environment=environment)
        assert recorded.verdicts() == {kind: kind == "fine" for kind in KINDS}, recorded.shown()
        assert marker.read_text().count("ran") == len(KINDS)
        kept = [path for path in (suite.folder / "recordings").rglob("*") if path.is_file()]
        assert len(kept) >= len(KINDS), kept
        agent.stop()
        marker.unlink()
        first = suite.run("--mode", "replay", environment=environment)
        assert first.status == 1 and first.verdicts() == recorded.verdicts(), first.shown()
        assert reasons(first) == reasons(recorded)
        assert not marker.exists(), "a replay runs no hook"
        second = suite.run("--mode", "replay", environment=environment)
        assert reasons(second) == reasons(first)
        live = suite.run("--mode", "live", environment=environment)
        assert live.verdicts() == {kind: False for kind in KINDS}, "the server is gone"


def test_assertions_may_change_after_recording(_):
    with start() as agent, Suite(f"{agent.url}/checkout", turns("a", "b", "c")) as suite:
        suite.run("--mode", "record").passed()
        agent.stop()
        suite.run("--mode", "replay").passed()
        suite.tests["flow.test.yaml"] = turns("a", "b", "c", asserts="tools: { forbid: [charge_card] }")
        (suite.folder / "tests" / "flow.test.yaml").write_text(suite.tests["flow.test.yaml"])
        suite.run("--mode", "replay").failed("charge_card", at="charge_card")


def test_missing_recording_fails_replay(_):
    with Suite("http://127.0.0.1:9/nobody", turns("a")) as suite:
        suite.run("--mode", "replay").failed("record")
    with start() as agent, Suite(f"{agent.url}/checkout", turns("a")) as suite:
        suite.run("--mode", "record").passed()
        (suite.folder / "tests" / "flow.test.yaml").write_text(turns("a", "b"))
        suite.run("--mode", "replay").failed("record")


def test_failed_run_is_replayed_with_same_failure(_):
    for path, reason in [("error", "overloaded"), ("truncated", "(?i)RUN_FINISHED|truncated|ended"), ("http500", "500")]:
        with start() as agent, Suite(f"{agent.url}/{path}", turns("a")) as suite:
            suite.run("--mode", "record").failed(reason)
            agent.stop()
            suite.run("--mode", "replay").failed(reason)


def test_client_tools_and_interrupts_are_replayed(_):
    tool = "tools: [{ name: confirm_payment, description: Asks, parameters: {}, reply: { confirmed: true } }]"
    with start() as agent, Suite(f"{agent.url}/frontend", turns("pay", asserts="text: { must_match: confirmed }"), tool) as suite:
        suite.run("--mode", "record").passed()
        agent.stop()
        suite.run("--mode", "replay").passed()
    resumed = turns("refund") + "  - type: agui:resume\n    payload: 7\n    assert: { text: { must_match: resolved 7 } }\n"
    with start() as agent, Suite(f"{agent.url}/interrupt", resumed) as suite:
        suite.run("--mode", "record").passed()
        agent.stop()
        suite.run("--mode", "replay").passed()


def test_recordings_contain_no_secrets(_):
    target = 'headers: { Authorization: "Bearer ${ENV.SHOP_TOKEN}" }'
    with start() as agent, Suite(f"{agent.url}/echo", turns("hello"), target) as suite:
        suite.run("--mode", "record", environment={"SHOP_TOKEN": "tok-4f9a77c1d2e8"}).passed()
        kept = [path for path in (suite.folder / "recordings").rglob("*") if path.is_file()]
        assert kept and not any("4f9a77c1d2e8" in path.read_text() for path in kept)


main(globals(), nullcontext)
