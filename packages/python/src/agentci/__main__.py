"""`python -m agentci`: replaces this process with the `agentci` binary."""

import os
import sys

from agentci import binary_path

try:
    program = binary_path()
except FileNotFoundError as error:
    sys.exit(f"error: {error}")
os.execv(program, [program, *sys.argv[1:]])
