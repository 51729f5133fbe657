//! Removes imports and exports. A script file is not a module: it cannot use other files, and all its functions can be
//! called.

use oxc_ast::ast::{
    ExportDeclaration, ExportDefaultDeclaration, ExportDefaultDeclarationKind, ExportNamedDeclaration,
    ImportDeclaration, ImportDeclarationSpecifier, ImportOrExportKind, TSExportAssignment, TSImportEqualsDeclaration,
};
use oxc_ast_visit::{Visit as _, walk};
use oxc_span::{GetSpan as _, Span};
use oxc_syntax::scope::ScopeFlags;

use super::eraser::{Eraser, is_type_only};
use super::rewrite::range;

/// An import, which is allowed if it imports only types.
pub(super) struct Import {
    span: Span,
    /// The imported names that may be values. If there are none, the import is only for its side effects.
    names: Vec<String>,
}

impl Eraser<'_> {
    pub(super) fn import(&mut self, import: &ImportDeclaration<'_>) {
        let names = import.specifiers.iter().flatten().filter_map(value_name).map(str::to_owned).collect();
        let has_types = import.specifiers.as_ref().is_some_and(|specifiers| !specifiers.is_empty());
        self.add_import(import.span, import.import_kind, names, has_types);
    }

    pub(super) fn import_equals(&mut self, import: &TSImportEqualsDeclaration<'_>) {
        self.add_import(import.span, import.import_kind, vec![import.id.name.to_string()], true);
    }

    fn add_import(&mut self, span: Span, kind: ImportOrExportKind, names: Vec<String>, has_names: bool) {
        match kind {
            ImportOrExportKind::Type => {}
            ImportOrExportKind::Value if has_names && self.is_typescript => self.imports.push(Import { span, names }),
            ImportOrExportKind::Value => self.reject_other_file(span, "import"),
        }
        self.rewrite.erase(range(span));
    }

    /// Rejects imports whose names are used as values, after the whole file was walked. A name that the file also
    /// declares is not checked: if the import is meant, its use fails at run time.
    pub(super) fn settle_imports(&mut self) {
        for import in std::mem::take(&mut self.imports) {
            if import.names.iter().any(|name| self.used.contains(name) && !self.bound.contains(name)) {
                self.reject_other_file(import.span, "import");
            }
        }
    }

    pub(super) fn export_from(&mut self, span: Span, kind: ImportOrExportKind) {
        if kind == ImportOrExportKind::Value {
            self.reject_other_file(span, "export from");
        }
        self.rewrite.erase(range(span));
    }

    fn reject_other_file(&mut self, span: Span, what: &str) {
        self.reject(span, format!("functions cannot {what} another file: they have no access to files"));
    }

    /// `export function f() {}`
    pub(super) fn export(&mut self, export: &ExportDeclaration<'_>) {
        if is_type_only(&export.declaration) {
            self.rewrite.erase(range(export.span));
        } else {
            self.rewrite.blank(range(export.span).start..range(export.declaration.span()).start);
            self.visit_declaration(&export.declaration);
        }
    }

    /// `export { f, g as h }`
    pub(super) fn export_names(&mut self, export: &ExportNamedDeclaration<'_>) {
        if export.export_kind == ImportOrExportKind::Value {
            walk::walk_export_named_declaration(self, export);
        }
        self.rewrite.erase(range(export.span));
    }

    /// `export default function f() {}`. Without a name, nothing can call it.
    pub(super) fn export_default(&mut self, export: &ExportDefaultDeclaration<'_>) {
        let whole = range(export.span);
        match &export.declaration {
            ExportDefaultDeclarationKind::FunctionDeclaration(function)
                if function.id.is_some() && function.body.is_some() =>
            {
                self.rewrite.blank(whole.start..range(function.span).start);
                self.visit_function(function, ScopeFlags::Function);
            }
            ExportDefaultDeclarationKind::ClassDeclaration(class) if class.id.is_some() && !class.declare => {
                self.rewrite.blank(whole.start..range(class.span).start);
                self.visit_class(class);
            }
            _ => self.rewrite.erase(whole),
        }
    }

    /// `export = { f }`
    pub(super) fn export_assignment(&mut self, export: &TSExportAssignment<'_>) {
        let (whole, expression) = (range(export.span), range(export.expression.span()));
        self.rewrite.blank(whole.start..expression.start);
        self.rewrite.insert(expression.start, "module.exports=");
        self.visit_expression(&export.expression);
    }
}

fn value_name<'n>(specifier: &'n ImportDeclarationSpecifier<'_>) -> Option<&'n str> {
    match specifier {
        ImportDeclarationSpecifier::ImportSpecifier(named) if named.import_kind == ImportOrExportKind::Type => None,
        other => Some(other.local().name.as_str()),
    }
}
