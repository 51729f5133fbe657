//! An agent that speaks A2A.

use std::time::Duration;

use serde_json::Value;

use crate::{OutputRule, Text};
use agentci_source::{Span, Spanned};

/// An agent that speaks A2A.
#[derive(Debug, Clone, PartialEq)]
pub struct A2aTarget {
    /// How it is found.
    pub card: A2aCard,
    /// The context all turns of a case belong to; the agent gives one when absent.
    pub context: Option<Text>,
    /// Whether a request waits for the task to be done.
    pub blocking: Option<bool>,
    /// The media types that are taken as answers.
    pub accepted_output_modes: Vec<String>,
    /// How we say who we are.
    pub auth: Option<Auth>,
    /// Hosts, `NAME` or `NAME:PORT`, that may be shown credentials when a card that was fetched names them.
    pub hosts: Vec<String>,
    /// Headers beside the usual ones, which they override.
    pub headers: Vec<(String, Text)>,
    /// How long one request may take.
    pub timeout: Duration,
    /// Whether it must put something out.
    pub output: OutputRule,
    /// What messages call the keys of the target.
    pub keys: A2aKeys,
    /// Where the suite says so.
    pub span: Span,
}

/// The names that keys of an A2A target have in the format of its suite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct A2aKeys {
    /// The key of the card's address.
    pub card_url: &'static str,
    /// The key of the media types that are taken as answers.
    pub accepted_output_modes: &'static str,
}

/// How an A2A agent is found.
#[derive(Debug, Clone, PartialEq)]
pub enum A2aCard {
    /// Its card is at this address.
    At(Spanned<Text>),
    /// Its card is this.
    Inline(Value),
    /// It has no card: requests go here.
    Endpoint(Spanned<Text>),
}

/// How we say who we are.
#[derive(Debug, Clone, PartialEq)]
pub enum Auth {
    /// A key in a header, a query parameter or a cookie.
    ApiKey {
        /// The name of the header, parameter or cookie.
        name: String,
        /// `header`, `query` or `cookie`.
        place: ApiKeyPlace,
        /// The key.
        value: Text,
    },
    /// A bearer token.
    Bearer(Text),
    /// A token fetched with client credentials.
    OAuth2 {
        /// Where tokens are given.
        token_url: Text,
        /// Who asks.
        client_id: Text,
        /// With what.
        client_secret: Text,
        /// For what.
        scopes: Vec<String>,
    },
    /// A client certificate.
    Mtls {
        /// The certificate and its chain, a PEM file.
        certificate: std::path::PathBuf,
        /// Its key, a PEM file.
        key: std::path::PathBuf,
        /// Who vouches for the server, a PEM file; the usual authorities when absent.
        authority: Option<std::path::PathBuf>,
    },
}

impl Auth {
    /// What nobody else may see of it.
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
    /// In a header.
    #[default]
    Header,
    /// In the address.
    Query,
    /// In a cookie.
    Cookie,
}

impl ApiKeyPlace {
    /// Every place by its name.
    pub const NAMES: [(&'static str, ApiKeyPlace); 3] =
        [("header", ApiKeyPlace::Header), ("query", ApiKeyPlace::Query), ("cookie", ApiKeyPlace::Cookie)];
}
