"""Facts about the project for the release scripts: its version, package names and platforms."""

import json
import os
import platform
import re
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NPM = ROOT / "packages/npm"
PYTHON = ROOT / "packages/python"
# Files shipped with every program: our licences, and the notice of the built-in model.
LICENCES = {name: ROOT / name for name in ("LICENSE", "LICENSE-MIT", "LICENSE-APACHE")}
LICENCES["NOTICE"] = ROOT / "crates/weights/assets/NOTICE"


@dataclass(frozen=True)
class Target:
    """A platform that packages are built for, by its Rust target name."""

    name: str
    # The names that Node.js uses.
    system: str
    processor: str

    @property
    def npm(self):
        return f"{self.system}-{self.processor}"


TARGETS = {
    target.name: target
    for target in (
        Target("x86_64-unknown-linux-gnu", "linux", "x64"),
        Target("aarch64-unknown-linux-gnu", "linux", "arm64"),
        Target("x86_64-apple-darwin", "darwin", "x64"),
        Target("aarch64-apple-darwin", "darwin", "arm64"),
    )
}


def target(name):
    """Returns the target with this name; exits with an error if it does not exist."""
    if name not in TARGETS:
        sys.exit(f"error: `{name}` is not a target; the targets are {', '.join(TARGETS)}")
    return TARGETS[name]


def this_machine():
    """Returns the target of this machine."""
    processor = {"x86_64": "x86_64", "amd64": "x86_64", "arm64": "aarch64", "aarch64": "aarch64"}.get(platform.machine())
    system = {"linux": "unknown-linux-gnu", "darwin": "apple-darwin"}.get(sys.platform)
    return target(f"{processor}-{system}")


def version():
    """Returns the version in Cargo.toml, which all packages share."""
    text = (ROOT / "Cargo.toml").read_text()
    return re.search(r'^\[workspace\.package\]\nversion = "([^"]+)"$', text, re.MULTILINE)[1]


def python_name():
    return re.search(r'^name = "([^"]+)"$', (PYTHON / "pyproject.toml").read_text(), re.MULTILINE)[1]


def npm_name():
    return json.loads((NPM / "package.json").read_text())["name"]


def npm_platform_name(of):
    """Returns the name of the npm package with the program for a target; index.js loads it by this name."""
    return f"@{npm_name()}/{of.npm}"


def cargo_folder():
    """Returns the target folder of cargo."""
    return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()
