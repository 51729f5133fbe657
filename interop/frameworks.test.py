"""Does what each page of docs/guides/frameworks says, with the real framework.

    AGENTCI=... INTEROP_HOME=... python interop/frameworks.test.py [--accept] [--picture] [NAME...]

`agentci record` reaches the hosts of the providers under their real names, in the world of `recorder/world`; a script of the page
answers there. Everything after that runs without it and without a key, and must not try to connect to anything. `--accept` writes
into the pages what the commands print now; `--picture` takes the README's screenshot of the red run again.
"""

import os
import re
import subprocess
import sys
import tempfile
from contextlib import ExitStack, nullcontext
from pathlib import Path

from harness import FOLDER, main

sys.path[:0] = [str(FOLDER / "recorder"), str(FOLDER / "frameworks")]

from bench import KEYS, Tripwire, World, environment  # noqa: E402 - they are in folders of their own
from page import Page, fits, steady  # noqa: E402
from verdicts import Model  # noqa: E402

PAGES = FOLDER.parent / "docs" / "guides" / "frameworks"
HOME = Path(os.environ["INTEROP_HOME"])
ACCEPT = "--accept" in sys.argv
PICTURE = FOLDER.parent / "docs" / "images" / "red-run.png" if "--picture" in sys.argv else None
TIMEOUT = 180


def walk(path):
    """Follows a page from top to bottom in a new folder."""
    page = Page.read(path)
    # Node finds packages in a folder above the agent.
    with tempfile.TemporaryDirectory(prefix="frameworks-", dir=HOME) as name, ExitStack() as stack:
        work = Path(name) / "shop"
        work.mkdir()
        (work.parent / "home").mkdir()
        (work.parent / "bin").mkdir()
        (work.parent / "bin" / "agentci").symlink_to(os.path.abspath(os.environ["AGENTCI"]))
        script = work.parent / "model.yaml"
        script.write_text(page.model or "default: Not used.\n")
        world = stack.enter_context(World(0, stack.enter_context(Model(script))))
        tripwire = stack.enter_context(Tripwire())
        paths = [work.parent / "bin", HOME / "venv" / "bin", os.environ["PATH"]]
        alone = environment(work, {"PATH": ":".join(map(str, paths)), "NO_PROXY": "127.0.0.1,localhost"})
        recorded, printed, news = 0, "", []
        for block in page.blocks:
            where = f"{path.name}:{block.first}"
            if block.file:
                (work / block.file).parent.mkdir(parents=True, exist_ok=True)
                (work / block.file).write_text("\n".join(block.lines) + "\n")
            elif block.output:
                wanted, found = steady("\n".join(block.lines)), steady(printed)
                if not fits(wanted, found):
                    news.append((block, printed))
                    assert ACCEPT and "..." not in wanted, f"{where}: shown\n{block.lines}\nprinted\n{printed}"
            elif block.language == "sh":
                command = "\n".join(block.lines)
                records = "agentci record" in command
                recorded += records
                variables = alone | (world.environment | KEYS if records else tripwire.environment)
                done = subprocess.run(
                    ["bash", "-ec", command], cwd=work, env=variables, stdin=subprocess.DEVNULL, timeout=TIMEOUT,
                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                )
                printed = done.stdout.replace(str(work), ".")
                assert done.returncode == block.exit, f"{where}: exit code {done.returncode}\n{command}\n{printed}"
        assert recorded or "record" not in page.path.read_text(), f"{path.name} records nothing"
        assert any(block.exit == 1 for block in page.blocks), f"{path.name} shows no regression"
        assert not tripwire.visits, f"{path.name}: a replay connected to {tripwire.visits}"
        for block, now in reversed(news):
            page.replace(block, now)
        if PICTURE and path.stem == "openai-agents":
            report = max(work.glob(".agentci/runs/*/*/report.html"), key=lambda file: file.stat().st_mtime)
            subprocess.run(["node", FOLDER / "frameworks" / "picture.mjs", report, PICTURE], check=True, timeout=TIMEOUT)


def test_readme_output_matches_its_page(_):
    readme = (FOLDER.parent / "README.md").read_text()
    marked = re.findall(r"<!-- shown in: (\S+) -->\n```text\n(.*?)```", readme, re.DOTALL)
    assert marked, "the README shows no red run"
    for path, shown in marked:
        page = "\n".join(steady((FOLDER.parent / path).read_text()))
        assert "\n".join(steady(shown)) in page, f"{path} does not show\n{shown}"


def test_every_framework_page_is_linked(_):
    """The README and the list of pages name every framework page."""
    for index, prefix in ((FOLDER.parent / "README.md", "docs/guides/frameworks/"), (FOLDER.parent / "docs" / "README.md", "guides/frameworks/")):
        text = index.read_text()
        missing = [page.name for page in PAGES.glob("*.md") if f"({prefix}{page.name}" not in text]
        assert not missing, f"{index.name} does not link {missing}"


if __name__ == "__main__":
    chosen = [name for name in sys.argv[1:] if not name.startswith("-")]
    tests = {} if chosen else {name: test for name, test in globals().items() if name.startswith("test_")}
    for page in sorted(PAGES.glob("*.md")):
        if not chosen or page.stem in chosen:
            tests[f"test_{page.stem}"] = lambda _, page=page: walk(page)
    assert len(tests) >= (1 if chosen else 11), f"only {sorted(tests)}"
    main(tests, nullcontext)
