//! Finds checks that cannot fail, for `agentci check`: they pass whatever the agent does, so a passed case means less
//! than it seems.
//!
//! A scripted model behind an agent follows its script. A text that only comes from the script shows that the model was
//! called, but not what the agent did. If the model is the agent (`chat`) or the script is what is tested (`mock`),
//! that is the point of the suite, and nothing is reported. The same holds for `seen: requested`, which looks at
//! requests on purpose.

mod cannot_fail;
mod every_text;
mod every_value;
mod script_words;

pub use cannot_fail::cannot_fail;
pub(crate) use cannot_fail::items;
pub(crate) use every_text::matches_all;
pub(crate) use every_value::schema_of;
