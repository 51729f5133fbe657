//! Rules for tool names.

use super::super::refusal::ModelRefusal;
use super::refuse;

/// The maximum length of a name that any provider accepts.
const LONGEST: usize = 128;
/// The maximum length of a name that all providers of OpenAI's API accept.
const SAFE: usize = 64;
/// The maximum length of a description that all OpenAI models accept.
const SAFE_DESCRIPTION: usize = 1024;

/// Whether a name has only characters that providers accept.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

/// OpenAI's rule. The pattern is quoted in nanbingxyz/5ire#33, the error for long names in mrexodia/ida-pro-mcp#129.
pub(super) fn openai(place: &str, name: &str) -> Result<(), ModelRefusal> {
    if !is_plain(name) {
        let message = format!(
            "Invalid '{place}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."
        );
        return Err(ModelRefusal::of_part(place, message).code("invalid_value"));
    }
    let length = name.len();
    if length > LONGEST {
        let message = format!(
            "Invalid '{place}': string too long. Expected a string with maximum length {LONGEST}, but got a string with length \
             {length} instead."
        );
        return Err(ModelRefusal::of_part(place, message).code("string_above_max_length"));
    }
    Ok(())
}

/// Warns about what OpenAI accepts in Chat Completions, but not every provider of its API does: names of more than 64
/// characters (mrexodia/ida-pro-mcp#129), and descriptions of more than 1,024, which some models refuse
/// (nanbingxyz/5ire#33).
pub(super) fn risky(place: &str, name: &str, description: Option<&str>) -> Vec<String> {
    let mut warnings = Vec::new();
    if (SAFE + 1..=LONGEST).contains(&name.len()) {
        warnings.push(format!(
            "the name of the tool `{name}` ({place}) has {} characters; several providers of this API accept \
             at most {SAFE}",
            name.len()
        ));
    }
    let length = description.map_or(0, |text| text.chars().count());
    if length > SAFE_DESCRIPTION {
        warnings.push(format!(
            "the description of the tool `{name}` has {length} characters; some models accept at most \
             {SAFE_DESCRIPTION}"
        ));
    }
    warnings
}

/// Anthropic's rule. The pattern is quoted in home-assistant/core#147760 and netclaw-dev/netclaw#1133, the error for
/// long names in anthropics/claude-code#96152.
pub(super) fn anthropic(at: usize, name: &str) -> Result<(), ModelRefusal> {
    let place = format!("tools.{at}.custom.name");
    if is_plain(name) && name.len() > LONGEST {
        return refuse(format!("{place}: String should have at most {LONGEST} characters"));
    }
    if !is_plain(name) {
        return refuse(format!("{place}: String should match pattern '^[a-zA-Z0-9_-]{{1,{LONGEST}}}$'"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_only_valid_tool_names() {
        for name in ["a", "find_order", "mcp__shop-2__find", &"x".repeat(128)] {
            assert_eq!((openai("t", name), anthropic(0, name)), (Ok(()), Ok(())), "{name}");
        }
        for name in ["", "find order", "shop.find", "a/b", "größe", &"x".repeat(129)] {
            assert!(openai("t", name).is_err() && anthropic(0, name).is_err(), "{name}");
        }
        assert_eq!(risky("t", &"x".repeat(64), Some(&"y".repeat(1024))), Vec::<String>::new());
        assert_eq!(risky("t", &"x".repeat(65), Some(&"y".repeat(1025))).len(), 2);
    }
}
