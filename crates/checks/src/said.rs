//! What the agent said, in a message.

use crate::shorten::shorten;

/// How much of what was said is shown.
const SHOWN: usize = 200;

/// What the agent said, as a fact to show.
pub(crate) fn quote(said: &str) -> String {
    if said.is_empty() {
        return "the agent said nothing".into();
    }
    format!("the agent said: {}", shorten(said, SHOWN))
}
