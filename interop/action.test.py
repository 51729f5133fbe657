"""The GitHub Action: its steps are taken as GitHub takes them, with the actions of others noted rather than run."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from ruamel.yaml import YAML

from harness import FOLDER, main

ROOT = FOLDER.parent
ACTION = YAML(typ="safe").load(ROOT / "action.yml")
TOOLS = Path(sys.executable).parent
FAILING = """suite: broken
target: { process: { command: [sh, -c, 'read -r task; echo ''{"type":"final_output","output":{"answer":"no"}}'''] } }
cases:
  - { id: works, input: {}, checks: [{ contains: "no" }] }
  - { id: fails, input: {}, checks: [{ contains: "yes" }] }
"""


class Job:
    """A job that uses the action, in a folder of its own."""

    def __enter__(self):
        self.folder = Path(tempfile.mkdtemp())
        self.home = self.folder / "home"
        self.temp = self.folder / "temp"
        self.home.mkdir()
        self.temp.mkdir()
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder)

    def use(self, **given):
        """Takes the steps; what the action gives, the actions of others it used, and whether it failed."""
        inputs = {name: given.get(name.replace("-", "_"), told["default"]) for name, told in ACTION["inputs"].items()}
        # Built by whoever runs these tests, in this profile.
        inputs["profile"] = "dev"
        self.known = {f"inputs.{name}": value for name, value in inputs.items()}
        self.used, self.log, failed = [], "", False
        for number, step in enumerate(ACTION["runs"]["steps"]):
            if not self.is_due(step.get("if", "success()"), failed):
                continue
            if "uses" in step:
                self.used.append((step["uses"].split("@")[0], {k: self.fill(v) for k, v in step["with"].items()}))
            else:
                failed |= not self.run(step, self.temp / f"output-{number}")
        given = {name: self.fill(told["value"]) for name, told in ACTION["outputs"].items()}
        return given, [name for name, _ in self.used], failed

    def is_due(self, condition, failed):
        due = True
        for part in condition.split(" && "):
            compared = re.fullmatch(r"(\S+) != ''", part)
            if compared:
                due &= self.known[compared[1]] != ""
            else:
                due &= {"always()": True, "success()": not failed}[part]
        return due

    def fill(self, text):
        return re.sub(r"\$\{\{ (\S+) \}\}", lambda found: self.known.get(found[1], ""), text)

    def run(self, step, output):
        output.touch()
        variables = {name: self.fill(value) for name, value in step.get("env", {}).items()}
        surroundings = {
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_OUTPUT": str(output),
            "RUNNER_TEMP": str(self.temp),
        }
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]],
            cwd=self.home / self.fill(step.get("working-directory", ".")),
            env={**os.environ, **surroundings, **variables},
            capture_output=True,
            text=True,
            timeout=1200,
        )
        self.log += done.stdout + done.stderr
        for line in output.read_text().splitlines():
            name, value = line.split("=", 1)
            self.known[f"steps.{step['id']}.outputs.{name}"] = value
        return done.returncode == 0


def test_is_valid_and_safe(_):
    for command in (
        ["check-jsonschema", "--builtin-schema", "vendor.github-actions", "action.yml"],
        ["zizmor", "--offline", "action.yml"],
        ["shellcheck", "action/key", "action/build", "action/run"],
    ):
        done = subprocess.run([TOOLS / command[0], *command[1:]], cwd=ROOT, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stdout + done.stderr


def test_pipelines_are_valid_and_safe(_):
    pipelines = {"github-workflows": ["github.yml", "github-shards.yml"], "gitlab-ci": ["gitlab.yml"]}
    commands = [
        ["check-jsonschema", "--builtin-schema", f"vendor.{schema}", *files] for schema, files in pipelines.items()
    ]
    for command in [*commands, ["zizmor", "--offline", *pipelines["github-workflows"]]]:
        folder = ROOT / "examples/ci"
        done = subprocess.run([TOOLS / command[0], *command[1:]], cwd=folder, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stdout + done.stderr


def test_no_input_is_pasted_into_a_shell(_):
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step.get("run", ""), step


def test_a_suite_that_passes(job):
    shutil.copytree(ROOT / "examples/quickstart", job.home / "suite")
    given, used, failed = job.use(path="suite")
    assert not failed, job.log
    assert given["result"] == "passed" and given["exit-code"] == "0", given
    assert given["cases"] == given["passed"] != "0", given
    assert used == ["actions/cache", "actions/upload-artifact"]


def test_a_suite_that_fails_is_kept_before_the_job_fails(job):
    (job.home / "agentci.yaml").write_text(FAILING)
    given, used, failed = job.use()
    assert failed, job.log
    assert given["result"] == "failed" and given["exit-code"] == "1", given
    assert (given["cases"], given["passed"]) == ("2", "1"), given
    assert used[-1] == "actions/upload-artifact"
    folder = Path(job.used[-1][1]["path"])
    assert list(folder.glob("broken/*/report.html")), list(folder.rglob("*"))


def test_hostile_inputs_are_only_names(job):
    (job.home / "agentci.yaml").write_text(FAILING)
    for hostile in ('"; touch pwned; "', "$(touch pwned)", "`touch pwned`", "--output-dir=/nowhere", "a\n; touch pwned"):
        given, _, failed = job.use(path=hostile, args="", baseline="$(touch pwned)")
        assert failed and given["result"] == "failed", job.log
        assert not (job.home / "pwned").exists(), hostile


def test_a_part_and_arguments(job):
    (job.home / "project").mkdir()
    (job.home / "project/agentci.yaml").write_text(FAILING)
    given, used, failed = job.use(shard="1/2", args="--seed\n7\n", artifact="", working_directory="project")
    assert not failed, job.log
    assert (given["cases"], given["passed"]) == ("1", "1"), given
    assert used == ["actions/cache"]


def replayed(job, keys=""):
    """Conversations that are replayed: an ananke suite, and the same as a native one with these keys."""
    for name in ("recordings", "tests", "hooks"):
        shutil.copytree(ROOT / "examples/conversations" / name, job.home / "ananke" / name)
    config = (ROOT / "examples/conversations/ananke.config.yaml").read_text().replace("played: true\n", "")
    (job.home / "ananke/ananke.config.yaml").write_text(config)
    (job.home / "native").mkdir()
    convert = subprocess.run([os.environ["AGENTCI"], "convert", "ananke"], cwd=job.home, capture_output=True, text=True, timeout=60)
    assert convert.returncode == 0, convert.stderr
    native = convert.stdout.replace("recording: ", "recording: ../ananke/")
    (job.home / "native/agentci.yaml").write_text(keys + native)


def test_a_native_case_that_is_replayed_fails_the_job(job):
    replayed(job)
    given, _, failed = job.use(path="native", args="--mode=replay")
    assert failed and given["result"] == "failed", job.log
    assert given["cases"] == given["passed"] == "2", given
    assert "GATE FAIL require-agent" in job.log and "native/agentci.yaml:" in job.log, job.log
    for accepted in ({"require_agent": "none"}, {"args": "--mode=replay\n--require-agent=none"}):
        given, _, failed = job.use(**{"path": "native", "args": "--mode=replay", **accepted})
        assert not failed and given["result"] == "passed", job.log


def test_a_case_that_is_meant_to_be_replayed_passes(job):
    replayed(job, keys="played: true\n")
    given, _, failed = job.use(path="native", args="--mode=replay", require_agent="all")
    assert not failed and given["result"] == "passed", job.log


def test_other_formats_keep_their_verdict(job):
    replayed(job)
    given, _, failed = job.use(path="ananke", args="--mode=replay")
    assert not failed and given["result"] == "passed", job.log
    assert "2 of 2 cases played from recordings: no agent was run" in job.log, job.log
    given, _, failed = job.use(path="ananke", args="--mode=replay", require_agent="all")
    assert failed and given["result"] == "failed", job.log


def test_an_unknown_word_for_require_agent_fails_the_job(job):
    (job.home / "agentci.yaml").write_text(FAILING)
    given, _, failed = job.use(require_agent="sometimes; touch pwned")
    assert failed and given["exit-code"] == "1" and not (job.home / "pwned").exists(), job.log


main(globals(), start=Job)
