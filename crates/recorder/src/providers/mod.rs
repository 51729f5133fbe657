//! The APIs that are known: what they are called, how they refuse a request, where they keep a conversation, what their answers
//! cost, and what is mere chatter.

mod api;
mod chatter;
mod conversation;
mod conversations;
mod miss;
mod prices;

pub use api::{ProviderApi, api_of, model_answer};
pub use chatter::is_chatter;
pub use conversations::{Conversations, after};
pub use miss::{MissAnswer, miss_answer};
pub use prices::{PriceTable, TokenPrice};

pub(crate) use conversation::{messages, system_pointers};
