#!/usr/bin/env python3
"""mdBook preprocessor: turns relative links to files outside docs/ into links to the repository.

On GitHub, a page links to `../../examples/ci/github.yml`. The site contains only docs/, so the link becomes
`<git-repository-url>/blob/<branch>/examples/ci/github.yml`, and a link to a directory becomes `<git-repository-url>/tree/...`.
Links in code are not changed. A link to a file that does not exist is an error.
"""

import json
import posixpath
import re
import sys
from pathlib import Path
from urllib.parse import unquote

FENCE = re.compile(r"\s*(?:> ?)*(?:[-*+] +|\d+[.)] +)?(`{3,}|~{3,})")
# A code span, which is skipped, or the target of a link: `[text](target)`, `[text](<target>)` or `[name]: target`.
TARGET = re.compile(
    r"""(?<!`)(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)
    | (?P<before> \]\(\s*<? | ^\s{0,3}\[[^\]]+\]:\s+<? ) (?P<target> [^\s()<>]+ )""",
    re.VERBOSE,
)


class Repository:
    def __init__(self, context):
        html = context["config"]["output"]["html"]
        self.url = html["git-repository-url"].rstrip("/")
        self.branch = context["config"]["preprocessor"]["repository-links"]["branch"]
        self.root = Path(context["root"])
        self.source = context["config"]["book"]["src"]

    def link(self, page, target):
        """The target of a link on a page, as the site needs it."""
        path, mark, anchor = target.partition("#")
        if not path or path.startswith("/") or re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", path):
            return target
        directory = posixpath.dirname(posixpath.join(self.source, page))
        path = posixpath.normpath(posixpath.join(directory, unquote(path)))
        file = self.root / path
        if path == ".." or path.startswith("../") or not file.exists():
            sys.exit(f"error: {self.source}/{page}: `{target}` does not exist")
        if file.is_file() and path.startswith(self.source + "/"):
            return target
        kind = "tree" if file.is_dir() else "blob"
        return f"{self.url}/{kind}/{self.branch}/{path}{mark}{anchor}"

    def rewrite(self, page, text):
        """The text of a page with its links rewritten."""

        def replace(found):
            if not found["target"]:
                return found[0]
            return found["before"] + self.link(page, found["target"])

        lines, fence = [], None
        for line in text.splitlines(keepends=True):
            marker = FENCE.match(line)
            if fence:
                if marker and marker[1].startswith(fence) and not line[marker.end() :].strip():
                    fence = None
            elif marker:
                fence = marker[1]
            else:
                line = TARGET.sub(replace, line)
            lines.append(line)
        return "".join(lines)

    def rewrite_all(self, items):
        for item in items:
            chapter = item.get("Chapter") if isinstance(item, dict) else None
            if not chapter:
                continue
            if chapter["source_path"]:
                chapter["content"] = self.rewrite(chapter["source_path"], chapter["content"])
            self.rewrite_all(chapter["sub_items"])


def main():
    if sys.argv[1:2] == ["supports"]:
        sys.exit(0 if sys.argv[2:] == ["html"] else 1)
    context, book = json.load(sys.stdin)
    Repository(context).rewrite_all(book["items"])
    json.dump(book, sys.stdout)


main()
