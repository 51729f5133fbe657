//! Blanks out types.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use oxc_ast::ast::{
    ArrowFunctionExpression, BindingIdentifier, Class, Declaration, Decorator, Expression, FormalParameter,
    IdentifierReference, MethodDefinition, PropertyDefinition, Statement, TSAsExpression, TSClassImplements,
    TSEnumDeclaration, TSImportEqualsDeclaration, TSIndexSignature, TSInstantiationExpression, TSNamespaceDeclaration,
    TSNamespaceDeclarationBody, TSNonNullExpression, TSSatisfiesExpression, TSThisParameter, TSTypeAnnotation,
    TSTypeAssertion, TSTypeParameterDeclaration, TSTypeParameterInstantiation, VariableDeclarator,
};
use oxc_ast_visit::{Visit, walk};
use oxc_span::{GetSpan as _, Span};

use super::class::PARAMETER_MODIFIERS;
use super::modules::Import;
use super::rewrite::{Rewrite, range};

/// Walks a syntax tree and blanks out its types.
pub(super) struct Eraser<'s> {
    pub(super) rewrite: Rewrite<'s>,
    pub(super) is_typescript: bool,
    /// Names that occur as values.
    pub(super) used: HashSet<String>,
    /// Names of values that the file declares, anywhere in it.
    pub(super) bound: HashSet<String>,
    pub(super) imports: Vec<Import>,
    /// The members of each enum so far: a second declaration of an enum adds to the first.
    pub(super) enum_members: HashMap<String, Vec<String>>,
    /// The enum whose initializers are being walked.
    pub(super) current_enum: Option<String>,
    problem: Option<(u32, String)>,
}

impl<'s> Eraser<'s> {
    pub(super) fn new(rewrite: Rewrite<'s>, is_typescript: bool) -> Self {
        Self {
            rewrite,
            is_typescript,
            used: HashSet::new(),
            bound: HashSet::new(),
            imports: Vec::new(),
            enum_members: HashMap::new(),
            current_enum: None,
            problem: None,
        }
    }

    /// Rejects the file. The first problem is kept.
    pub(super) fn reject(&mut self, span: Span, message: impl Into<String>) {
        self.problem.get_or_insert_with(|| (span.start, message.into()));
    }

    /// The rewritten file and the names of its own values.
    pub(super) fn finish(mut self) -> Result<(Rewrite<'s>, HashSet<String>), (u32, String)> {
        self.settle_imports();
        match self.problem {
            Some(problem) => Err(problem),
            None => Ok((self.rewrite, self.bound)),
        }
    }

    /// Blanks out the type that ends an expression. TypeScript ends the statement before a bracket on the next line;
    /// without the type, JavaScript would read it as a call or an index.
    fn blank_suffix(&mut self, suffix: Range<usize>) {
        let hazard = self.rewrite.next(suffix.end).is_some_and(|(at, character)| {
            matches!(character, '(' | '[' | '`') && self.rewrite.is_broken(suffix.end..at)
        });
        if hazard && let Some((at, _)) = self.rewrite.next(suffix.start) {
            self.rewrite.replace(at, ';');
        }
        self.rewrite.blank(suffix);
    }

    fn blank_cast(&mut self, cast: Span, expression: &Expression<'_>) {
        self.visit_expression(expression);
        self.blank_suffix(range(expression.span()).end..range(cast).end);
    }
}

/// Whether a declaration has no value at run time.
pub(super) fn is_type_only(declaration: &Declaration<'_>) -> bool {
    match declaration {
        Declaration::VariableDeclaration(variables) => variables.declare,
        Declaration::FunctionDeclaration(function) => function.declare || function.body.is_none(),
        Declaration::ClassDeclaration(class) => class.declare,
        Declaration::TSEnumDeclaration(enumeration) => enumeration.declare,
        Declaration::TSNamespaceDeclaration(namespace) => has_only_types(namespace),
        Declaration::TSImportEqualsDeclaration(_) => false,
        Declaration::TSTypeAliasDeclaration(_)
        | Declaration::TSInterfaceDeclaration(_)
        | Declaration::TSExternalModuleDeclaration(_)
        | Declaration::TSGlobalDeclaration(_) => true,
    }
}

fn has_only_types(namespace: &TSNamespaceDeclaration<'_>) -> bool {
    let is_type = |statement: &Statement<'_>| match statement {
        Statement::ExportDeclaration(export) => is_type_only(&export.declaration),
        other => other.as_declaration().is_some_and(is_type_only),
    };
    namespace.declare
        || match &namespace.body {
            TSNamespaceDeclarationBody::TSNamespaceDeclaration(inner) => has_only_types(inner),
            TSNamespaceDeclarationBody::TSModuleBlock(block) => block.body.iter().all(is_type),
        }
}

impl<'a> Visit<'a> for Eraser<'_> {
    fn visit_statement(&mut self, statement: &Statement<'a>) {
        match statement {
            Statement::ImportDeclaration(import) => self.import(import),
            Statement::ExportAllDeclaration(export) => self.export_from(export.span, export.export_kind),
            Statement::ExportFromDeclaration(export) => self.export_from(export.span, export.export_kind),
            Statement::ExportDeclaration(export) => self.export(export),
            Statement::ExportNamedDeclaration(export) => self.export_names(export),
            Statement::ExportDefaultDeclaration(export) => self.export_default(export),
            Statement::TSExportAssignment(export) => self.export_assignment(export),
            Statement::TSNamespaceExportDeclaration(export) => self.rewrite.erase(range(export.span)),
            other => walk::walk_statement(self, other),
        }
    }

    fn visit_declaration(&mut self, declaration: &Declaration<'a>) {
        if is_type_only(declaration) {
            self.rewrite.erase(range(declaration.span()));
        } else {
            walk::walk_declaration(self, declaration);
        }
    }

    fn visit_variable_declarator(&mut self, variable: &VariableDeclarator<'a>) {
        if variable.definite {
            self.rewrite.blank_next(range(variable.id.span()).end, '!');
        }
        walk::walk_variable_declarator(self, variable);
    }

    fn visit_ts_enum_declaration(&mut self, enumeration: &TSEnumDeclaration<'a>) {
        self.enumeration(enumeration);
    }

    fn visit_ts_namespace_declaration(&mut self, namespace: &TSNamespaceDeclaration<'a>) {
        let help = "declare its members at the top level of the file, or as properties of an object";
        self.reject(namespace.span, format!("namespaces are not supported; {help}"));
    }

    fn visit_ts_import_equals_declaration(&mut self, import: &TSImportEqualsDeclaration<'a>) {
        self.import_equals(import);
    }

    fn visit_decorator(&mut self, decorator: &Decorator<'a>) {
        self.reject(decorator.span, "decorators are not supported; call the decorator as a function instead");
    }

    fn visit_identifier_reference(&mut self, reference: &IdentifierReference<'a>) {
        let name = reference.name.as_str();
        let of_enum = self.current_enum.as_ref().filter(|current| {
            self.enum_members.get(*current).is_some_and(|members| members.iter().any(|member| member == name))
        });
        if let Some(of_enum) = of_enum {
            self.rewrite.insert(range(reference.span).start, &format!("{of_enum}."));
        } else if !self.used.contains(name) {
            self.used.insert(name.to_owned());
        }
    }

    fn visit_binding_identifier(&mut self, name: &BindingIdentifier<'a>) {
        self.bound.insert(name.name.to_string());
    }

    fn visit_class(&mut self, class: &Class<'a>) {
        self.class(class);
        walk::walk_class(self, class);
    }

    fn visit_ts_class_implements(&mut self, _: &TSClassImplements<'a>) {}

    fn visit_method_definition(&mut self, method: &MethodDefinition<'a>) {
        if self.method(method) {
            walk::walk_method_definition(self, method);
        }
    }

    fn visit_property_definition(&mut self, property: &PropertyDefinition<'a>) {
        if self.property(property) {
            walk::walk_property_definition(self, property);
        }
    }

    fn visit_ts_index_signature(&mut self, signature: &TSIndexSignature<'a>) {
        self.rewrite.erase(range(signature.span));
    }

    fn visit_formal_parameter(&mut self, parameter: &FormalParameter<'a>) {
        let pattern = range(parameter.pattern.span());
        self.blank_words(range(parameter.span).start..pattern.start, &PARAMETER_MODIFIERS);
        if parameter.optional {
            self.rewrite.blank_next(pattern.end, '?');
        }
        walk::walk_formal_parameter(self, parameter);
    }

    fn visit_ts_this_parameter(&mut self, this: &TSThisParameter<'a>) {
        let this = range(this.span);
        self.rewrite.blank_next(this.end, ',');
        self.rewrite.blank(this);
    }

    fn visit_arrow_function_expression(&mut self, arrow: &ArrowFunctionExpression<'a>) {
        let parameters = range(arrow.params.span);
        // If a type contains a line break, its bracket moves: JavaScript allows no line break after `async` and before
        // `=>`.
        if let Some(types) = arrow.type_parameters.as_ref().map(|types| range(types.span))
            && self.rewrite.is_broken(types.start..parameters.start)
        {
            self.rewrite.replace(types.start, '(');
            self.rewrite.blank(parameters.start..parameters.start + 1);
        }
        if let Some(returned) = arrow.return_type.as_ref().map(|returned| range(returned.span))
            && self.rewrite.is_broken(parameters.end..returned.end)
        {
            self.rewrite.replace(returned.end - 1, ')');
            self.rewrite.blank(parameters.end - 1..parameters.end);
        }
        walk::walk_arrow_function_expression(self, arrow);
    }

    fn visit_ts_as_expression(&mut self, cast: &TSAsExpression<'a>) {
        self.blank_cast(cast.span, &cast.expression);
    }

    fn visit_ts_satisfies_expression(&mut self, cast: &TSSatisfiesExpression<'a>) {
        self.blank_cast(cast.span, &cast.expression);
    }

    fn visit_ts_instantiation_expression(&mut self, instantiation: &TSInstantiationExpression<'a>) {
        self.blank_cast(instantiation.span, &instantiation.expression);
    }

    fn visit_ts_non_null_expression(&mut self, assertion: &TSNonNullExpression<'a>) {
        self.visit_expression(&assertion.expression);
        self.rewrite.blank(range(assertion.expression.span()).end..range(assertion.span).end);
    }

    fn visit_ts_type_assertion(&mut self, assertion: &TSTypeAssertion<'a>) {
        // The parentheses keep `() => <T>{}` an object, and `return <T>` and its value one statement.
        let whole = range(assertion.span);
        self.rewrite.blank(whole.start..range(assertion.expression.span()).start);
        self.rewrite.replace(whole.start, '(');
        self.visit_expression(&assertion.expression);
        self.rewrite.insert(whole.end, ")");
    }

    fn visit_ts_type_annotation(&mut self, annotation: &TSTypeAnnotation<'a>) {
        self.rewrite.blank(range(annotation.span));
    }

    fn visit_ts_type_parameter_declaration(&mut self, parameters: &TSTypeParameterDeclaration<'a>) {
        self.rewrite.blank(range(parameters.span));
    }

    fn visit_ts_type_parameter_instantiation(&mut self, arguments: &TSTypeParameterInstantiation<'a>) {
        self.rewrite.blank(range(arguments.span));
    }
}
