"""Where the `agentci` program of this installation is."""

import os
import sysconfig

__all__ = ["binary_path"]


def binary_path() -> str:
    """The path of the `agentci` program that was installed with this package."""
    # `pip install --target` and `--prefix` put the program beside the packages or above them.
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
    raise FileNotFoundError(f"the `agentci` program is in none of {', '.join(folders)}: install the package again")


def _is_script(path: str) -> bool:
    with open(path, "rb") as file:
        return file.read(2) == b"#!"
