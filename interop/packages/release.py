"""Takes the steps of the release workflow that need no GitHub, for this machine, and builds the source distribution with pip.

The last line is `N passed, N failed`. What was made is in `dist`.
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

# Those that build here. What needs GitHub is in docs/design/releases.md.
JOBS = ("program", "files")
LEFT_OUT = {"Install Rust": "the toolchain is the one that runs the tests"}


def main():
    passed = failed = 0
    # As on a machine that has just checked out the project.
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
    """The names of the steps and what does them."""
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
    """Installs the source distribution into a clean environment; unoptimised, since only the build is in question."""
    # Unpacked where it was the last time, or cargo would keep what it builds for each place; with the present time (-m), or cargo
    # would take changed files for those of the last time.
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
