//! The supported revisions of the protocol, and its error codes.

/// The modern revision: no handshake, every request is self-contained.
pub const MODERN: &str = "2026-07-28";
/// The legacy revisions, the newest first: a handshake starts a session.
pub const LEGACY: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
/// The headers of a request do not match its message.
pub const HEADER_MISMATCH: i64 = -32020;
/// The client lacks a capability that the request needs.
pub const MISSING_CAPABILITY: i64 = -32021;
/// The revision is not supported.
pub const UNSUPPORTED_VERSION: i64 = -32022;
/// The key of the revision in a modern request.
pub const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// The key of the client's name and version.
pub const META_CLIENT: &str = "io.modelcontextprotocol/clientInfo";
/// The key of the client's capabilities.
pub const META_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// The key of the log level.
pub const META_LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
/// The key of the server's name and version in a modern result.
pub const META_SERVER: &str = "io.modelcontextprotocol/serverInfo";
