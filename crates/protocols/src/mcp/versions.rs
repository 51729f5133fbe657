//! The revisions of the protocol that are spoken, and the numbers of its own errors.

/// The modern revision: no handshake, every request says everything.
pub const MODERN: &str = "2026-07-28";
/// The legacy revisions, the newest first: a handshake begins a session.
pub const LEGACY: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
/// The headers of a request are not those of its message.
pub const HEADER_MISMATCH: i64 = -32020;
/// The client does not have what the request needs of it.
pub const MISSING_CAPABILITY: i64 = -32021;
/// The revision is not spoken.
pub const UNSUPPORTED_VERSION: i64 = -32022;
/// Where a modern request says which revision it speaks.
pub const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// Where it says who asks.
pub const META_CLIENT: &str = "io.modelcontextprotocol/clientInfo";
/// Where it says what the client can do.
pub const META_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// Where it says what is to be logged.
pub const META_LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
/// Where a modern result says who answers.
pub const META_SERVER: &str = "io.modelcontextprotocol/serverInfo";
