//! A target that is an A2A agent.

use std::time::Duration;

use serde_json::Value;

use crate::{OutputRule, Text};
use agentci_source::{Span, Spanned};

/// A target that is an A2A agent.
#[derive(Debug, Clone, PartialEq)]
pub struct A2aTarget {
    /// How to find it.
    pub card: A2aCard,
    /// The context of all turns of a case; chosen by the agent when absent.
    pub context: Option<Text>,
    /// Whether a request waits until the task is done.
    pub blocking: Option<bool>,
    /// The media types accepted as answers.
    pub accepted_output_modes: Vec<String>,
    /// The authentication.
    pub auth: Option<Auth>,
    /// Hosts, `NAME` or `NAME:PORT`, that may receive credentials if a fetched card names them.
    pub hosts: Vec<String>,
    /// Headers in addition to the usual ones, which they override.
    pub headers: Vec<(String, Text)>,
    /// The timeout of one request.
    pub timeout: Duration,
    /// Whether it must produce output.
    pub output: OutputRule,
    /// The names of the target's keys in messages.
    pub keys: A2aKeys,
    /// Where the suite sets it.
    pub span: Span,
}

/// The names of an A2A target's keys in the format of its suite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct A2aKeys {
    /// The key of the card's URL.
    pub card_url: &'static str,
    /// The key of the media types accepted as answers.
    pub accepted_output_modes: &'static str,
}

/// How to find an A2A agent.
#[derive(Debug, Clone, PartialEq)]
pub enum A2aCard {
    /// By the URL of its card.
    At(Spanned<Text>),
    /// By the card itself.
    Inline(Value),
    /// By the URL for requests; it has no card.
    Endpoint(Spanned<Text>),
}

/// The authentication.
#[derive(Debug, Clone, PartialEq)]
pub enum Auth {
    /// An API key in a header, a query parameter or a cookie.
    ApiKey {
        /// The name of the header, parameter or cookie.
        name: String,
        /// Where the key is sent.
        place: ApiKeyPlace,
        /// The key.
        value: Text,
    },
    /// A bearer token.
    Bearer(Text),
    /// A token fetched with client credentials.
    OAuth2 {
        /// The URL of the token endpoint.
        token_url: Text,
        client_id: Text,
        client_secret: Text,
        /// The requested scopes.
        scopes: Vec<String>,
    },
    /// A client certificate.
    Mtls {
        /// The certificate and its chain, a PEM file.
        certificate: std::path::PathBuf,
        /// Its private key, a PEM file.
        key: std::path::PathBuf,
        /// The certificate authority of the server, a PEM file; the usual authorities when absent.
        authority: Option<std::path::PathBuf>,
    },
}

impl Auth {
    /// The part that must be redacted.
    pub fn secret(&self) -> Option<&Text> {
        match self {
            Auth::ApiKey { value, .. } => Some(value),
            Auth::Bearer(token) => Some(token),
            Auth::OAuth2 { client_secret, .. } => Some(client_secret),
            Auth::Mtls { .. } => None,
        }
    }
}

/// Where an API key is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ApiKeyPlace {
    #[default]
    Header,
    /// In the URL.
    Query,
    Cookie,
}

impl ApiKeyPlace {
    /// All places by name.
    pub const NAMES: [(&'static str, ApiKeyPlace); 3] =
        [("header", ApiKeyPlace::Header), ("query", ApiKeyPlace::Query), ("cookie", ApiKeyPlace::Cookie)];
}
