"""Honest agents must pass: one of each kind, once. `verdict/honest.py` runs all of them many times."""

import re
import subprocess
import sys
import tempfile
from contextlib import nullcontext
from pathlib import Path

from harness import FOLDER, main
from verdict.honest import REPRESENTATIVES

SUITE = """\
suite: made
target: { process: { command: [sh, -c, "%s"], speaks: text } }
checks: [{ contains: fine }]
cases: [{ id: only, turns: [{ user: hello }] }]
"""


def honest(*flags):
    command = [sys.executable, FOLDER / "verdict" / "honest.py", *flags]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    return done.returncode, done.stdout, done.stderr


def made(suites, *flags):
    """Runs `honest.py` with these suites instead of its own."""
    with tempfile.TemporaryDirectory() as folder:
        for name, suite in suites.items():
            (Path(folder) / name).mkdir()
            (Path(folder) / name / "agentci.yaml").write_text(suite)
        return honest("--folder", folder, "--runs", "2", *flags)


def test_one_agent_of_each_kind_passes(_):
    status, table, errors = honest("--runs", "1", "--agents", ",".join(REPRESENTATIVES))
    print(table)
    assert status == 0, errors
    green = re.findall(r"^\| (\S+/\S+) \| 1 of 1 \|", table, re.MULTILINE)
    assert sorted(green) == sorted(REPRESENTATIVES), table


def test_every_kind_has_a_representative(_):
    folders = {path.parent.name for path in (FOLDER / "verdict" / "honest").glob("*/*.yaml")}
    assert folders == {name.split("/")[0] for name in REPRESENTATIVES}


def test_failures_are_counted_and_named(_):
    suites = {"good": SUITE % "echo fine", "bad": SUITE % "echo wrong"}
    status, table, _ = made(suites)
    assert status == 1, table
    assert re.search(r"^\| good/only \| 2 of 2 \|  \|$", table, re.MULTILINE), table
    assert re.search(r"^\| bad/only \| 0 of 2 \| .*`contains`.*\|$", table, re.MULTILINE), table
    assert "2 of 4 runs of 2 agents were green" in table


def test_run_timeout_counts_as_failure(_):
    status, table, _ = made({"slow": SUITE % "sleep 30; echo fine"}, "--timeout", "2", "--jobs", "2")
    assert status == 1 and "| slow/only | 0 of 2 | timed out after 2 s |" in table, table


def test_unreadable_suite_counts_as_failure(_):
    status, table, _ = made({"odd": "suite: odd\ncase: []\n"})
    assert status == 1 and "| odd | 0 of 2 |" in table, table


def test_refuses_unknown_agent_name(_):
    status, table, errors = made({"good": SUITE % "echo fine"}, "--agents", "god/*")
    assert status == 2 and not table and "good/only" in errors, errors


if __name__ == "__main__":
    main(globals(), nullcontext)
