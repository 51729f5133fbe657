"""A framework guide as a sequence of steps, in the comment dialect of all guides, plus one comment.

    <!-- model          the lines up to --> are the script of the model that the provider's host serves while recording
    <!-- file: NAME -->  the next block is this file
    <!-- exit: 1 -->     the last command of the next block ends with this exit code [default: 0]
    <!-- output -->      the next block is the output of the block before it; `...` is any number of lines
"""

import re
from dataclasses import dataclass
from pathlib import Path

# What differs between two runs of the same command.
VARIES = [
    (re.compile(r"\b\d{8}-\d{6}(-\d+)?\b"), "[run]"),
    (re.compile(r"\b\d+(\.\d+)? (ms|s|min)\b"), "[time]"),
    (re.compile(r"\(\d+(\.\d+)? (bytes|KiB|MiB)\)"), "([size])"),
]


@dataclass
class Block:
    """A code block; `first` and `last` are the numbers of the lines between the fences, from 0."""

    language: str
    lines: list
    first: int
    last: int
    file: str = ""
    exit: int = 0
    output: bool = False


@dataclass
class Page:
    path: Path
    model: str
    blocks: list

    @classmethod
    def read(cls, path):
        lines = path.read_text().splitlines()
        model, blocks, marks, at = "", [], {}, 0
        while at < len(lines):
            line = lines[at].strip()
            if line == "<!-- model":
                end = lines.index("-->", at)
                model, at = "\n".join(lines[at + 1 : end]) + "\n", end
            elif mark := re.fullmatch(r"<!-- (\w+)(?:: (.*))? -->", line):
                marks[mark.group(1)] = mark.group(2) or True
            elif line.startswith("```"):
                end = lines.index("```", at + 1)
                block = Block(line[3:], lines[at + 1 : end], at + 1, end)
                block.file, block.output = marks.get("file", ""), "output" in marks
                block.exit = int(marks.get("exit", 0))
                blocks.append(block)
                marks, at = {}, end
            at += 1
        return cls(path, model, blocks)

    def replace(self, block, printed):
        """Writes other lines into a block of the file. Blocks after it move, so the last ones go first."""
        lines = self.path.read_text().splitlines()
        lines[block.first : block.last] = printed.rstrip("\n").splitlines()
        self.path.write_text("\n".join(lines) + "\n")


def steady(text):
    """The text without what differs from run to run."""
    for pattern, instead in VARIES:
        text = pattern.sub(instead, text)
    return [line.rstrip() for line in text.rstrip("\n").splitlines()]


def fits(wanted, lines):
    """Whether lines are as wanted, where `...` is any number of them."""
    if not wanted:
        return not lines
    if wanted[0].strip() == "...":
        return any(fits(wanted[1:], lines[skipped:]) for skipped in range(len(lines) + 1))
    return bool(lines) and lines[0] == wanted[0] and fits(wanted[1:], lines[1:])
