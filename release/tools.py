"""The tools that the release scripts need besides Rust and Node.js: installed once, at pinned versions, into target/tools."""

import shutil
import subprocess
import sys
import venv

from project import ROOT

FOLDER = ROOT / "target/tools/release"
PACKAGES = [
    "maturin==1.16.0",
    # The C compiler and linker for Linux: it links against the old C library that manylinux2014 requires.
    "ziglang==0.17.0",
    # libdeflate: the best compression that every pip and npm can read.
    "deflate==0.9.0",
]


def tools():
    """Installs the tools if necessary and returns their folder."""
    stamp = FOLDER / "versions"
    if not stamp.is_file() or stamp.read_text() != "\n".join(PACKAGES):
        shutil.rmtree(FOLDER, ignore_errors=True)
        venv.create(FOLDER, with_pip=True, symlinks=True)
        pip = [FOLDER / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        done = subprocess.run([*pip, *PACKAGES], check=False)
        if done.returncode != 0:
            sys.exit("error: the release tools could not be installed")
        stamp.write_text("\n".join(PACKAGES))
    return FOLDER / "bin"


def compress(data, form):
    """Compresses bytes to `gzip` or raw `deflate` form at the highest level."""
    code = "import sys, deflate; sys.stdout.buffer.write(getattr(deflate, sys.argv[1])(sys.stdin.buffer.read(), 12))"
    command = [tools() / "python", "-c", code, f"{form}_compress"]
    return subprocess.run(command, input=data, stdout=subprocess.PIPE, check=True).stdout
