"""Records conversations with A2A agents, and replays them after the agent has been stopped."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from a2a_suite import A2aSuite, Shop, said
from harness import FOLDER, main

TESTS = {
    "plan": said("plan", asserts="task: { state: completed, artifacts: { names: [price] } }\ntext: { must_match: Rome }"),
    "book": said("book", "city", "yes", asserts="task: { state: completed }"),
    "fail": said("fail"),
    "reject": said("reject"),
    "refuse": said("refuse"),
    "wrong": said("plan", asserts="task: { state: input-required }"),
}
SLOW = {"long": said("long", asserts="text: { must_match: '^one two$' }"), "slow": said("slow")}


def named(tests):
    return {f"{name}.test.yaml": test.replace("name: flow", f"name: {name}") for name, test in tests.items()}


def reasons(outcome):
    return {test["name"]: [test["passed"], test.get("error"), test.get("failures")] for test in outcome.report["tests"]}


def replayed(name, tests, target=""):
    with Shop() as shop, A2aSuite(shop.card(name), named(tests), target) as suite:
        recorded = suite.run("--mode", "record")
        assert all(recorded.verdicts()[name] == (name in ("plan", "book", "long")) for name in tests), recorded.shown()
        shop.stop()
        first = suite.run("--mode", "replay")
        assert reasons(first) == reasons(recorded), f"{recorded.shown()}\n{first.shown()}"
        assert reasons(suite.run("--mode", "replay")) == reasons(first)
        live = suite.run("--mode", "live")
        assert not any(live.verdicts().values()), "the agent is gone"
        return recorded, first


def test_replay_reproduces_recorded_run(_):
    for name in ["rpc", "rest", "whole", "old"]:
        replayed(name, TESTS)


def test_interrupted_stream_is_replayed_as_interrupted(_):
    for name in ["cut", "closed", "lost"]:
        replayed(name, {"long": SLOW["long"]})


def test_replay_does_not_wait(_):
    recorded, again = replayed("rpc", SLOW, "timeout_ms: 1500\nblocking: false")
    durations = {test["name"]: test["duration"] for test in recorded.report["tests"]}
    assert durations["slow"] >= 1400, durations
    assert "did not finish within 1.5s" in again.shown() or "did not finish within 1500ms" in again.shown(), again.shown()


def test_changed_message_fails_replay(_):
    with Shop() as shop, A2aSuite(shop.card("rpc"), said("plan a", "hello")) as suite:
        suite.run("--mode", "record").passed()
        shop.stop()
        suite.run("--mode", "replay").passed()
        (suite.folder / "tests" / "flow.test.yaml").write_text(said("plan b", "hello"))
        suite.run("--mode", "replay").failed("plan a", "plan b", "record")


def test_example_suite_passes(_):
    with tempfile.TemporaryDirectory(prefix="agentci-interop-") as root:
        folder = Path(root) / "a2a"
        shutil.copytree(FOLDER.parent / "examples" / "a2a", folder)
        command = [os.environ["AGENTCI"], "run", "a2a", "--output-dir", "runs"]
        subprocess.run([*command, "--mode", "replay"], cwd=root, check=True, capture_output=True, timeout=60)
        with subprocess.Popen([sys.executable, folder / "server.py", "0"], stdout=subprocess.PIPE, text=True) as server:
            address = server.stdout.readline().split()[-1]
            config = folder / "ananke.config.yaml"
            config.write_text(config.read_text().replace("http://127.0.0.1:8124/", address))
            try:
                subprocess.run([*command, "--mode", "live"], cwd=root, check=True, capture_output=True, timeout=60)
            finally:
                server.terminate()


class Nothing:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


main(globals(), Nothing)
