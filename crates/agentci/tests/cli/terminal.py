"""Runs a command at a new terminal: `terminal.py ANSWER... -- COMMAND...`.

Each answer is typed when the command waits for input, that is, when its output ends in "] ". `^C` and `^D` stand for those
keys. The output and the exit code are printed as JSON. The command is killed after 30 seconds without output. The terminal
has as many columns as the variable `TERMINAL_COLUMNS` says, or else an unknown number.
"""

import fcntl
import json
import os
import pty
import select
import struct
import sys
import termios

words = sys.argv[1:]
cut = words.index("--")
answers, command = words[:cut], words[cut + 1 :]
pid, terminal = pty.fork()
if pid == 0:
    columns = int(os.environ.pop("TERMINAL_COLUMNS", "0"))
    if columns:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    os.execv(command[0], command)
shown = b""
while True:
    ready, _, _ = select.select([terminal], [], [], 30)
    if not ready:
        shown += b"[nothing more came]"
        os.kill(pid, 9)
        break
    try:
        piece = os.read(terminal, 4096)
    except OSError:
        break
    if not piece:
        break
    shown += piece
    if shown.endswith(b"] ") and answers:
        keys = {"^C": b"\x03", "^D": b"\x04"}
        answer = answers.pop(0)
        os.write(terminal, keys.get(answer) or answer.encode() + b"\n")
_, status = os.waitpid(pid, 0)
print(json.dumps({"shown": shown.decode(), "code": os.waitstatus_to_exitcode(status), "unsaid": answers}))
