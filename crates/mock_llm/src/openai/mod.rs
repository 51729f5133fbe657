//! OpenAI's shapes, which Azure has as well.

pub(super) mod azure;
pub(super) mod chat;
pub(super) mod chat_stream;
pub(super) mod conversations;
pub(super) mod embeddings;
pub(super) mod models;
pub(super) mod moderations;
pub(super) mod responses;
pub(super) mod responses_stream;
