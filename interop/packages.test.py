"""The wheel and the npm packages: built from the binary under test, installed into clean environments, and used there.

The release build, its size and its startup time are tested in `packages/release.py`, which takes minutes.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from pathlib import Path

from harness import FOLDER, main

ROOT = FOLDER.parent
RELEASE = ROOT / "release"
sys.path.insert(0, str(RELEASE))

from project import TARGETS, npm_name, npm_platform_name, python_name, this_machine, version  # noqa: E402
from registry import Registry  # noqa: E402
from tools import tools  # noqa: E402

HOME = Path(os.environ["INTEROP_HOME"])
WSL = "agentci does not run on Windows: install it inside WSL, the Windows Subsystem for Linux"


class Folder:
    """A temporary folder."""

    def __enter__(self):
        self.path = Path(tempfile.mkdtemp())
        return self.path

    def __exit__(self, *_):
        shutil.rmtree(self.path)


def run(*command, **options):
    """Runs a command that must succeed and returns its output."""
    done = attempt(*command, **options)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}"
    return done.stdout


def attempt(*command, env=None, **options):
    surroundings = {**os.environ, **(env or {})}
    return subprocess.run(command, capture_output=True, text=True, timeout=900, env=surroundings, **options)


def test_built_packages_install_and_run(folder):
    target = this_machine().name
    wheel = run(RELEASE / "wheel", "--profile", "dev", "--out", folder).strip()
    run(RELEASE / "archive", wheel, "--target", target, "--out", folder, "--quick")
    program = folder / target / "agentci"
    assert program.read_bytes() == Path(os.environ["AGENTCI"]).read_bytes(), "the wheel has another program"
    run(RELEASE / "npm", "--out", folder, "--quick", "program", program, "--target", target)
    print(run(RELEASE / "try", folder))


def test_source_distribution_is_complete(folder):
    archive = run(RELEASE / "sdist", "--out", folder).strip()
    with tarfile.open(archive) as packed:
        packed.extractall(folder)
        assert all(entry.isfile() and entry.mtime == 315532800 for entry in packed), "not the same bytes each time"
    source = folder / Path(archive).name.removesuffix(".tar.gz")
    # Exactly the tested versions, and no others to download.
    described = json.loads(run("cargo", "metadata", "--locked", "--format-version", "1", cwd=source))
    ours = {package["name"] for package in described["packages"] if package["source"] is None}
    assert "agentci" in ours and "agentci-weights" in ours and "agentci-dev" not in ours, ours
    assert all((source / name).is_file() for name in ("LICENSE", "LICENSE-MIT", "LICENSE-APACHE", "NOTICE", "README.md"))
    included = 0
    for path in source.glob("crates/*/src/**/*.rs"):
        for name in re.findall(r'include_(?:str|bytes)!\("([^"]+)"\)', path.read_text()):
            assert (path.parent / name).is_file(), f"{path.relative_to(source)} includes {name}"
            included += 1
    assert included > 30, included
    # Cargo rejects a crate that names a missing file, even if that file is not built.
    for manifest in source.glob("crates/*/Cargo.toml"):
        crate = tomllib.loads(manifest.read_text())
        for kind in ("test", "bench", "example"):
            for named in crate.get(kind, []):
                paths = (named.get("path", ""), f"{kind}s/{named['name']}.rs", f"{kind}s/{named['name']}/main.rs")
                assert any((manifest.parent / path).is_file() for path in paths), f"{manifest}: {named}"
    templates = {path.relative_to(ROOT) for path in (ROOT / "crates/agentci/templates").rglob("*") if path.is_file()}
    assert templates and all((source / path).is_file() for path in templates), templates


def test_pip_refuses_windows_with_one_line(folder):
    archive = run(RELEASE / "sdist", "--out", folder).strip()
    # Only the build backend sees Windows as its platform: pip itself would look for Windows files.
    (folder / "sitecustomize.py").write_text(
        'import sys\nif any("in_process" in part for part in sys.orig_argv):\n    sys.platform = "win32"\n'
    )
    command = [tools() / "python", "-m", "pip", "install", "--no-index", "--no-build-isolation", "--target", folder / "out", archive]
    done = attempt(*command, env={"PYTHONPATH": str(folder)})
    said = [line.strip() for line in (done.stdout + done.stderr).splitlines() if "Windows" in line]
    assert done.returncode != 0 and said == [WSL], done.stdout + done.stderr
    backend = ROOT / "packages/python/backend"
    done = attempt(sys.executable, "-c", "import sys; sys.platform = 'freebsd14'; import agentci_build", cwd=backend)
    assert done.stderr == "agentci runs on Linux and macOS, not on freebsd14\n", done.stderr


def npm_project(folder, *, platform=True):
    """Creates a project with the npm packages as npm would unpack them, with a shell script in place of the binary."""
    packages = folder / "node_modules"
    shutil.copytree(ROOT / "packages/npm", packages / npm_name())
    program = packages / npm_platform_name(this_machine()) / "agentci"
    if platform:
        program.parent.mkdir(parents=True)
        program.write_text("#!/bin/sh\n" + 'eval "$1"\n')
        program.chmod(0o755)
    (folder / "package.json").write_text('{ "private": true, "type": "module" }\n')
    return packages / npm_name() / "bin/agentci.js", program


def test_launcher_exits_like_the_program(folder):
    launcher, _ = npm_project(folder)
    done = attempt("node", launcher, "cat; echo said >&2; exit 7", input="heard")
    assert (done.returncode, done.stdout, done.stderr) == (7, "heard", "said\n"), done
    assert attempt("node", launcher, "exit 0").returncode == 0
    for name in ("KILL", "TERM", "INT", "SEGV"):
        done = attempt("node", launcher, f"kill -{name} $$")
        assert done.returncode == -getattr(signal, f"SIG{name}"), (name, done)


def test_launcher_forwards_signals_and_waits(folder):
    launcher, _ = npm_project(folder)
    for name in ("TERM", "INT", "HUP"):
        script = f"trap 'echo got {name}; exit 5' {name}; echo ready; while :; do sleep 0.05; done"
        with subprocess.Popen(["node", launcher, script], stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
            assert process.stdout.readline() == "ready\n"
            process.send_signal(getattr(signal, f"SIG{name}"))
            said, _ = process.communicate(timeout=30)
            assert (said, process.returncode) == (f"got {name}\n", 5)


def test_binary_path_is_typed(folder):
    _, program = npm_project(folder)
    module = "import {{ binaryPath }} from '{0}';\nconst path: string = binaryPath();\nconsole.log(path);\n".format(npm_name())
    (folder / "use.mts").write_text(module)
    (folder / "wrong.mts").write_text(module.replace("string", "number"))
    (folder / "use.cts").write_text(module)
    tsc = ["node", HOME / "node_modules/typescript/bin/tsc", "--strict", "--module", "nodenext", "--outDir", folder]
    options = ["--lib", "es2022,dom"]
    run(*tsc, *options, "use.mts", "use.cts", cwd=folder)
    for built in ("use.mjs", "use.cjs"):
        assert run("node", built, cwd=folder) == f"{program}\n"
    done = attempt(*tsc, *options, "wrong.mts", cwd=folder)
    assert done.returncode != 0 and "'string' is not assignable to type 'number'" in done.stdout, done.stdout


def test_missing_binary_is_explained(folder):
    launcher, _ = npm_project(folder, platform=False)
    done = attempt("node", launcher, "--version")
    name = npm_platform_name(this_machine())
    wanted = f"error: the package {name} is not installed: reinstall on this machine, with optional dependencies\n"
    assert (done.returncode, done.stderr) == (1, wanted), done
    for machine, wanted in (
        ("platform:win32", WSL),
        ("platform:freebsd", "there is no agentci binary for freebsd-x64; supported platforms: linux-x64, linux-arm64, darwin-x64, darwin-arm64"),
        ("arch:ia32", "there is no agentci binary for linux-ia32; supported platforms: linux-x64, linux-arm64, darwin-x64, darwin-arm64"),
    ):
        key, value = machine.split(":")
        (folder / "machine.cjs").write_text(f'Object.defineProperty(process, "{key}", {{ value: "{value}" }});\n')
        done = attempt("node", "--require", folder / "machine.cjs", launcher, "--version")
        assert (done.returncode, done.stderr) == (1, f"error: {wanted}\n"), done
    alpine = 'const report = { header: {} };\nprocess.report.getReport = () => report;\n'
    (folder / "machine.cjs").write_text(alpine)
    done = attempt("node", "--require", folder / "machine.cjs", launcher, "--version")
    assert done.returncode == 1 and "without glibc, such as Alpine" in done.stderr, done


def test_npm_refuses_windows_with_one_line(folder):
    packed = folder / "packed"
    launcher = Path(run(RELEASE / "npm", "--out", packed, "launcher").strip())
    (folder / "package.json").write_text('{ "private": true }\n')
    # Only the package's own script sees Windows as its platform: npm itself would look for a Windows shell.
    windows = 'if ((process.argv[1] ?? "").endsWith("platform.js")) Object.defineProperty(process, "platform", { value: "win32" });\n'
    (folder / "windows.cjs").write_text(windows)
    with Registry([launcher]) as registry:
        surroundings = {"npm_config_registry": registry.url, "npm_config_cache": str(folder / "cache")}
        surroundings["NODE_OPTIONS"] = f"--require {folder / 'windows.cjs'}"
        done = attempt("npm", "install", "--no-audit", "--no-fund", npm_name(), cwd=folder, env=surroundings)
    said = [line for line in done.stderr.splitlines() if "Windows" in line]
    assert done.returncode != 0 and len(said) == 1 and said[0].endswith(WSL), done.stderr
    assert not (folder / "node_modules" / npm_name()).exists()


def test_python_package_finds_installed_binary(folder):
    found = "import agentci; print(agentci.binary_path())"
    shutil.copytree(ROOT / "packages/python/src/agentci", folder / "agentci")
    done = attempt(sys.executable, "-m", "agentci", "--version", cwd=folder)
    assert done.returncode == 1 and "reinstall the package" in done.stderr, done.stderr
    (folder / "bin").mkdir()
    # A script of that name belongs to another package.
    (folder / "bin/agentci").write_text("#!/bin/sh\n")
    assert attempt(sys.executable, "-c", found, cwd=folder).returncode == 1
    shutil.copyfile(os.environ["AGENTCI"], folder / "bin/agentci")
    (folder / "bin/agentci").chmod(0o755)
    assert run(sys.executable, "-c", found, cwd=folder) == f"{folder}/bin/agentci\n"
    assert run(sys.executable, "-m", "agentci", "--version", cwd=folder) == f"agentci {version()}\n"


def test_docs_use_correct_package_names(_):
    supported = re.search(r"const supported = (\[.*\]);", (ROOT / "packages/npm/platform.js").read_text())
    assert json.loads(supported[1]) == [target.npm for target in TARGETS.values()]
    assert f'`@{npm_name()}/' in (ROOT / "packages/npm/platform.js").read_text()
    for page in ("README.md", "packages/python/README.md", "packages/npm/README.md", "docs/guides/installing.md"):
        text = (ROOT / page).read_text()
        for name in re.findall(r"(?:pip install|pipx install|uv tool install) (?:-\S+ )*([a-z][\w-]*)", text):
            assert name == python_name(), f"{page}: {name}"
        for name in re.findall(r"(?:npm install(?: --save-dev)?|npx(?: --yes)?) ([a-z][\w-]*)", text):
            # The pages warn readers about `npx agentci`.
            assert name == npm_name() or f"do not run `npx {name}`" in text, f"{page}: {name}"


main(globals(), start=Folder)
