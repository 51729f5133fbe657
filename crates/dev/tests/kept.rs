//! The generated files of `docs/reference` are up to date.

use std::collections::BTreeSet;

use agentci_dev::{Generated, WRITE, files, reference};

/// The first difference between the existing file and the generated one, if any.
fn difference(file: &Generated) -> Option<String> {
    let kept = file.kept();
    let (made, kept) = (file.text.lines(), kept.lines().chain(std::iter::repeat("")));
    let line = made.zip(kept).position(|(made, kept)| made != kept);
    let place = line.map_or("the end".to_owned(), |line| format!("line {}", line + 1));
    (file.text != file.kept()).then(|| format!("docs/reference/{} differs at {place}", file.path))
}

#[test]
fn generated_files_are_up_to_date() {
    let wrong: Vec<String> = files().iter().filter_map(difference).collect();
    assert!(wrong.is_empty(), "{}\nwrite them with `{WRITE}`, and read what changed", wrong.join("\n"));
}

#[test]
fn every_reference_schema_is_generated() {
    let made: BTreeSet<String> = files().into_iter().map(|file| file.path).collect();
    for entry in std::fs::read_dir(reference().join("schemas")).unwrap() {
        let path = format!("schemas/{}", entry.unwrap().file_name().into_string().unwrap());
        assert!(made.contains(&path), "nothing makes docs/reference/{path}; delete it");
    }
}

#[test]
fn outdated_page_is_reported_with_the_line() {
    let mut page = files().remove(0);
    page.text = page.text.replacen("\n\n", "\n\nchanged ", 1);
    assert_eq!(difference(&page).unwrap(), "docs/reference/checks.md differs at line 3");
    page.text = page.kept() + "\n";
    assert_eq!(difference(&page).unwrap(), "docs/reference/checks.md differs at the end");
}
