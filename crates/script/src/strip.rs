//! From a file as it was written to code that the engine runs: types are gone, and what was exported is a plain declaration. All
//! that is used of the stripper is here.

use std::path::Path;

use agentci_plan::ScriptFile;
use oxc::allocator::{Allocator, TakeIn as _};
use oxc::ast::ast::{
    BindingPattern, Declaration, ExportDefaultDeclarationKind, Expression, ModuleExportName, Program, Statement,
};
use oxc::ast::builder::AstBuilder;
use oxc::codegen::{Codegen, CodegenOptions, CommentOptions};
use oxc::diagnostics::Diagnostics;
use oxc::parser::{ParseOptions, Parser};
use oxc::semantic::SemanticBuilder;
use oxc::span::{SourceType, Span};
use oxc::transformer::{TransformOptions, Transformer};

use crate::ScriptError;
use crate::names::Names;
use crate::places::{Places, place_of};

/// How long a file may be.
const LONGEST: usize = 256 * 1024;
/// How deep brackets may be nested: what some steps take grows with the square of it.
const DEEPEST: usize = 2_000;
/// The stripper walks the tree of a file by recursion, and every character of a file can be a level of it: room for each.
const STACK_PER_CHARACTER: usize = 4 * 1024;
/// Room for what does not depend on the length.
const STACK: usize = 4 * 1024 * 1024;

/// Code without types.
#[derive(Debug)]
pub(crate) struct Stripped {
    pub(crate) code: String,
    pub(crate) places: Places,
    pub(crate) names: Names,
}

/// Takes the types out of a file.
pub(crate) fn strip(file: &ScriptFile) -> Result<Stripped, ScriptError> {
    if file.source.len() > LONGEST {
        let message = format!("the file is longer than {} KB", LONGEST / 1024);
        return Err(ScriptError::Syntax { line: 1, column: 1, message });
    }
    if let Some(at) = too_deep(&file.source) {
        let (line, column) = place_of(&file.source, at);
        let message = format!("brackets are nested deeper than {DEEPEST}");
        return Err(ScriptError::Syntax { line, column, message });
    }
    let failed = |what: String| ScriptError::Engine(what);
    std::thread::scope(|scope| {
        let stack = STACK + file.source.len() * STACK_PER_CHARACTER;
        let work = std::thread::Builder::new().stack_size(stack).spawn_scoped(scope, || strip_here(file));
        let work = work.map_err(|error| failed(error.to_string()))?;
        work.join().unwrap_or_else(|_| Err(failed("the file is too much for the parser".into())))
    })
}

/// Where brackets are nested too deep. Those in texts and comments count, too: what nobody writes is not told apart from it.
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
    let options = ParseOptions { parse_regular_expression: true, ..ParseOptions::default() };
    let parsed = Parser::new(&allocator, source, source_type(&file.path)).with_options(options).parse();
    refuse(&parsed.diagnostics, source)?;
    let mut program = parsed.program;
    // The code is not the beginning of a file any more.
    program.hashbang = None;
    let semantic = SemanticBuilder::new().with_check_syntax_error(true).with_enum_eval(true).build(&program);
    refuse(&semantic.diagnostics, source)?;
    let scoping = semantic.semantic.into_scoping();
    let transformed = Transformer::new(&allocator, &file.path, &TransformOptions::default())
        .build_with_scoping(scoping, &mut program);
    refuse(&transformed.diagnostics, source)?;
    let names = unwrap_exports(&mut program, &allocator, source)?;
    let options = CodegenOptions {
        source_map_path: Some(file.path.clone()),
        comments: CommentOptions::disabled(),
        // Nobody reads it, and blanks before deep lines would be more than the file.
        indent_width: 0,
        ..CodegenOptions::default()
    };
    let printed = Codegen::new().with_options(options).build(&program);
    let places =
        printed.map.map_or_else(Places::default, |map| {
            Places::new(map.get_tokens().map(|token| {
                ((token.get_dst_line(), token.get_dst_col()), (token.get_src_line(), token.get_src_col()))
            }))
        });
    Ok(Stripped { code: printed.code, places, names })
}

fn source_type(path: &Path) -> SourceType {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("ts" | "mts" | "cts") => SourceType::ts(),
        _ => SourceType::mjs(),
    }
}

fn refuse(found: &Diagnostics, source: &str) -> Result<(), ScriptError> {
    let Some(error) = found.errors().next() else { return Ok(()) };
    let at = error.labels.first().map_or(0, |label| label.span().start);
    Err(wrong(source, at, error.message.to_string()))
}

fn wrong(source: &str, offset: u32, message: String) -> ScriptError {
    let (line, column) = place_of(source, usize::try_from(offset).unwrap_or_default());
    ScriptError::Syntax { line, column, message }
}

/// Makes plain declarations of what is exported, and says what the file declares.
fn unwrap_exports<'a>(program: &mut Program<'a>, allocator: &'a Allocator, source: &str) -> Result<Names, ScriptError> {
    let builder = AstBuilder::new(allocator);
    let mut names = Names::default();
    let elsewhere = |span: Span, what: &str| {
        let message = format!("functions can not {what} another file: they have no access to files");
        wrong(source, span.start, message)
    };
    for statement in &mut program.body {
        match statement {
            Statement::ImportDeclaration(import) => return Err(elsewhere(import.span, "import")),
            Statement::ExportAllDeclaration(export) => return Err(elsewhere(export.span, "export from")),
            Statement::ExportFromDeclaration(export) => return Err(elsewhere(export.span, "export from")),
            Statement::ExportDeclaration(export) => {
                let declaration = export.declaration.take_in(&allocator);
                *statement = Statement::from(declaration);
            }
            Statement::ExportNamedDeclaration(export) => {
                for specifier in &export.specifiers {
                    if let (Some(local), Some(exported)) = (name(&specifier.local), name(&specifier.exported)) {
                        names.alias(local, exported);
                    }
                }
                *statement = Statement::new_empty_statement(export.span, &builder);
            }
            Statement::ExportDefaultDeclaration(export) => {
                let span = export.span;
                *statement = match &mut export.declaration {
                    ExportDefaultDeclarationKind::FunctionDeclaration(function) if function.id.is_some() => {
                        Statement::FunctionDeclaration(function.take_in_box(&allocator))
                    }
                    ExportDefaultDeclarationKind::ClassDeclaration(class) if class.id.is_some() => {
                        Statement::ClassDeclaration(class.take_in_box(&allocator))
                    }
                    _ => Statement::new_empty_statement(span, &builder),
                };
            }
            _ => {}
        }
        if let Some(declaration) = statement.as_declaration() {
            declared(declaration, &mut names);
        }
    }
    Ok(names)
}

fn name<'n>(name: &'n ModuleExportName<'_>) -> Option<&'n str> {
    match name {
        ModuleExportName::StringLiteral(_) => None,
        other => Some(other.name().as_str()),
    }
}

fn declared(declaration: &Declaration<'_>, names: &mut Names) {
    match declaration {
        Declaration::FunctionDeclaration(function) => {
            if let Some(id) = &function.id {
                names.declare(id.name.as_str(), true);
            }
        }
        Declaration::VariableDeclaration(variables) => {
            for variable in &variables.declarations {
                let BindingPattern::BindingIdentifier(id) = &variable.id else { continue };
                let function = matches!(
                    &variable.init,
                    Some(Expression::ArrowFunctionExpression(_) | Expression::FunctionExpression(_))
                );
                names.declare(id.name.as_str(), function);
            }
        }
        _ => {}
    }
}
