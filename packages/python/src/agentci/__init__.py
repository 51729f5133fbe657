"""Finds the `agentci` binary of this installation."""

import os
import sysconfig

__all__ = ["binary_path"]


def binary_path() -> str:
    """Return the path of the `agentci` binary that was installed with this package."""
    # `pip install --target` and `--prefix` put the binary next to the packages or above them.
    packages = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    folders = [
        sysconfig.get_path("scripts"),
        sysconfig.get_path("scripts", f"{os.name}_user"),
        os.path.join(packages, "bin"),
        os.path.abspath(os.path.join(packages, "..", "..", "..", "bin")),
    ]
    for folder in folders:
        path = os.path.join(folder, "agentci")
        # A script of that name belongs to another package.
        if os.path.isfile(path) and not _is_script(path):
            return path
    raise FileNotFoundError(f"the `agentci` binary is not in {', '.join(folders)}: reinstall the package")


def _is_script(path: str) -> bool:
    with open(path, "rb") as file:
        return file.read(2) == b"#!"
