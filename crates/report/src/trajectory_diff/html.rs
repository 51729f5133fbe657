//! The differences as one page: A on the left, B on the right, a row for each step. It needs no JavaScript; with it, equal
//! steps are folded and the keyboard moves from difference to difference.
//!
//! As in `report.html`, no outside string becomes markup, and the policy in the page allows only its own script and style.

use std::fmt::Write as _;

use agentci_trajectory::{CaseDiff, DiffRow, RowRole, TrajectoryStep};

use super::{DiffDocument, words};
use crate::{count_of, cut, html_text, one_line};

// `build.rs` writes them.
const STYLE: &str = include_str!(concat!(env!("OUT_DIR"), "/diff.css"));
const SCRIPT: &str = include_str!(concat!(env!("OUT_DIR"), "/diff.js"));
const POLICY: &str = include_str!(concat!(env!("OUT_DIR"), "/diff.policy"));

/// The size of the page in bytes beyond which cases are left out.
const PAGE_LIMIT: usize = 4_000_000;
/// The maximum number of groups.
const GROUPS: usize = 50;
/// The maximum length of a name or a sentence.
const SENTENCE: usize = 1000;
/// The maximum number of changes of a step.
const CHANGES: usize = 50;

/// The differences as a page.
pub fn diff_html(document: &DiffDocument<'_>) -> String {
    let suite = escaped(document.diff.suites[1]);
    let total = words::total(document);
    let word = if document.differs() { "changed" } else { "passed" };
    let mut page = format!(
        "<!doctype html>\n<html lang=en>\n<meta charset=utf-8>\n\
         <meta http-equiv=Content-Security-Policy content=\"{POLICY}\">\n\
         <meta name=viewport content=\"width=device-width,initial-scale=1\">\n\
         <meta name=color-scheme content=\"light dark\">\n\
         <title>{suite}: {total}</title>\n<style>{STYLE}</style>\n\
         <header><h1>{suite}</h1><b class=\"verdict {word}\">{total}</b></header>\n<main>\n"
    );
    for (name, origin) in [("A", &document.old), ("B", &document.new)] {
        let _ = writeln!(page, "<p>{name}: <code>{}</code>", escaped(&origin.path));
    }
    let groups = document.diff.repeated.iter().take(GROUPS).map(words::repeated);
    list("repeated", groups.chain(document.prompts.iter().map(words::prompt)), &mut page);
    page.push_str(
        "<p class=\"quiet keys-hint\" hidden>Keys: <kbd>j</kbd> <kbd>k</kbd> next and previous difference, \
         <kbd>n</kbd> <kbd>p</kbd> next and previous case, <kbd>e</kbd> show or hide equal steps.\n",
    );
    let mut left_out = 0;
    for case in document.diff.cases.iter().filter(|case| case.differs()) {
        let mut section = String::new();
        if left_out == 0 {
            of_case(case, &mut section);
        }
        if left_out > 0 || page.len() + section.len() > PAGE_LIMIT {
            left_out += 1;
        } else {
            page += &section;
        }
    }
    if left_out > 0 {
        let _ = writeln!(page, "<p class=cut>{} that differ left out to limit the size", count_of(left_out, "case"));
    }
    list("notes", words::notes(document), &mut page);
    page + &format!("</main>\n<script>{SCRIPT}</script>\n")
}

fn list(class: &str, lines: impl IntoIterator<Item = String>, page: &mut String) {
    let items: Vec<String> = lines.into_iter().map(|line| format!("<li>{}\n", escaped(&line))).collect();
    if !items.is_empty() {
        let _ = writeln!(page, "<ul class={class}>\n{}</ul>", items.concat());
    }
}

fn escaped(text: &str) -> String {
    html_text(&one_line(&cut::name(text, SENTENCE))).into_owned()
}

fn of_case(case: &CaseDiff<'_>, page: &mut String) {
    let _ = writeln!(
        page,
        "<section class=case tabindex=-1>\n<h2><span class=tag>{}</span> {}</h2>\n<p class=quiet>{}",
        words::word(case),
        escaped(case.id),
        escaped(&words::headline(case))
    );
    for line in words::shapes(case).into_iter().chain(words::attempts(case)) {
        let _ = writeln!(page, "<p class=quiet>{}", escaped(&line));
    }
    if case.first.is_some() {
        page.push_str("<table class=steps>\n<thead><tr><th scope=col>A<th scope=col>B</thead>\n<tbody>\n");
        for row in &case.rows {
            of_row(case, row, page);
        }
        page.push_str("</tbody></table>\n");
    }
    page.push_str("</section>\n");
}

fn of_row(case: &CaseDiff<'_>, row: &DiffRow<'_>, page: &mut String) {
    let class = match row.role {
        RowRole::Same => "same",
        RowRole::First => "first",
        RowRole::Follows(_) => "follows",
        RowRole::After => "after",
    };
    let _ = writeln!(page, "<tr class={class}{}>", if row.differs() { " tabindex=-1" } else { "" });
    let role = words::role(case, row);
    for (step, number, is_new) in [(row.old, row.old_number, false), (row.new, row.new_number, true)] {
        let Some(step) = step else {
            page.push_str("<td class=none>\n");
            continue;
        };
        let alone = row.old.is_none() || row.new.is_none();
        let kind = if !alone {
            ""
        } else if is_new {
            " class=added"
        } else {
            " class=gone"
        };
        let _ = write!(
            page,
            "<td{kind}><b>{}</b> <code>{}</code>",
            number.expect("a step has a number"),
            escaped(&words::title(step))
        );
        if !role.is_empty() && (is_new || alone) {
            let _ = write!(page, " <span class=role>{}</span>", html_text(role.trim_start_matches("<- ")));
        }
        values(row, step, alone, is_new, page);
        page.push('\n');
    }
}

/// The changed values of one side.
fn values(row: &DiffRow<'_>, step: &TrajectoryStep, alone: bool, is_new: bool, page: &mut String) {
    if alone {
        for line in words::content(step) {
            let _ = write!(page, "<div class=value>{}</div>", escaped(&line));
        }
        return;
    }
    for change in row.changes.iter().take(CHANGES) {
        let _ = write!(page, "<div class=value><span class=path>{}</span> ", escaped(&words::place(change)));
        for (sign, text) in words::side_pieces(change, is_new) {
            let text = html_text(&one_line(&text)).into_owned();
            let _ = match sign {
                '-' => write!(page, "<del>{text}</del>"),
                '+' => write!(page, "<ins>{text}</ins>"),
                _ => write!(page, "{text}"),
            };
        }
        page.push_str("</div>");
    }
    if is_new && row.changes.len() > CHANGES {
        let _ = write!(page, "<div class=cut>and {}</div>", count_of(row.changes.len() - CHANGES, "more change"));
    }
}
