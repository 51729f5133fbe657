//! Checks that the dependencies between our crates match `docs/design/pipeline.md`. The test prints the graph.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::docs_page::{project, text_of};

/// The workspace crates that each crate depends on, without dev-dependencies.
fn used() -> BTreeMap<String, BTreeSet<String>> {
    let mut used = BTreeMap::new();
    for entry in fs::read_dir(project().join("crates")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let manifest = text_of(&format!("crates/{name}/Cargo.toml"));
        let all = manifest.lines().skip_while(|line| *line != "[dependencies]").skip(1);
        let names = all.take_while(|line| !line.starts_with('[')).filter_map(|line| line.split(['.', ' ']).next());
        let ours = names.filter_map(|name| name.strip_prefix("agentci-").or((name == "agentci").then_some(name)));
        used.insert(name, ours.map(|name| name.replace('-', "_")).collect());
    }
    used
}

/// The same according to the table: the first column is a crate, the last its dependencies.
fn written() -> BTreeMap<String, BTreeSet<String>> {
    let page = text_of("docs/design/pipeline.md");
    let table = page.lines().skip_while(|line| !line.starts_with("| crate |")).skip(2);
    let names = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<BTreeSet<_>>();
    let rows = table.take_while(|line| line.starts_with('|')).map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').collect();
        (names(cells[0]).pop_first().unwrap(), names(cells[cells.len() - 1]))
    });
    rows.collect()
}

#[test]
fn crate_dependencies_match_the_pipeline_page() {
    let (used, written) = (used(), written());
    for (name, uses) in &used {
        println!("{name}: {}", uses.iter().map(String::as_str).collect::<Vec<_>>().join(", "));
    }
    assert_eq!(written, used, "left: docs/design/pipeline.md; right: crates/*/Cargo.toml");
}
