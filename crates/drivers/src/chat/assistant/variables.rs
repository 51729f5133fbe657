//! Prompt variables: `$SYS.NAME`, `$ENV.NAME`, `$CTX.NAME`.

/// The source of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    /// The time.
    Sys,
    /// The environment.
    Env,
    /// The context of the conversation.
    Ctx,
}

const FAMILIES: [(&str, Family); 3] = [("SYS.", Family::Sys), ("ENV.", Family::Env), ("CTX.", Family::Ctx)];

/// Fills in the variables of a text in one pass: values are not expanded again. A variable without a value stays as it
/// is written.
pub(super) fn fill(text: &str, mut value: impl FnMut(Family, &str) -> Option<String>) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        let (before, from) = rest.split_at(at);
        filled.push_str(before);
        let found = variable(from).and_then(|(family, name)| Some((value(family, name)?, name.len() + 5)));
        let (value, length) = found.unwrap_or_else(|| ("$".to_owned(), 1));
        filled.push_str(&value);
        rest = &from[length..];
    }
    filled.push_str(rest);
    filled
}

/// The variable at the start of a text.
fn variable(text: &str) -> Option<(Family, &str)> {
    let after = text.strip_prefix('$')?;
    let (prefix, family) = FAMILIES.iter().find(|(prefix, _)| after.starts_with(prefix))?;
    let name = after.strip_prefix(prefix)?;
    let end = name.find(|c: char| c != '_' && !c.is_ascii_alphanumeric()).unwrap_or(name.len());
    let name = name.get(..end)?;
    let begins = name.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic());
    begins.then_some((*family, name))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn known(family: Family, name: &str) -> Option<String> {
        match (family, name) {
            (Family::Sys, "YEAR") => Some("2024".into()),
            (Family::Sys, _) => None,
            (Family::Ctx, "USER_ID") => Some("$ENV.SECRET".into()),
            (Family::Env | Family::Ctx, _) => Some(String::new()),
        }
    }

    #[test]
    fn variables_are_substituted_once() {
        assert_eq!(fill("In $SYS.YEAR, $CTX.USER_ID.", known), "In 2024, $ENV.SECRET.");
        assert_eq!(fill("[$ENV.X][$CTX.nobody]", known), "[][]");
        assert_eq!(fill("$SYS.YEARS costs $5, $ENV. and $$SYS.YEAR$", known), "$SYS.YEARS costs $5, $ENV. and $2024$");
        assert_eq!(fill("$ENV.1A $SYS.YEAR\u{fc}", known), "$ENV.1A 2024\u{fc}");
    }

    proptest! {
        #[test]
        fn text_without_known_variables_is_unchanged(text in "(\\PC|\\$(SYS|ENV|CTX)\\.[A-Z0-9_]{0,3}){0,20}") {
            prop_assert_eq!(fill(&text, |_, _| None), text);
        }
    }
}
