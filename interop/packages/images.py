"""Builds the small image and runs the commands of the documentation in containers, with podman in place of Docker.

Needs root, podman and runc. Base images cannot be downloaded here: that of the small image is assembled from the libraries of this
machine. The commands run with a user id that neither this machine nor the image lists. The last line is `N passed, N failed`.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
USER = 12345
PAGES = ("README.md", "docs/guides/ci.md", "docs/guides/installing.md")
# Containers on the host's network and without cgroup limits, so that this machine needs no setup.
CONTAINERS = """[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1000:1000"]
netns = "host"
[engine]
cgroup_manager = "cgroupfs"
events_logger = "none"
runtime = "runc"
"""
DOCKER = """#!/bin/sh
command=$1
shift
if [ "$command" = build ]; then set -- --isolation chroot "$@"; fi
exec podman "$command" "$@"
"""


def main():
    if os.getuid() != 0 or not shutil.which("podman") or not shutil.which("runc"):
        sys.exit("error: this needs root, podman and runc")
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        set_up(Path(folder))
        for name, act in list(globals().items()):
            if not name.startswith("test_"):
                continue
            home = Path(tempfile.mkdtemp(dir=folder))
            try:
                act(home)
                passed += 1
                print(f"ok {name}", flush=True)
            except (AssertionError, subprocess.SubprocessError) as error:
                failed += 1
                print(f"FAILED {name}: {error}", flush=True)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


def set_up(folder):
    """Builds the image from an existing binary with `docker build`, and tags it with the names that the pages use."""
    programs = folder / "bin"
    programs.mkdir()
    # The programs that the commands on the pages call: `docker`, and `id` for the user id.
    for name, text in (("docker", DOCKER), ("id", f"#!/bin/sh\necho {USER}\n")):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    os.environ["PATH"] = f"{programs}{os.pathsep}{os.environ['PATH']}"
    storage = f'[storage]\ndriver = "vfs"\nrunroot = "{folder}/run"\ngraphroot = "{folder}/images"\n'
    for variable, text in (("CONTAINERS_STORAGE_CONF", storage), ("CONTAINERS_CONF", CONTAINERS)):
        (folder / variable).write_text(text)
        os.environ[variable] = str(folder / variable)
    program = os.environ["AGENTCI"]
    stand_in(folder / "base", program)
    context = folder / "context"
    context.mkdir()
    shutil.copy(program, context / "agentci")
    run("strip", context / "agentci")
    for licence in (*ROOT.glob("LICENSE*"), ROOT / "crates/weights/assets/NOTICE"):
        shutil.copy(licence, context)
    named = [part for name in ("agentci", "ghcr.io/your-organisation/agentci", "ghcr.io/your-organisation/agentci:0.1.0") for part in ("--tag", name)]
    run("docker", "build", "--file", ROOT / "Dockerfile", "--build-arg", "BINARY=built", "--target", "small", *named, context)


def stand_in(base, program):
    """Imports a stand-in for the base image: the libraries of the program, and a world-writable /tmp."""
    (base / "tmp").mkdir(parents=True)
    (base / "tmp").chmod(0o1777)
    for library in re.findall(r"(/\S+) \(0x", run("ldd", program)):
        there = base / library.lstrip("/")
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(library, there)
    tar = subprocess.run(["tar", "-C", base, "-c", "."], capture_output=True, check=True)
    command = ["podman", "import", "--quiet", "-", "gcr.io/distroless/cc-debian12:nonroot"]
    subprocess.run(command, input=tar.stdout, capture_output=True, check=True)


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, **options)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}"
    return done.stdout


def evals(folder, owner):
    """Creates a project with a suite, owned by this user id."""
    run(os.environ["AGENTCI"], "init", "evals", "--kind", "command", cwd=folder)
    for path in (folder, *folder.rglob("*")):
        os.chown(path, owner, owner)


def owner_of_the_run(folder):
    (summary,) = folder.glob(".agentci/runs/evals/*/summary.json")
    return summary.stat().st_uid


def test_documented_docker_commands_work(folder):
    found = [(page, line) for page in PAGES for line in re.findall(r"docker run [^`\n]+", (ROOT / page).read_text())]
    assert {page for page, _ in found} == set(PAGES), found
    for number, (page, command) in enumerate(found):
        project = folder / str(number)
        project.mkdir()
        evals(project, USER)
        run("sh", "-c", command, cwd=project)
        assert owner_of_the_run(project) == USER, page


def test_image_does_not_run_as_root(folder):
    (folder / "known").mkdir()
    evals(folder / "known", 1000)
    run("docker", "run", "--rm", "--volume", f"{folder}/known:/workspace", "agentci", "run", "evals")
    assert owner_of_the_run(folder / "known") == 1000
    # Not root in a folder that it cannot write to either.
    (folder / "other").mkdir()
    evals(folder / "other", USER)
    done = subprocess.run(["docker", "run", "--rm", "--volume", f"{folder}/other:/workspace", "agentci", "run", "evals"], capture_output=True, text=True)
    assert done.returncode == 1 and "ermission denied" in done.stdout + done.stderr, done
    assert not (folder / "other/.agentci").exists()


def test_compose_user_can_write_results(folder):
    shutil.copytree(ROOT / "examples/scenario", folder / "scenario", ignore=shutil.ignore_patterns("results", ".agentci"))
    (folder / "scenario/results").mkdir()
    for path in (folder / "scenario").rglob("*"):
        os.chown(path, USER, USER)
    compose = (folder / "scenario/docker-compose.test.yml").read_text()
    volumes = re.findall(r"^      - (\./\S*)$", compose, re.MULTILINE)
    assert len(volumes) == 2 and "user: ${AGENTCI_USER:-1000:1000}" in compose, compose
    mounted = [part for volume in volumes for part in ("--volume", volume.replace("./", f"{folder}/scenario/", 1))]
    command = ["docker", "run", "--rm", "--user", f"{USER}:{USER}", *mounted, "agentci", "init", "results/suite", "--kind", "command"]
    run(*command)
    assert (folder / "scenario/results/suite/agentci.yaml").stat().st_uid == USER


main()
