"""Runs the steps of the release workflow that do not need GitHub, for this platform, and builds the source distribution with pip.

The last line is `N passed, N failed`. The files are written to `dist`.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from ruamel.yaml import YAML

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "release"))

from project import cargo_folder, this_machine, version  # noqa: E402

# The jobs that can run here. docs/design/releases.md lists the ones that need GitHub.
JOBS = ("program", "files")
LEFT_OUT = {"Install Rust": "the toolchain is the one that runs the tests"}


def main():
    passed = failed = 0
    # Start as on a machine with a fresh checkout.
    shutil.rmtree(ROOT / "dist", ignore_errors=True)
    for name, act in [*steps(), ("Build the sources with pip", pip_builds)]:
        started = time.monotonic()
        done = act()
        print(f"{'ok' if done else 'FAILED'} {name} ({time.monotonic() - started:.0f} s)", flush=True)
        passed, failed = passed + done, failed + (not done)
        if not done:
            break
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


def steps():
    """Yields the name of each step, and a function that runs it."""
    jobs = YAML(typ="safe").load(ROOT / ".github/workflows/release.yml")["jobs"]
    for step in (step for name in JOBS for step in jobs[name]["steps"]):
        if "run" in step and step["name"] not in LEFT_OUT:
            yield step["name"], partial(shell, step["run"])


def shell(command, **variables):
    if command.startswith("release/try"):
        command += " --limits"
    surroundings = {**os.environ, "TARGET": this_machine().name, "CARGO_TARGET_DIR": str(cargo_folder()), **variables}
    return subprocess.run(["bash", "-e", "-o", "pipefail", "-c", command], cwd=ROOT, env=surroundings, check=False).returncode == 0


def pip_builds():
    """Installs the source distribution into a clean environment; unoptimised, since only the build itself is tested."""
    # Always unpacked to the same folder, or cargo would keep a build for each folder; with current file times (-m), or cargo would
    # take changed files for unchanged ones.
    source = f"target/sources/agentci_replay-{version()}"
    with tempfile.TemporaryDirectory() as folder:
        commands = f"""mkdir -p target/sources
            rm -rf {source}
            tar -xzmf dist/agentci_replay-{version()}.tar.gz -C target/sources
            python3 -m venv {folder}
            {folder}/bin/pip install --quiet --disable-pip-version-check ./{source}
            test "$({folder}/bin/agentci --version)" = "agentci {version()}"
            test "$({folder}/bin/python -m agentci --version)" = "agentci {version()}"
        """
        return shell(commands, MATURIN_PEP517_ARGS="--profile dev")


main()
