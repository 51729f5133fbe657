//! The functions and variables at the top level of a file.

use std::collections::HashSet;

use oxc_ast::ast::{
    BindingPattern, Declaration, ExportDefaultDeclarationKind, ExportNamedDeclaration, Expression, Function,
    ImportOrExportKind, ModuleExportName, Program, Statement,
};

use super::eraser::is_type_only;

/// The functions and variables at the top level of a file.
#[derive(Default)]
struct TopLevelNames {
    /// Every name that may be a function: its exported name, and its name in the file.
    reachable: Vec<(String, String)>,
    /// The names that are declared as functions.
    functions: Vec<String>,
}

/// The names that can be called from outside.
#[derive(Debug)]
pub(crate) struct ExportedNames {
    pub(crate) functions: Vec<String>,
    /// The functions, and every variable that may be a function.
    pub(crate) names: Vec<String>,
    /// The code that maps each name to its value: `"Check":Check`.
    pub(crate) object: String,
}

impl ExportedNames {
    /// The names of a file; `bound` are the names of the values that it declares.
    pub(super) fn of(program: &Program<'_>, bound: &HashSet<String>) -> Self {
        let mut names = TopLevelNames::default();
        for statement in &program.body {
            match statement {
                Statement::ExportDeclaration(export) => names.declare_all(&export.declaration),
                Statement::ExportDefaultDeclaration(export) => {
                    if let ExportDefaultDeclarationKind::FunctionDeclaration(function) = &export.declaration {
                        names.declare_function(function);
                    }
                }
                other => {
                    if let Some(declaration) = other.as_declaration() {
                        names.declare_all(declaration);
                    }
                }
            }
        }
        // A declaration takes precedence over an export under the same name.
        for statement in &program.body {
            if let Statement::ExportNamedDeclaration(export) = statement {
                names.alias_all(export, bound);
            }
        }
        let TopLevelNames { reachable, functions } = names;
        let code: Vec<String> = reachable.iter().map(|(name, local)| format!("{name:?}:{local}")).collect();
        let names = reachable.into_iter().map(|(name, _)| name).collect();
        Self { functions, names, object: code.join(",") }
    }
}

impl TopLevelNames {
    fn declare_all(&mut self, declaration: &Declaration<'_>) {
        match declaration {
            _ if is_type_only(declaration) => {}
            Declaration::FunctionDeclaration(function) => self.declare_function(function),
            Declaration::VariableDeclaration(variables) => {
                for variable in &variables.declarations {
                    let BindingPattern::BindingIdentifier(id) = &variable.id else { continue };
                    let function = matches!(
                        &variable.init,
                        Some(Expression::ArrowFunctionExpression(_) | Expression::FunctionExpression(_))
                    );
                    self.declare(id.name.as_str(), function);
                }
            }
            _ => {}
        }
    }

    fn declare_function(&mut self, function: &Function<'_>) {
        if let (Some(id), Some(_)) = (&function.id, &function.body) {
            self.declare(id.name.as_str(), true);
        }
    }

    fn declare(&mut self, name: &str, function: bool) {
        self.reachable.push((name.into(), name.into()));
        if function {
            self.functions.push(name.into());
        }
    }

    fn alias_all(&mut self, export: &ExportNamedDeclaration<'_>, bound: &HashSet<String>) {
        for specifier in &export.specifiers {
            if let (Some(local), Some(exported)) = (name(&specifier.local), name(&specifier.exported))
                && export.export_kind == ImportOrExportKind::Value
                && specifier.export_kind == ImportOrExportKind::Value
                && local != exported
                && bound.contains(local)
                && !self.reachable.iter().any(|(name, _)| name == exported)
            {
                self.reachable.push((exported.into(), local.into()));
                if self.functions.iter().any(|name| name == local) {
                    self.functions.push(exported.into());
                }
            }
        }
    }
}

fn name<'n>(name: &'n ModuleExportName<'_>) -> Option<&'n str> {
    match name {
        ModuleExportName::StringLiteral(_) => None,
        other => Some(other.name().as_str()),
    }
}
