//! What the agent said, in a message.

/// How much of what was said is shown.
const SHOWN: usize = 200;

/// What the agent said, as a fact to show.
pub(crate) fn quote(said: &str) -> String {
    if said.is_empty() {
        return "the agent said nothing".into();
    }
    let mut short: String = said.chars().take(SHOWN).collect();
    if short.len() < said.len() {
        short.push_str("...");
    }
    format!("the agent said: {short}")
}
