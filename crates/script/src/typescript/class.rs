//! Blanks out what TypeScript adds to classes, and writes parameter properties out.

use std::ops::Range;

use oxc_ast::ast::{
    BindingPattern, Class, ClassElement, Expression, FormalParameter, FunctionBody, MethodDefinition,
    MethodDefinitionKind, MethodDefinitionType, PropertyDefinition, PropertyDefinitionType, PropertyKey, Statement,
};
use oxc_span::GetSpan as _;

use super::eraser::Eraser;
use super::rewrite::range;

/// The modifiers of a constructor parameter.
pub(super) const PARAMETER_MODIFIERS: [&str; 5] = ["public", "private", "protected", "readonly", "override"];
const MEMBER_MODIFIERS: [&str; 7] = ["public", "private", "protected", "readonly", "override", "abstract", "declare"];

impl Eraser<'_> {
    /// The head of a class and its parameter properties.
    pub(super) fn class(&mut self, class: &Class<'_>) {
        let body = range(class.body.span).start;
        if class.r#abstract {
            let head = range(class.span).start;
            let end = class.id.as_ref().map_or(body, |id| range(id.span).start);
            self.blank_words(head..end, &["abstract"]);
        }
        if let (Some(first), Some(last)) = (class.implements.first(), class.implements.last()) {
            let words = self.rewrite.words(range(class.span).start..range(first.span).start);
            let keyword = words.into_iter().rfind(|word| self.rewrite.text(word.clone()) == "implements");
            self.rewrite.blank(keyword.map_or(body, |word| word.start)..range(last.span).end);
        }
        for element in &class.body.body {
            if let ClassElement::MethodDefinition(method) = element
                && method.kind == MethodDefinitionKind::Constructor
                && let Some(constructor) = &method.value.body
            {
                self.parameter_properties(class, method, constructor);
            }
        }
    }

    /// Declares parameter properties as fields and assigns them, as the TypeScript compiler does.
    fn parameter_properties(
        &mut self,
        class: &Class<'_>,
        method: &MethodDefinition<'_>,
        constructor: &FunctionBody<'_>,
    ) {
        let names: Vec<&str> = method.value.params.items.iter().filter_map(property_name).collect();
        if names.is_empty() {
            return;
        }
        let before = if class.heritage.is_some() {
            let call = constructor.statements.iter().find(|statement| is_super_call(statement));
            if call.is_none() {
                let message = "a constructor with parameter properties needs `super(..)` as a separate statement";
                self.reject(method.span, message);
            }
            call.map(Statement::span)
        } else {
            constructor.directives.last().map(|directive| directive.span)
        };
        let at = before.map_or(range(constructor.span).start + 1, |before| range(before).end);
        let assignments: Vec<String> = names.iter().map(|name| format!("this.{name}={name}")).collect();
        self.rewrite.insert(range(class.body.span).start + 1, &format!("{};", names.join(";")));
        self.rewrite.insert(at, &format!(";{};", assignments.join(";")));
    }

    /// Blanks out the modifiers of a method. False if nothing is left of it.
    pub(super) fn method(&mut self, method: &MethodDefinition<'_>) -> bool {
        let is_abstract = method.r#type == MethodDefinitionType::TSAbstractMethodDefinition;
        if is_abstract || method.value.body.is_none() {
            self.rewrite.erase(range(method.span));
            return false;
        }
        let key_end = self.member(range(method.span).start, &method.key, method.computed);
        if method.optional {
            self.rewrite.blank_next(key_end, '?');
        }
        true
    }

    /// Blanks out the modifiers of a field. False if nothing is left of it.
    pub(super) fn property(&mut self, property: &PropertyDefinition<'_>) -> bool {
        let whole = range(property.span);
        if property.declare || property.r#type == PropertyDefinitionType::TSAbstractPropertyDefinition {
            self.rewrite.erase(whole);
            return false;
        }
        let key_end = self.member(whole.start, &property.key, property.computed);
        for (is_there, mark) in [(property.optional, '?'), (property.definite, '!')] {
            if is_there {
                self.rewrite.blank_next(key_end, mark);
            }
        }
        // A field called `get` would make a getter of the method below it.
        if let (Some(annotation), None) = (&property.type_annotation, &property.value) {
            self.rewrite.replace(range(annotation.span).start, ';');
        }
        true
    }

    /// Blanks out the modifiers of a member, and returns where its name ends.
    fn member(&mut self, start: usize, key: &PropertyKey<'_>, computed: bool) -> usize {
        let name = range(key.span());
        let modifiers = self.blank_words(start..name.start, &MEMBER_MODIFIERS);
        // `[name]` would belong to the field above it.
        if modifiers.first().is_some_and(|first| first.start == start) {
            self.rewrite.replace(start, ';');
        }
        match self.rewrite.next(name.end) {
            Some((at, ']')) if computed => at + 1,
            _ => name.end,
        }
    }

    /// Blanks out these words, and returns where they were.
    pub(super) fn blank_words(&mut self, within: Range<usize>, unwanted: &[&str]) -> Vec<Range<usize>> {
        let mut words = self.rewrite.words(within);
        words.retain(|word| unwanted.contains(&self.rewrite.text(word.clone())));
        for word in &words {
            self.rewrite.blank(word.clone());
        }
        words
    }
}

fn property_name<'n>(parameter: &'n FormalParameter<'_>) -> Option<&'n str> {
    let is_property = parameter.accessibility.is_some() || parameter.readonly || parameter.r#override;
    let pattern = match &parameter.pattern {
        BindingPattern::AssignmentPattern(pattern) => &pattern.left,
        other => other,
    };
    match pattern {
        BindingPattern::BindingIdentifier(id) if is_property => Some(id.name.as_str()),
        _ => None,
    }
}

fn is_super_call(statement: &Statement<'_>) -> bool {
    let Statement::ExpressionStatement(statement) = statement else { return false };
    matches!(&statement.expression, Expression::CallExpression(call) if matches!(call.callee, Expression::Super(_)))
}
