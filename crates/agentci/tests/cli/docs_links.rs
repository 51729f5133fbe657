//! Checks that links between the pages point at an existing file, and at an existing heading.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use crate::docs_page::{files_below, project, text_of};

static LINK: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\[([^\]]*)\]\(([^)\s]+)\)").unwrap());

/// Every page that users read.
fn pages() -> Vec<String> {
    let top = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "CODE_OF_CONDUCT.md"].map(str::to_owned);
    let below =
        ["docs", "examples", "interop", "benches", "fuzz"].into_iter().flat_map(|folder| files_below(folder, "md"));
    top.into_iter().chain(below.filter(|path| !path.contains("node_modules"))).collect()
}

/// The lines of a text outside code blocks.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut code = false;
    text.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        code ^= fence;
        !code && !fence
    })
}

/// The anchors of a page's headings, as GitHub generates them.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    let headings =
        prose(text).filter_map(|line| line.trim_start_matches('#').strip_prefix(' ').filter(|_| line.starts_with('#')));
    for heading in headings {
        let kept = |letter: char| letter.is_alphanumeric() || ['-', '_', ' '].contains(&letter);
        let heading = LINK.replace_all(heading, "$1").to_lowercase();
        let name: String = heading.trim().chars().filter(|letter| kept(*letter)).collect::<String>().replace(' ', "-");
        let free = (0..).map(|count| if count == 0 { name.clone() } else { format!("{name}-{count}") });
        anchors.extend(free.into_iter().find(|name| !anchors.contains(name)));
    }
    anchors
}

#[test]
fn every_relative_link_resolves() {
    let mut wrong = Vec::new();
    let mut links = 0;
    for path in pages() {
        let text = text_of(&path);
        let folder = project().join(&path).parent().unwrap().to_path_buf();
        for link in prose(&text).flat_map(|line| LINK.captures_iter(line)).map(|found| found.get(2).unwrap().as_str()) {
            if ["http://", "https://", "mailto:"].iter().any(|outside| link.starts_with(outside)) {
                continue;
            }
            links += 1;
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { project().join(&path) } else { folder.join(file) };
            if !target.exists() {
                wrong.push(format!("{path}: there is no {file}"));
            } else if !anchor.is_empty() && !anchors(&std::fs::read_to_string(&target).unwrap()).contains(anchor) {
                wrong.push(format!("{path}: {link}: there is no such heading"));
            }
        }
    }
    assert!(links > 50, "{links}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn heading_anchors_match_github() {
    let found = anchors("# In [`summary.json`](a.md)\n## What is it?\n## What is it?\n```sh\n# no heading\n```\n");
    assert_eq!(found.into_iter().collect::<Vec<_>>(), ["in-summaryjson", "what-is-it", "what-is-it-1"]);
}
