//! Parses a file and blanks out its types.

use std::path::Path;

use agentci_plan::ScriptFile;
use oxc_allocator::Allocator;
use oxc_ast_visit::Visit as _;
use oxc_parser::{ParseOptions, Parser};
use oxc_span::SourceType;

use super::eraser::Eraser;
use super::names::ExportedNames;
use super::rewrite::{Rewrite, range};
use crate::ScriptError;
use crate::source_map::{CodePlaces, place_of};

/// The longest file, in bytes.
const LONGEST: usize = 256 * 1024;
/// The deepest nesting of brackets; some steps take quadratic time in it.
const DEEPEST: usize = 2_000;
/// Stack per byte of a file: the tree is walked recursively, and every character can be a level of it.
const STACK_PER_CHARACTER: usize = 4 * 1024;
/// Stack that does not depend on the length of the file.
const STACK: usize = 4 * 1024 * 1024;

/// Code without types.
#[derive(Debug)]
pub(crate) struct Stripped {
    pub(crate) code: String,
    pub(crate) places: CodePlaces,
    pub(crate) names: ExportedNames,
}

/// Removes the types from a file.
pub(crate) fn strip(file: &ScriptFile) -> Result<Stripped, ScriptError> {
    if file.source.len() > LONGEST {
        let message = format!("the file is longer than {} KB", LONGEST / 1024);
        return Err(ScriptError::Syntax { line: 1, column: 1, message });
    }
    if let Some(at) = too_deep(&file.source) {
        let (line, column) = place_of(&file.source, at);
        let message = format!("brackets are nested more than {DEEPEST} levels deep");
        return Err(ScriptError::Syntax { line, column, message });
    }
    let failed = |what: String| ScriptError::Engine(what);
    std::thread::scope(|scope| {
        let stack = STACK + file.source.len() * STACK_PER_CHARACTER;
        let work = std::thread::Builder::new().stack_size(stack).spawn_scoped(scope, || strip_here(file));
        let work = work.map_err(|error| failed(error.to_string()))?;
        work.join().unwrap_or_else(|_| Err(failed("the parser crashed on the file".into())))
    })
}

/// The offset at which brackets are nested too deep. Brackets in strings and comments count too; real files are far
/// below the limit.
fn too_deep(source: &str) -> Option<usize> {
    let mut depth = 0_usize;
    source.bytes().position(|byte| {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > DEEPEST
    })
}

fn strip_here(file: &ScriptFile) -> Result<Stripped, ScriptError> {
    let source = file.source.as_str();
    let allocator = Allocator::default();
    let source_type = source_type(&file.path);
    let options = ParseOptions { parse_regular_expression: true, ..ParseOptions::default() };
    let parsed = Parser::new(&allocator, source, source_type).with_options(options).parse();
    if let Some(error) = parsed.diagnostics.errors().next() {
        let at = error.labels.first().map_or(0, |label| label.span().start);
        return Err(wrong(source, at, error.message.to_string()));
    }
    let program = parsed.program;
    let comments = program.comments.iter().map(|comment| comment.span);
    let comments = program.hashbang.iter().map(|first| first.span).chain(comments).map(range).collect();
    let mut eraser = Eraser::new(Rewrite::new(source, comments), source_type.is_typescript());
    eraser.visit_program(&program);
    let (rewrite, bound) = eraser.finish().map_err(|(at, message)| wrong(source, at, message))?;
    let (code, places) = rewrite.finish();
    Ok(Stripped { code, places, names: ExportedNames::of(&program, &bound) })
}

fn source_type(path: &Path) -> SourceType {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("ts" | "mts" | "cts") => SourceType::ts(),
        _ => SourceType::mjs(),
    }
}

fn wrong(source: &str, offset: u32, message: String) -> ScriptError {
    let (line, column) = place_of(source, usize::try_from(offset).expect("offsets have 32 bits"));
    ScriptError::Syntax { line, column, message }
}
