"""Takes the steps of the release workflow that need no GitHub, for this machine, and builds the source distribution with pip.

The last line is `N passed, N failed`. Everything goes to a folder of its own; cargo builds where it always does.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ruamel.yaml import YAML

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "release"))

from project import cargo_folder, this_machine, version  # noqa: E402

# Those that build here. What needs GitHub is in docs/design/releases.md.
JOBS = ("program", "files")
LEFT_OUT = {"Install Rust": "the toolchain is the one that runs the tests"}


def main():
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        copy(Path(folder) / "project")
        for name, act in [*steps(Path(folder) / "project"), ("Build the sources with pip", pip_builds)]:
            started = time.monotonic()
            done = act(Path(folder) / "project")
            took = time.monotonic() - started
            print(f"{'ok' if done else 'FAILED'} {name} ({took:.0f} s)", flush=True)
            passed, failed = passed + done, failed + (not done)
            if not done:
                break
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


def copy(project):
    """What git would check out, without what was built."""
    ignored = shutil.ignore_patterns(".git", ".agentci", "target", "dist", "node_modules", "__pycache__")
    shutil.copytree(ROOT, project, ignore=ignored, symlinks=True)
    # The tools are installed once.
    (project / "target").mkdir()
    (ROOT / "target/tools").mkdir(parents=True, exist_ok=True)
    (project / "target/tools").symlink_to(ROOT / "target/tools")


def steps(project):
    """The names of the steps and what does them."""
    jobs = YAML(typ="safe").load(project / ".github/workflows/release.yml")["jobs"]
    for step in (step for name in JOBS for step in jobs[name]["steps"]):
        if "run" in step and step["name"] not in LEFT_OUT:
            yield step["name"], lambda folder, command=step["run"]: shell(command, folder)


def shell(command, folder, **variables):
    if command.startswith("release/try"):
        command += " --limits"
    surroundings = {**os.environ, "TARGET": this_machine().name, "CARGO_TARGET_DIR": str(cargo_folder()), **variables}
    return subprocess.run(["bash", "-e", "-o", "pipefail", "-c", command], cwd=folder, env=surroundings, check=False).returncode == 0


def pip_builds(project):
    """Installs the source distribution into a clean environment; unoptimised, since only the build is in question."""
    commands = f"""python3 -m venv built
        built/bin/pip install --quiet --disable-pip-version-check --no-binary :all: --only-binary maturin dist/agentci_replay-{version()}.tar.gz
        test "$(built/bin/agentci --version)" = "agentci {version()}"
        test "$(built/bin/python -m agentci --version)" = "agentci {version()}"
    """
    return shell(commands, project, MATURIN_PEP517_ARGS="--profile dev")


main()
