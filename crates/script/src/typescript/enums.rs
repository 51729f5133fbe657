//! Writes enums out as objects.
//!
//! ```text
//! enum Size { Small = 1, Large }
//! var Size=((Size)=>{const __member=..;__member("Small",1);__member("Large",Size["Small"]+1);return Size})(Size||{});
//! ```

use oxc_ast::ast::{Expression, TSEnumDeclaration, TSEnumMember, TSEnumMemberName};
use oxc_ast_visit::Visit as _;
use oxc_span::GetSpan as _;

use super::eraser::Eraser;
use super::rewrite::range;

/// Numbers map back to the name of their member, strings do not.
const MEMBER: &str = "(__name,__value)=>{ENUM[__name]=__value;if(typeof __value!=='string')ENUM[__value]=__name}";

impl Eraser<'_> {
    pub(super) fn enumeration(&mut self, enumeration: &TSEnumDeclaration<'_>) {
        let name = enumeration.id.name.as_str();
        let (whole, body) = (range(enumeration.span), range(enumeration.body.span));
        self.rewrite.blank(whole.start..body.start + 1);
        let member = MEMBER.replace("ENUM", name);
        self.rewrite.insert(whole.start, &format!("var {name}=(({name})=>{{const __member={member};"));
        self.bound.insert(name.to_owned());
        let members = &enumeration.body.members;
        let known = self.enum_members.entry(name.to_owned()).or_default();
        known.extend(members.iter().map(|member| name_of(member).to_owned()));
        let outer = self.current_enum.replace(name.to_owned());
        let mut before = None;
        for member in members {
            self.enum_member(name, member, before);
            before = Some(member);
        }
        self.current_enum = outer;
        self.rewrite.blank(body.end - 1..body.end);
        self.rewrite.insert(body.end - 1, &format!("return {name}}})({name}||{{}});"));
    }

    fn enum_member(&mut self, name: &str, member: &TSEnumMember<'_>, before: Option<&TSEnumMember<'_>>) {
        let whole = range(member.span);
        let own = quoted(member);
        self.rewrite.blank_next(whole.end, ',');
        if let Some(initializer) = &member.initializer {
            let initializer_range = range(initializer.span());
            self.rewrite.blank(whole.start..initializer_range.start);
            self.rewrite.insert(whole.start, &format!("__member({own},"));
            self.visit_expression(initializer);
            self.rewrite.insert(initializer_range.end, ");");
            return;
        }
        if before.is_some_and(|before| matches!(before.initializer, Some(Expression::StringLiteral(_)))) {
            let message =
                format!("enum member `{}` needs a value, because the one before it is a string", name_of(member));
            self.reject(member.span, message);
        }
        let value = before.map_or_else(|| "0".into(), |before| format!("{name}[{}]+1", quoted(before)));
        self.rewrite.blank(whole.clone());
        self.rewrite.insert(whole.start, &format!("__member({own},{value});"));
    }
}

fn name_of<'n>(member: &'n TSEnumMember<'_>) -> &'n str {
    match &member.id {
        TSEnumMemberName::Identifier(name) => name.name.as_str(),
        TSEnumMemberName::String(name) | TSEnumMemberName::ComputedString(name) => name.value.as_str(),
        TSEnumMemberName::ComputedTemplateString(name) => {
            name.quasis.first().map_or("", |text| text.value.raw.as_str())
        }
    }
}

fn quoted(member: &TSEnumMember<'_>) -> String {
    serde_json::Value::from(name_of(member)).to_string()
}
