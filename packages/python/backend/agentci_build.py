"""Builds agentci with maturin; exits with a one-line error on unsupported platforms."""

import sys

if sys.platform in ("win32", "cygwin", "msys"):
    sys.exit("agentci does not run on Windows: install it inside WSL, the Windows Subsystem for Linux")
if sys.platform not in ("linux", "darwin"):
    sys.exit(f"agentci runs on Linux and macOS, not on {sys.platform}")

from maturin import *  # noqa: E402, F403 - every hook is maturin's own
