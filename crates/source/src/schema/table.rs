//! Tables of the keys of a file, for reference pages.

use crate::shape::{CheckShape, Kind, Need, Shape};

/// A mapping of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Its name in messages.
    pub what: &'static str,
    /// What it is for.
    pub about: &'static str,
    /// Its keys, in the order they are read.
    pub rows: Vec<KeyRow>,
}

/// A key of a mapping.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRow {
    pub key: &'static str,
    /// The kind of its value, in words.
    pub kind: String,
    pub required: bool,
    /// What it is for.
    pub about: &'static str,
}

/// All mappings reachable from `root`, each once.
pub fn tables(root: &Kind, checks: &[&'static CheckShape]) -> Vec<Table> {
    let mut met: Vec<&'static Shape> = Vec::new();
    add(root, checks, &mut met);
    met.into_iter().map(table).collect()
}

fn add(kind: &Kind, checks: &[&'static CheckShape], met: &mut Vec<&'static Shape>) {
    for shape in kind.shapes() {
        if met.iter().any(|known| std::ptr::eq(*known, shape)) {
            continue;
        }
        met.push(shape);
        for field in shape.fields() {
            add(&field.kind, checks, met);
        }
    }
    let innermost = innermost(kind);
    let named = |check: &&&'static CheckShape| {
        matches!(innermost, Kind::Check) || matches!(innermost, Kind::Arguments(name) if check.name == *name)
    };
    for check in checks.iter().filter(named) {
        add(&check.arguments, checks, met);
    }
}

/// The kind of the innermost items of a list.
fn innermost(kind: &Kind) -> &Kind {
    kind.items().map_or(kind, innermost)
}

fn table(shape: &'static Shape) -> Table {
    let row = |field: &'static crate::shape::Field| KeyRow {
        key: field.key,
        kind: field.kind.words(),
        required: field.need == Need::Required,
        about: field.about,
    };
    Table { what: shape.what, about: shape.about, rows: shape.fields().map(row).collect() }
}
