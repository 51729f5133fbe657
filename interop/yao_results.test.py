"""Reads the results of assistants' tests with jq, as CI scripts do."""

import json
import os
import subprocess
import tempfile
from pathlib import Path

from harness import main

MODEL = """
rules:
  - { when: { user: odd }, reply: [yes it is, no, yes it is] }
default: [yes it is]
"""


def app(folder, *asked):
    files = {
        "app.yao": "{}",
        "assistants/keyword/package.yao": '{ "name": "Keywords", "connector": "mock" }',
        "assistants/keyword/tests/model.yaml": MODEL,
        "assistants/keyword/tests/inputs.jsonl": "".join(
            json.dumps({"id": f"T{at}", "input": text, "assert": {"type": "contains", "value": "yes"}, "skip": text == "skipped"}) + "\n"
            for at, text in enumerate(asked)
        ),
    }
    for name, text in files.items():
        path = Path(folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def shell(folder, script):
    """Runs a script as in a CI job, with agentci in place of `yao agent`."""
    words = f'yao() {{ shift; "{os.environ["AGENTCI"]}" "$@"; }}\n{script}'
    return subprocess.run(["bash", "-c", words], cwd=folder, capture_output=True, text=True, timeout=60, check=False)


def test_results_contain_summary_line(folder):
    app(folder, "steady", "skipped")
    ran = shell(
        folder,
        "cd assistants/keyword && yao agent test -i tests/inputs.jsonl -o results.jsonl --fail-fast >&2 "
        "&& cat results.jsonl | jq 'select(.type == \"summary\")'",
    )
    assert ran.returncode == 0, ran
    summary = json.loads(ran.stdout)
    assert (summary["total"], summary["passed"], summary["skipped"]) == (2, 1, 1), summary


def stability(folder, *asked):
    app(folder, *asked)
    ran = shell(
        folder,
        "yao agent test -i assistants/keyword/tests/inputs.jsonl \\\n"
        "  -u ci-user -t ci-team \\\n"
        "  --runs 3 \\\n"
        "  -o report.json >&2\n"
        "echo $?\n"
        "jq -e '.results | all(.pass_rate >= 80)' report.json",
    )
    report = json.loads((Path(folder) / "report.json").read_text())
    assert report["environment"]["user_id"] == "ci-user", report
    assert report["environment"]["team_id"] == "ci-team", report
    return ran.stdout.split(), ran.returncode


def test_stable_cases_pass(folder):
    assert stability(folder, "steady", "also steady", "skipped") == (["0", "true"], 0)


def test_unstable_case_fails(folder):
    assert stability(folder, "steady", "odd") == (["1", "false"], 1)


main(globals(), tempfile.TemporaryDirectory)
