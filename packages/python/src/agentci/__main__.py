"""`python -m agentci`: becomes the `agentci` program."""

import os
import sys

from agentci import binary_path

try:
    program = binary_path()
except FileNotFoundError as error:
    sys.exit(f"error: {error}")
os.execv(program, [program, *sys.argv[1:]])
