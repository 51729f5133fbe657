"""Writes a suite of conversations into a folder, runs it with `agentci`, and checks the report."""

import json
import os
import re
import subprocess
import tempfile
import textwrap
from dataclasses import dataclass
from pathlib import Path

CONFIG = """\
version: "1.0"
target:
  type: agui
  endpoint: "{endpoint}"
  agentId: shop
"""


class Suite:
    """A temporary folder with a config and tests by file name, for the duration of a `with` block.

    `target` has further keys of the target, `config` further keys of the config.
    """

    def __init__(self, endpoint, tests, target="", config=""):
        self.endpoint = endpoint
        self.tests = {"flow.test.yaml": tests} if isinstance(tests, str) else tests
        self.target = textwrap.dedent(target)
        self.config = textwrap.dedent(config)

    def __enter__(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="agentci-interop-")
        self.root = Path(self.temporary.name)
        self.folder = self.root / "suite"
        (self.folder / "tests").mkdir(parents=True)
        config = CONFIG.format(endpoint=self.endpoint) + textwrap.indent(self.target, "  ") + self.config
        (self.folder / "ananke.config.yaml").write_text(config)
        for name, test in self.tests.items():
            (self.folder / "tests" / name).write_text(test)
        return self

    def __exit__(self, *_):
        self.temporary.cleanup()

    def run(self, *flags, environment=None):
        command = [os.environ["AGENTCI"], "run", "suite", "--json", "--output-dir", "runs", *flags]
        done = subprocess.run(
            command,
            cwd=self.root,
            env={**os.environ, **(environment or {})},
            capture_output=True,
            text=True,
            timeout=60,
        )
        try:
            report = json.loads(done.stdout)
        except ValueError:
            raise AssertionError(f"no JSON, status {done.returncode}: {done.stdout}\n{done.stderr}") from None
        return Outcome(done.returncode, report, done.stderr, self)

    def line(self, pattern, name="flow.test.yaml"):
        """Returns the place of the line that matches, in the form of the messages: `FILE:LINE`."""
        lines = self.tests[name].splitlines()
        found = [number for number, line in enumerate(lines, 1) if re.search(pattern, line)]
        assert len(found) == 1, f"{len(found)} lines of {name} fit {pattern!r}"
        return f"{name}:{found[0]}"

    def artifacts(self):
        """Returns the content of all files that the runs wrote, as one string."""
        files = [path for path in sorted((self.root / "runs").rglob("*")) if path.is_file()]
        assert files, "the run left nothing behind"
        return "\n".join(path.read_text(errors="replace") for path in files)


@dataclass
class Outcome:
    """The outcome of a run."""

    status: int
    report: dict
    talk: str
    suite: Suite

    def verdicts(self):
        return {test["name"]: test["passed"] for test in self.report["tests"]}

    def passed(self):
        assert self.status == 0 and all(self.verdicts().values()), f"did not pass: {self.shown()}"
        self.counted()
        return self

    def failed(self, *patterns, at=None):
        """Asserts that the only test failed, for a reason that matches every pattern and names one of these lines."""
        assert self.status == 1 and list(self.verdicts().values()) == [False], f"did not fail: {self.shown()}"
        self.counted()
        reason = self.reason()
        for pattern in patterns:
            assert re.search(pattern, reason), f"{pattern!r} is not in {reason}"
        places = [self.suite.line(line) for line in ([at] if isinstance(at, str) else at or [])]
        if places:
            assert any(re.search(re.escape(place) + r"\b", reason) for place in places), f"no {places} in {reason}"
        return self

    def without(self, *patterns):
        """Asserts that the reason matches none of these patterns."""
        for pattern in patterns:
            assert not re.search(pattern, self.reason()), f"{pattern!r} is in {self.reason()}"
        return self

    def reason(self):
        (test,) = self.report["tests"]
        failures = [failure["message"] for failure in test.get("failures") or []]
        assert failures or test.get("error"), f"failed without a reason: {test}"
        places = [f"turn {failure.get('turn')} {failure.get('file')}:{failure.get('line')}" for failure in test.get("failures") or []]
        return json.dumps([test.get("error"), test.get("failures"), places], ensure_ascii=False)

    def counted(self):
        """Asserts that the totals match the tests, and that each test has the common fields."""
        tests = self.report["tests"]
        passed = sum(test["passed"] for test in tests)
        sums = (self.report["passed"], self.report["failed"], self.report["total"])
        assert sums == (passed, len(tests) - passed, len(tests)), sums
        for test in tests:
            assert test["file"].endswith((".test.yaml", ".test.yml")), test["file"]
            assert test["duration"] >= 0

    def shown(self):
        return f"status {self.status}, {json.dumps(self.report, indent=1, ensure_ascii=False)}\n{self.talk}"


def turns(*said, asserts="", test=""):
    """A test with these user messages; `asserts` has the assertions of the last turn, `test` those of the test."""
    written = ['version: "1.0"', "name: flow", "turns:"]
    written += [f"  - user: {json.dumps(message)}" for message in said]
    if asserts:
        written += ["    assert:", textwrap.indent(textwrap.dedent(asserts).strip("\n"), "      ")]
    if test:
        written += ["assert:", textwrap.indent(textwrap.dedent(test).strip("\n"), "  ")]
    return "\n".join(written) + "\n"


def run(endpoint, test, target="", config="", environment=None, flags=()):
    """Runs a suite with one test."""
    with Suite(endpoint, test, target, config) as suite:
        return suite.run(*flags, environment=environment)
