"""The GitHub Action: runs its steps as GitHub does; third-party actions are recorded instead of run."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
from functools import partial
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

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
    """A job that uses the action, in its own temporary folder."""

    def __enter__(self):
        self.folder = Path(tempfile.mkdtemp())
        self.home = self.folder / "home"
        self.temp = self.folder / "temp"
        self.home.mkdir()
        self.temp.mkdir()
        # Context values and variables that differ from the defaults.
        self.context = {}
        self.variables = {}
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder)

    def use(self, **given):
        """Runs the steps; returns the outputs, the names of the third-party actions, and whether the job failed."""
        inputs = {name: given.get(name.replace("-", "_"), told["default"]) for name, told in ACTION["inputs"].items()}
        # The profile of the binary under test, which is already built.
        inputs["profile"] = "dev"
        self.known = {"github.server_url": "https://example.invalid", "strategy.job-index": "0", "strategy.job-total": "1"}
        self.known |= {f"inputs.{name}": value for name, value in inputs.items()} | self.context
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
        due, condition = True, condition.removeprefix("${{ ").removesuffix(" }}")
        for part in condition.split(" && "):
            compared = re.fullmatch(r"(\S+) != '(\w*)'", part)
            if compared:
                due &= self.known.get(compared[1], "") != compared[2]
            else:
                due &= {"always()": True, "!cancelled()": True, "success()": not failed}[part]
        # A condition without a status function implies `success()`.
        return due and ("always()" in condition or "!cancelled()" in condition or not failed)

    def fill(self, text):
        return re.sub(r"\$\{\{ (\S+) \}\}", lambda found: self.known.get(found[1], ""), text)

    def run(self, step, output):
        output.write_text("")
        variables = {name: self.fill(value) for name, value in step.get("env", {}).items()}
        surroundings = {
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_OUTPUT": str(output),
            "GITHUB_JOB": "agents",
            "RUNNER_TEMP": str(self.temp),
        }
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]],
            cwd=self.home / self.fill(step.get("working-directory", ".")),
            env={**os.environ, **surroundings, **self.variables, **variables},
            capture_output=True,
            text=True,
            timeout=1200,
        )
        self.log += done.stdout + done.stderr
        for line in output.read_text().splitlines():
            name, value = line.split("=", 1)
            self.known[f"steps.{step['id']}.outputs.{name}"] = value
        return done.returncode == 0


def test_action_passes_linters(_):
    for command in (
        ["check-jsonschema", "--builtin-schema", "vendor.github-actions", "action.yml"],
        ["zizmor", "--offline", "action.yml"],
        ["shellcheck", *(f"action/{path.name}" for path in (ROOT / "action").iterdir())],
    ):
        done = subprocess.run([TOOLS / command[0], *command[1:]], cwd=ROOT, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stdout + done.stderr


def test_example_pipelines_pass_linters(_):
    pipelines = {"github-workflows": ["github.yml", "github-shards.yml"], "gitlab-ci": ["gitlab.yml"]}
    commands = [
        ["check-jsonschema", "--builtin-schema", f"vendor.{schema}", *files] for schema, files in pipelines.items()
    ]
    for command in [*commands, ["zizmor", "--offline", *pipelines["github-workflows"]]]:
        folder = ROOT / "examples/ci"
        done = subprocess.run([TOOLS / command[0], *command[1:]], cwd=folder, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stdout + done.stderr


def test_no_input_is_interpolated_into_shell(_):
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step.get("run", ""), step


def test_passing_suite(job):
    shutil.copytree(ROOT / "examples/quickstart", job.home / "suite")
    given, used, failed = job.use(path="suite")
    assert not failed, job.log
    assert given["result"] == "passed" and given["exit-code"] == "0", given
    assert given["cases"] == given["passed"] != "0", given
    assert used == ["actions/cache", "actions/upload-artifact"]


def test_failing_suite_uploads_artifact_before_job_fails(job):
    (job.home / "agentci.yaml").write_text(FAILING)
    given, used, failed = job.use()
    assert failed, job.log
    assert given["result"] == "failed" and given["exit-code"] == "1", given
    assert (given["cases"], given["passed"]) == ("2", "1"), given
    assert used[-1] == "actions/upload-artifact"
    folder = Path(job.used[-1][1]["path"])
    assert list(folder.glob("broken/*/report.html")), list(folder.rglob("*"))


def test_hostile_inputs_are_not_executed(job):
    (job.home / "agentci.yaml").write_text(FAILING)
    for hostile in ('"; touch pwned; "', "$(touch pwned)", "`touch pwned`", "--output-dir=/nowhere", "a\n; touch pwned"):
        given, _, failed = job.use(path=hostile, args="", baseline="$(touch pwned)")
        assert failed and given["result"] == "failed", job.log
        assert not (job.home / "pwned").exists(), hostile


def test_shard_and_extra_arguments(job):
    (job.home / "project").mkdir()
    (job.home / "project/agentci.yaml").write_text(FAILING)
    given, used, failed = job.use(shard="1/2", args="--seed\n7\n", artifact="", working_directory="project")
    assert not failed, job.log
    assert (given["cases"], given["passed"]) == ("1", "1"), given
    assert used == ["actions/cache"]


def replayed(job, keys=""):
    """Writes replayed conversations: an ananke suite, and the same as a native suite with these keys."""
    for name in ("recordings", "tests", "hooks"):
        shutil.copytree(ROOT / "examples/conversations" / name, job.home / "ananke" / name)
    config = (ROOT / "examples/conversations/ananke.config.yaml").read_text().replace("played: true\n", "")
    (job.home / "ananke/ananke.config.yaml").write_text(config)
    (job.home / "native").mkdir()
    convert = subprocess.run([os.environ["AGENTCI"], "convert", "ananke"], cwd=job.home, capture_output=True, text=True, timeout=60)
    assert convert.returncode == 0, convert.stderr
    native = convert.stdout.replace("recording: ", "recording: ../ananke/")
    (job.home / "native/agentci.yaml").write_text(keys + native)


def test_replayed_native_case_fails_job(job):
    replayed(job)
    given, _, failed = job.use(path="native", args="--mode=replay")
    assert failed and given["result"] == "failed", job.log
    assert given["cases"] == given["passed"] == "2", given
    assert "GATE FAIL require-agent" in job.log and "native/agentci.yaml:" in job.log, job.log
    for accepted in ({"require_agent": "none"}, {"args": "--mode=replay\n--require-agent=none"}):
        given, _, failed = job.use(**{"path": "native", "args": "--mode=replay", **accepted})
        assert not failed and given["result"] == "passed", job.log


def test_case_marked_as_played_passes(job):
    replayed(job, keys="played: true\n")
    given, _, failed = job.use(path="native", args="--mode=replay", require_agent="all")
    assert not failed and given["result"] == "passed", job.log


def test_replayed_cases_of_other_formats_pass_by_default(job):
    replayed(job)
    given, _, failed = job.use(path="ananke", args="--mode=replay")
    assert not failed and given["result"] == "passed", job.log
    assert "2 of 2 cases played from recordings: no agent was run" in job.log, job.log
    given, _, failed = job.use(path="ananke", args="--mode=replay", require_agent="all")
    assert failed and given["result"] == "failed", job.log


def test_unknown_require_agent_value_fails_job(job):
    (job.home / "agentci.yaml").write_text(FAILING)
    given, _, failed = job.use(require_agent="sometimes; touch pwned")
    assert failed and given["exit-code"] == "1" and not (job.home / "pwned").exists(), job.log


def test_two_uses_in_one_job_are_separate(job):
    (job.home / "agentci.yaml").write_text(FAILING)
    shutil.copytree(ROOT / "examples/quickstart", job.home / "suite")
    first, _, failed = job.use(path="suite")
    assert not failed, job.log
    second, used, failed = job.use(path="agentci.yaml")
    assert failed and "actions/upload-artifact" in used, job.log
    assert (first["cases"], first["passed"]) == ("3", "3"), first
    assert (second["cases"], second["passed"]) == ("2", "1"), second
    assert first["folder"] != second["folder"], second
    assert (first["artifact"], second["artifact"]) == ("agentci-agents", "agentci-agents-2")
    assert job.used[-1][1]["name"] == "agentci-agents-2", job.used


def test_matrix_jobs_have_distinct_artifact_names(job):
    shutil.copytree(ROOT / "examples/quickstart", job.home / "suite")
    for index, name in (("0", "agentci-agents-1"), ("1", "agentci-agents-2")):
        job.context = {"strategy.job-index": index, "strategy.job-total": "2"}
        given, _, _ = job.use(path="suite")
        assert given["artifact"] == name, given
    job.context = {}
    names = [job.use(path="suite", artifact="mine")[0]["artifact"] for _ in range(2)]
    assert names == ["mine", "mine-2"]


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Releases:
    """A server with a release of the action's repository, which contains the binary under test."""

    def __init__(self, job):
        self.folder = job.folder / "server/owner/agentci/releases/download/v0.1.0"
        self.folder.mkdir(parents=True)
        self.archive = self.folder / "agentci-0.1.0-x86_64-unknown-linux-gnu.tar.gz"
        program = job.folder / "agentci"
        # A small wrapper that sets a variable, which identifies the released program.
        program.write_text(f'#!/bin/sh\nexport RELEASED=1\nexec {os.environ["AGENTCI"]} "$@"\n')
        program.chmod(0o755)
        with tarfile.open(self.archive, "w:gz") as archive:
            archive.add(program, "agentci-0.1.0-x86_64-unknown-linux-gnu/agentci")
        source = subprocess.run([ROOT / "action/source"], capture_output=True, check=True)
        self.write(source.stdout)
        handler = partial(Quiet, directory=job.folder / "server")
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        job.context = {"github.server_url": f"http://127.0.0.1:{self.server.server_port}", "github.action_repository": "owner/agentci"}

    def write(self, source):
        (self.folder / "SOURCE").write_bytes(source)
        files = [self.archive, self.folder / "SOURCE"]
        sums = "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files)
        (self.folder / "SHA256SUMS").write_text(sums)

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def suite_of_the_release(job):
    """Writes a case that passes only with the released program."""
    (job.home / "agent.sh").write_text('read -r task; echo "{\\"type\\":\\"final_output\\",\\"output\\":{\\"released\\":\\"$RELEASED\\"}}"\n')
    (job.home / "agentci.yaml").write_text("""suite: released
target: { process: { command: [sh, agent.sh] } }
cases: [{ id: released, input: {}, checks: [{ equals: { released: "1" } }] }]
""")


def test_installs_release_of_same_source(job):
    suite_of_the_release(job)
    with Releases(job):
        for inputs in ({}, {"version": "0.1.0"}, {"version": "v0.1.0"}):
            given, used, failed = job.use(**inputs)
            assert not failed and given["result"] == "passed", job.log
            assert "installed agentci 0.1.0" in job.log, job.log
            assert used == ["actions/upload-artifact"], used
        _, used, failed = job.use()
        assert not failed and "already installed by an earlier step" in job.log and used == ["actions/upload-artifact"], job.log


def test_builds_unreleased_commit(job):
    (job.home / "agentci.yaml").write_text(FAILING)
    with Releases(job) as releases:
        releases.write(b"0" * 64 + b"\n")
        _, used, _ = job.use()
        assert "from source: the action's commit is not the released one" in job.log, job.log
        assert used[0] == "actions/cache", used
        releases.archive.rename(releases.archive.with_name("other.tar.gz"))
        job.use(version="0.1.0")
        assert "from source: the release has no program for" in job.log, job.log


def test_refuses_checksum_mismatch(job):
    suite_of_the_release(job)
    with Releases(job) as releases:
        right = hashlib.sha256(releases.archive.read_bytes()).hexdigest()
        given, _, failed = job.use(version="0.1.0", checksum=right)
        assert not failed and given["result"] == "passed", job.log
        given, used, failed = job.use(version="0.1.0", checksum="0" * 64)
        assert failed and given["result"] == "" and used == [], job.log
        assert f"has the checksum {right}, expected 0000" in job.log, job.log
        with releases.archive.open("ab") as archive:
            archive.write(b"tampered")
        _, used, failed = job.use(version="0.1.0")
        assert failed and used == [] and "has the checksum" in job.log, job.log


def test_refuses_unknown_version(job):
    (job.home / "agentci.yaml").write_text(FAILING)
    with Releases(job):
        for version in ("9.9.9", "0.1.0/../../other", "$(touch pwned)"):
            _, used, failed = job.use(version=version)
            assert failed and used == [] and "::error::" in job.log, job.log
            assert not (job.home / "pwned").exists(), version


BOT = "github-actions[bot]"
MARKER = re.compile(r"<!-- agentci:[A-Za-z0-9._-]+ -->\n")
PASSING = FAILING.replace('contains: "yes"', 'contains: "no"')


class Github:
    """The part of GitHub's API that is about the comments of pull request 7; `allowed` is what the token may do."""

    def __init__(self, job, allowed=("GET", "POST", "PATCH"), escaped=False):
        self.comments, self.requests, self.allowed, self.escaped = [], [], allowed, escaped
        self.refusal = 403
        job.context |= {
            "github.token": "secret-token",
            "github.event.pull_request.number": "7",
            "github.event.pull_request.head.sha": "0123abcd",
            "steps.upload.outputs.artifact-url": "https://example.invalid/artifact",
        }
        self.summary = job.folder / "summary.md"
        self.summary.unlink(missing_ok=True)
        job.variables |= {"GITHUB_REPOSITORY": "owner/project", "GITHUB_RUN_ID": "99", "GITHUB_STEP_SUMMARY": str(self.summary)}
        self.job = job

    def add(self, body, login=BOT):
        number = len(self.comments) + 1000
        user = {"login": login, "id": 5, "type": "Bot"}
        self.comments.append({"url": f"https://x/{number}", "id": number, "user": user, "body": body, "reactions": {"id": 3, "body": "+1"}})
        return self.comments[-1]

    def answer(self, method, path, query, body):
        if method not in self.allowed:
            return self.refusal, {"message": "Resource not accessible by integration"}, {}
        if method == "GET":
            assert path == "/repos/owner/project/issues/7/comments", path
            size, page = int(query["per_page"][0]), int(query["page"][0])
            more = len(self.comments) > page * size
            headers = {"Link": f'<http://x?page={page + 1}>; rel="next", <http://x?page=9>; rel="last"'} if more else {}
            return 200, self.comments[(page - 1) * size : page * size], headers
        assert len(body["body"]) <= 65000, len(body["body"])
        if method == "POST":
            assert path == "/repos/owner/project/issues/7/comments", path
            return 201, self.add(body["body"]), {}
        [found] = [comment for comment in self.comments if path == f"/repos/owner/project/issues/comments/{comment['id']}"]
        found["body"] = body["body"]
        return 200, found, {}

    def __enter__(self):
        github = self

        class Handler(BaseHTTPRequestHandler):
            def serve(self):
                assert self.headers["Authorization"] == "Bearer secret-token", self.headers
                url = urlsplit(self.path)
                sent = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                github.requests.append(self.command)
                status, answer, headers = github.answer(self.command, url.path, parse_qs(url.query), sent and json.loads(sent))
                # GitHub may format its answers, and escape characters of HTML.
                text = json.dumps(answer, indent=2 if github.escaped else None, ensure_ascii=github.escaped)
                text = text.replace("<", "\\u003c").replace(">", "\\u003e") if github.escaped else text
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(text.encode())

            do_GET = do_POST = do_PATCH = serve

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.job.variables["GITHUB_API_URL"] = f"http://127.0.0.1:{self.server.server_port}"
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def report(job):
    """The report of the only suite of the last use."""
    [path] = Path(job.known["steps.run.outputs.folder"]).rglob("report.md")
    return path.read_text()


def prose(markdown):
    """Markdown without code. Asserts that all code blocks and details end."""
    lines, fence, open_details = [], None, 0
    for line in markdown.splitlines():
        if fence:
            fence = None if line == fence else fence
            continue
        if line.startswith("```"):
            fence = re.match("`+", line)[0]
            continue
        open_details += line.startswith("<details>") - line.startswith("</details>")
        assert open_details in (0, 1), line
        line = re.sub(r"<code>.*?</code>", "", line)
        lines.append(re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", line))
    assert fence is None and open_details == 0, markdown[-300:]
    return "\n".join(lines)


def test_comments_on_pull_request_and_updates_comment(job):
    with Github(job) as github:
        (job.home / "agentci.yaml").write_text(FAILING)
        _, _, failed = job.use()
        assert failed and "commented on pull request 7" in job.log, job.log
        [comment] = github.comments
        first = MARKER.match(comment["body"])
        assert first and report(job) in comment["body"], comment
        assert "## ❌ `broken`: failed" in comment["body"], comment
        footer = "Commit 0123abcd, exit code 1: [job](https://github.com/owner/project/actions/runs/99), [all reports](https://example.invalid/artifact)\n"
        assert comment["body"].endswith(footer), comment
        (job.home / "agentci.yaml").write_text(PASSING)
        shutil.rmtree(job.temp / "agentci-action/comments")
        _, _, failed = job.use()
        assert not failed and "updated the comment on pull request 7" in job.log, job.log
        [comment] = github.comments
        assert comment["body"].startswith(first[0]) and "## ✅ `broken`: passed" in comment["body"], comment
        assert github.requests == ["GET", "POST", "GET", "PATCH"]
        assert "secret-token" not in job.log + comment["body"]


def test_jobs_workflows_and_uses_have_their_own_comments(job):
    with Github(job) as github:
        (job.home / "agentci.yaml").write_text(PASSING)
        job.use()
        job.use()
        for name, value in (("GITHUB_WORKFLOW", "other --> name"), ("GITHUB_JOB", "other")):
            shutil.rmtree(job.temp / "agentci-action/comments")
            job.variables[name] = value
            job.use()
        markers = {MARKER.match(comment["body"])[0] for comment in github.comments}
        assert len(markers) == len(github.comments) == 4, markers


def test_finds_own_comment_among_hundreds(job):
    for escaped in (False, True):
        with Github(job, escaped=escaped) as github:
            (job.home / "agentci.yaml").write_text(PASSING)
            shutil.rmtree(job.temp / "agentci-action/comments", ignore_errors=True)
            job.use()
            own = github.comments.pop()["body"]
            # Others write the marker too: a person, and a bot that quotes it.
            forged = github.add(own, login="mallory")
            github.add("> " + own)
            hostile = ['"id": 1, "body": "' + own + '"', '\\", {"user": {"login": "' + BOT + '"}} ]]', "{[:,\\\\\"", "\u2028 é 🦀\t\r\n"]
            for number in range(250):
                github.add(hostile[number % 4] + own[: number % 3])
            mine = github.add(own.replace("passed", "old"))
            github.requests.clear()
            shutil.rmtree(job.temp / "agentci-action/comments")
            job.use()
            assert github.requests == ["GET", "GET", "GET", "PATCH"], github.requests
            assert "old" not in mine["body"] and "`broken`: passed" in mine["body"], mine
            assert forged["body"] == own, forged


def test_fork_without_permission_gets_job_summary(job):
    (job.home / "agentci.yaml").write_text(FAILING)
    for allowed, refusal, in_actions in ((("GET",), 403, False), (("GET",), 403, True), ((), 404, False), ((), 500, True)):
        with Github(job, allowed=allowed) as github:
            github.refusal = refusal
            job.variables["GITHUB_ACTIONS"] = "true" if in_actions else ""
            given, _, failed = job.use()
            # The outcome is that of the suite.
            assert failed and given["exit-code"] == "1", job.log
            lines = [line for line in job.log.splitlines() if line.startswith("no comment on the pull request: ")]
            assert len(lines) == 1 and str(refusal) in lines[0] and lines[0].endswith("; the report is in the job summary"), lines
            summary = github.summary.read_text()
            assert summary.count("## ❌ `broken`: failed") == 1 and summary.count(report(job)) == 1, summary
            assert github.comments == []
    del job.variables["GITHUB_ACTIONS"]


def test_comparison_with_baseline_is_posted_after_the_report(job):
    (job.home / "agentci.yaml").write_text(PASSING)
    _, _, failed = job.use()
    assert not failed, job.log
    runs = Path(job.known["steps.run.outputs.folder"])
    [old] = [path.parent for path in runs.rglob("summary.json")]
    assert not list(runs.rglob("trajectories.*")), "there is no baseline to compare with"
    promote = ["baseline", "promote", "--from", str(old), "--to", str(job.home / "baseline.json")]
    subprocess.run([job.known["steps.key.outputs.binary"], *promote], check=True)
    (job.home / "agentci.yaml").write_text(FAILING)
    for compared, allowed in (({"baseline": "baseline.json"}, ("GET", "POST", "PATCH")), ({"compare_with": str(old)}, ("GET",))):
        with Github(job, allowed=allowed) as github:
            job.variables["GITHUB_ACTIONS"] = "true"
            _, _, failed = job.use(**compared)
            assert failed, job.log
            folder = Path(job.known["steps.run.outputs.folder"])
            [told], [page] = folder.rglob("trajectories.md"), folder.rglob("trajectories.html")
            told = told.read_text()
            assert told.startswith("## ⚠️ `broken`: 1 of 2 cases differs\n"), told
            assert "<code>pass -&gt; fail (check)" in told or "<code>pass -&gt; fail" in told, told
            assert page.read_text().startswith("<!doctype html>")
            assert github.summary.read_text().count(told) == 1, "the comparison is in the job summary"
            bodies = [comment["body"] for comment in github.comments]
            assert len(bodies) == ("POST" in allowed)
            for body in bodies:
                prose(body)
                assert body.index(report(job)) < body.index(told), body
    job.use(compare_with=str(job.home / "agentci.yaml"))
    assert not list(Path(job.known["steps.run.outputs.folder"]).rglob("trajectories.md")), "what is no run is not compared"
    assert "cannot be used" in job.log, job.log
    del job.variables["GITHUB_ACTIONS"]


def test_unreachable_api_fails_nothing(job):
    (job.home / "agentci.yaml").write_text(PASSING)
    with Github(job):
        pass
    given, _, failed = job.use()
    assert not failed and given["result"] == "passed", job.log
    assert "the API of GitHub cannot be reached; the report is in the job summary" in job.log, job.log


HOSTILE = '@someone </details> <!-- agentci:agents --> ``` ```` "quoted" back\\slash \\u003c tab\there | cell é 🦀 ${HOME} $(id) %s %n'


def test_hostile_markdown_stays_code(job):
    output = json.dumps({"type": "final_output", "output": {"answer": HOSTILE + "\n</details>\n```\n@someone\n\u001b[2J\r"}})
    (job.home / "answer").write_text(output + "\n")
    cases = "\n".join(
        f"  - {{ id: {json.dumps(name)}, input: {{}}, checks: [{{ contains: {json.dumps(HOSTILE + 'not')} }}] }}"
        for name in ("@someone", "</details>", "```", 'a|b"\\')
    )
    suite = f"suite: {json.dumps('@someone </details> ```')}\ntarget: {{ process: {{ command: [sh, -c, 'read -r task; cat answer'] }} }}\ncases:\n{cases}\n"
    (job.home / "agentci.yaml").write_text(suite)
    with Github(job) as github:
        job.use()
        [comment] = github.comments
        assert report(job) in comment["body"], comment["body"]
        text = prose(comment["body"])
        assert "@" not in text and text.count("<details>") == text.count("</details>") == 4, text
        assert text.count("<!--") == 1 and "\u001b" not in comment["body"], text


def test_long_reports_are_cut_with_a_link(job):
    answer = json.dumps({"type": "final_output", "output": {"answer": "é🦀`" * 3000}})
    (job.home / "answer").write_text(answer + "\n")
    cases = "\n".join(f"  - {{ id: case-{number}, input: {{}}, checks: [{{ contains: x{number} }}] }}" for number in range(50))
    for name in ("first", "second"):
        suite = f"suite: {name}\ntarget: {{ process: {{ command: [sh, -c, 'read -r task; cat answer'] }} }}\ncases:\n{cases}\n"
        (job.home / name).mkdir()
        (job.home / name / "agentci.yaml").write_text(suite)
    (job.home / "third").mkdir()
    (job.home / "third/agentci.yaml").write_text(PASSING)
    with Github(job) as github:
        job.use()
        [comment] = github.comments
        body = comment["body"]
        assert 40000 < len(body.encode()) <= 65000, len(body.encode())
        text = prose(body)
        # Each suite has its share.
        assert [line for line in text.splitlines() if line.startswith("## ")] == ["## ✅ : passed", "## ❌ : failed", "## ❌ : failed"], text
        assert body.count("**The rest was cut:** [all reports](https://example.invalid/artifact)") == 2, body[-300:]
        assert body.endswith("[all reports](https://example.invalid/artifact)\n"), body[-300:]


def test_comment_says_that_nothing_was_run(job):
    with Github(job) as github:
        (job.home / "agentci.yaml").write_text(PASSING)
        job.use()
        (job.home / "agentci.yaml").write_text("suite: [\n")
        shutil.rmtree(job.temp / "agentci-action/comments")
        _, _, failed = job.use()
        [comment] = github.comments
        assert failed and "## ❌ agentci: no report" in comment["body"] and "exit code 1" in comment["body"], comment


def test_comments_only_on_whole_runs_of_pull_requests(job):
    (job.home / "agentci.yaml").write_text(PASSING)
    with Github(job) as github:
        job.use(comment="false")
        job.use(shard="1/1")
        assert "no comment on the pull request: this is one shard of a run" in job.log, job.log
        del job.context["github.event.pull_request.number"]
        _, _, failed = job.use()
        assert not failed and github.requests == [], github.requests


def test_pending_shard_is_not_called_passed(job):
    (job.home / "agentci.yaml").write_text(FAILING.replace("cases:", "gates: { min_pass_rate: 0.5, decide: true }\ncases:"))
    given, _, failed = job.use(shard="1/1")
    assert not failed and (given["result"], given["exit-code"]) == ("pending", "0"), job.log


main(globals(), start=Job)
