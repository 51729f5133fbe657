//! The supported APIs of providers: their names, error formats, conversations and prices, and the detection of chatter.

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
