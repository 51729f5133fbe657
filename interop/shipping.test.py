"""The Dockerfiles, the compose file and the workflow of the scenarios: linted, and their steps run without containers.

The compose file defines the services with their variables and arguments, the Dockerfiles define their commands, and the workflow
defines which agents are tested. These tests follow all three on this machine: a service name becomes the loopback address, its
port a free port, and the mounted folder a copy of the example.
"""

import csv
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ruamel.yaml import YAML

from harness import FOLDER, main

ROOT = FOLDER.parent
WORKFLOWS = ROOT / ".github/workflows"
WORKFLOW = WORKFLOWS / "scenarios.yml"
EXAMPLE = ROOT / "examples/scenario"
COMPOSE = "docker-compose.test.yml"
DOCKERFILES = [ROOT / "Dockerfile", EXAMPLE / "agent/Dockerfile"]
TOOLS = Path(sys.executable).parent


class Nothing:
    """A placeholder: these tests start their servers themselves."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, **options)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}"
    return done.stdout


def read(path):
    return YAML(typ="safe").load(path)


def instruction(dockerfile, name):
    """Returns the last JSON list of an instruction in a Dockerfile."""
    lines = [line for line in dockerfile.read_text().splitlines() if line.startswith(f"{name} [")]
    return json.loads(lines[-1].removeprefix(f"{name} "))


def free_port():
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return held.getsockname()[1]


def step(name):
    """Returns a step of the workflow by name."""
    steps = [step for job in read(WORKFLOW)["jobs"].values() for step in job["steps"] if step.get("name") == name]
    assert len(steps) == 1, f"{len(steps)} steps are called {name}"
    return steps[0]


class Composed:
    """The services that `docker compose up` would start for an agent."""

    def __init__(self, folder, agent):
        self.folder = folder
        surroundings = {**os.environ, "AGENT": agent}
        described = run("docker-compose", "-f", COMPOSE, "config", cwd=folder, env=surroundings)
        self.services = read(described)["services"]
        self.places = {
            "http://agent:8081": f"http://127.0.0.1:{free_port()}",
            "http://stub:8080": f"http://127.0.0.1:{free_port()}",
            "/workspace": str(folder),
            "0.0.0.0": "127.0.0.1",
        }

    def here(self, text):
        for there, here in self.places.items():
            text = text.replace(there, here)
        return text

    def port(self, address):
        return self.places[address].rsplit(":", 1)[1]

    def up(self):
        """Runs the services and returns the exit code of the runner."""
        service = self.services["agent"]
        variables = {name: self.here(value) for name, value in service["environment"].items()}
        variables |= {"PORT": self.port("http://agent:8081"), "HOST": "127.0.0.1"}
        command = instruction(DOCKERFILES[1], "CMD")
        agent = subprocess.Popen(command, cwd=self.folder / "agent", env={**os.environ, **variables})
        try:
            self.wait_for(int(variables["PORT"]), agent)
            return self.ask()
        finally:
            agent.terminate()
            agent.wait(timeout=10)

    def wait_for(self, port, agent):
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and agent.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                return
            except OSError:
                time.sleep(0.05)
        raise AssertionError(f"the agent is not there; its exit status is {agent.poll()}")

    def ask(self):
        program, *entry = instruction(DOCKERFILES[0], "ENTRYPOINT")
        assert program == "agentci"
        arguments = [self.here(part) for part in self.services["runner"]["command"]]
        arguments = [self.port("http://stub:8080") if part == "8080" else part for part in arguments]
        variables = self.services["runner"]["environment"]
        done = subprocess.run(
            [os.environ["AGENTCI"], *entry, *arguments],
            cwd=self.folder,
            env={**os.environ, **variables},
            capture_output=True,
            text=True,
            timeout=300,
        )
        print(done.stdout, done.stderr, sep="\n")
        return done.returncode

    def results(self):
        with (self.folder / "results/results.csv").open(newline="") as file:
            return list(csv.DictReader(file))


class Copy:
    """A temporary copy of the example, which tests may change."""

    def __enter__(self):
        self.folder = Path(tempfile.mkdtemp()) / "project"
        shutil.copytree(EXAMPLE, self.folder, ignore=shutil.ignore_patterns("results", ".agentci", "__pycache__"))
        return self.folder

    def __exit__(self, *_):
        shutil.rmtree(self.folder.parent)


def agents(folder):
    """Returns the agents that the step of the workflow finds."""
    output = folder / "output"
    variables = {**os.environ, "PROJECT": str(folder), "GITHUB_OUTPUT": str(output)}
    run("bash", "-e", "-o", "pipefail", "-c", step("Find the agents")["run"], env=variables)
    name, found = output.read_text().strip().split("=", 1)
    assert name == "agents"
    return json.loads(found)


def test_dockerfiles_pass_hadolint(_):
    run(TOOLS / "hadolint", *DOCKERFILES)


def stages(dockerfile):
    """Returns the lines of each stage of a Dockerfile, by name."""
    found = {}
    for line in dockerfile.read_text().splitlines():
        if line.startswith("FROM "):
            lines = found[line.split(" AS ")[1]] = []
        elif found:
            lines.append(line)
    return found


def test_images_support_any_user(_):
    for name in ("small", "full"):
        lines = stages(DOCKERFILES[0])[name]
        assert "USER 1000:1000" in lines and 'ENTRYPOINT ["agentci"]' in lines, lines
        assert any(line.startswith("ENV ") and "HOME=/tmp" in line for line in lines), lines
        # The program and its licences belong to root, and no other user can change them.
        assert not any("--chown" in line or "--chmod" in line for line in lines), lines


def test_unknown_user_id_can_run_suites(_):
    as_user = []
    with tempfile.TemporaryDirectory() as folder:
        if os.getuid() == 0:
            # As `docker run --user` does.
            as_user = ["setpriv", "--reuid=12345", "--regid=12345", "--clear-groups", "--"]
            os.chown(folder, 12345, 12345)
        program = Path(folder) / "agentci"
        shutil.copy(os.environ["AGENTCI"], program)
        # Only the variables that the image sets.
        surroundings = {"HOME": "/tmp", "PATH": "/usr/bin:/bin"}
        run(*as_user, program, "init", "suite", "--kind", "command", cwd=folder, env=surroundings)
        run(*as_user, program, "run", "suite", cwd=folder, env=surroundings)
        (summary,) = Path(folder).glob(".agentci/runs/suite/*/summary.json")
        assert summary.stat().st_uid == (12345 if as_user else os.getuid())


def test_workflows_pass_linters(_):
    files = sorted(WORKFLOWS.glob("*.yml"))
    run(TOOLS / "check-jsonschema", "--builtin-schema", "vendor.github-workflows", *files)
    run(TOOLS / "zizmor", "--offline", *files)


def test_compose_file_is_valid(_):
    run(TOOLS / "check-jsonschema", "--builtin-schema", "vendor.compose-spec", EXAMPLE / COMPOSE)
    services = Composed(EXAMPLE, "us_payroll").services
    assert services["runner"]["networks"]["tests"]["aliases"] == ["stub"]
    bases = [value for name, value in services["agent"]["environment"].items() if name.endswith("_API_BASE")]
    assert bases == ["http://stub:8080"] * 3


def test_workflow_runs_on_mondays_and_on_changes(_):
    # `on` is a boolean in YAML 1.1, not in 1.2.
    triggers = read(WORKFLOW)["on"]
    assert triggers["schedule"] == [{"cron": "0 6 * * 1"}]
    assert "examples/scenario/**" in triggers["pull_request"]["paths"]
    assert step("Keep the results")["if"] == "always()"


def test_workflow_discovers_agents(_):
    with Copy() as folder:
        assert agents(folder) == ["uk_payroll", "us_payroll"]
        (folder / "tests/de_payroll").mkdir()
        assert agents_after_reset(folder) == ["de_payroll", "uk_payroll", "us_payroll"]


def agents_after_reset(folder):
    (folder / "output").unlink()
    return agents(folder)


def test_every_agent_passes(_):
    with Copy() as folder:
        for agent in agents(folder):
            composed = Composed(folder, agent)
            assert composed.up() == 0
            assert {row["status"] for row in composed.results()} == {"PASS"}
            assert list((folder / "results").glob(f"{agent}_results_*Z.csv"))
            assert (folder / "results/runner.log").stat().st_size > 0


def test_failing_results_are_kept(_):
    with Copy() as folder:
        scenario = sorted((folder / "tests/us_payroll").glob("*.yaml"))[0]
        changed = YAML()
        document = changed.load(scenario)
        document["expected_answer"] = "Bananas are rich in potassium and grow in the tropics."
        changed.dump(document, scenario)
        composed = Composed(folder, "us_payroll")
        assert composed.up() == 1
        statuses = [row["status"] for row in composed.results()]
        assert statuses.count("FAIL") == 1 and statuses.count("PASS") == len(statuses) - 1, statuses


main(globals(), start=Nothing)
