//! Reads agent cards: the interface of an agent and its capabilities.

use serde_json::Value;

use super::fields::{A2aError, A2aFields};

/// A version of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum A2aVersion {
    /// 1.0 and compatible versions.
    V1,
    /// 0.3 and earlier.
    V03,
}

impl A2aVersion {
    /// The value of the header `A2A-Version`.
    pub fn header(self) -> &'static str {
        match self {
            A2aVersion::V1 => "1.0",
            A2aVersion::V03 => "0.3",
        }
    }

    /// The version that a card names, if it is supported.
    fn parse(written: &str) -> Option<Self> {
        match written.split('.').next()? {
            "1" => Some(A2aVersion::V1),
            "0" => Some(A2aVersion::V03),
            _ => None,
        }
    }
}

/// How requests are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Binding {
    /// Every request is a JSON-RPC call to one URL.
    JsonRpc,
    /// Every operation has its own URL.
    Rest,
}

impl Binding {
    fn parse(written: &str) -> Option<Self> {
        match written.to_ascii_uppercase().as_str() {
            "JSONRPC" => Some(Binding::JsonRpc),
            "HTTP+JSON" => Some(Binding::Rest),
            _ => None,
        }
    }
}

/// The version and the binding of an interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct A2aProtocol {
    /// The version of the protocol.
    pub version: A2aVersion,
    /// How requests are sent.
    pub binding: Binding,
}

/// The interface of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interface {
    pub url: String,
    /// The version and the binding.
    pub protocol: A2aProtocol,
    /// The tenant, if several agents share the URL.
    pub tenant: Option<String>,
}

impl Interface {
    /// The interface of an agent of which only the URL is known.
    pub fn bare(url: impl Into<String>) -> Self {
        let protocol = A2aProtocol { version: A2aVersion::V1, binding: Binding::JsonRpc };
        Self { url: url.into(), protocol, tenant: None }
    }
}

/// The relevant parts of an agent's card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Card {
    /// The first supported interface: the agent lists them in order of preference.
    pub interface: Interface,
    /// Whether the agent can stream.
    pub streaming: bool,
}

impl Card {
    /// Reads a card of either version.
    pub fn read(card: &Value) -> Result<Self, A2aError> {
        let fields = A2aFields::open(card, "the agent card")?;
        let offers = if fields.any("supportedInterfaces").is_some() {
            fields.list("supportedInterfaces")?.iter().map(modern).collect::<Result<Vec<_>, _>>()?
        } else {
            legacy(&fields)?
        };
        let Some(interface) = offers.iter().find_map(|offer| offer.as_ref().ok()).cloned() else {
            let offered: Vec<String> = offers.into_iter().filter_map(Result::err).collect();
            let offered = if offered.is_empty() { "none".into() } else { offered.join(", ") };
            return Err(A2aError(format!(
                "the agent card has no supported interface (JSONRPC or HTTP+JSON, version 1.0 or 0.3); \
                 it offers {offered}"
            )));
        };
        let streaming = match fields.any("capabilities") {
            Some(capabilities) => {
                A2aFields::open(capabilities, "`capabilities` of the agent card")?.switch("streaming")?
            }
            None => false,
        };
        Ok(Self { interface, streaming })
    }
}

/// An interface in a card, or the description of an unsupported one.
type OfferedInterface = Result<Interface, String>;

fn offer(url: String, binding: &str, version: &str, tenant: Option<String>) -> OfferedInterface {
    match (A2aVersion::parse(version), Binding::parse(binding)) {
        (Some(version), Some(binding)) => Ok(Interface { url, protocol: A2aProtocol { version, binding }, tenant }),
        _ => Err(format!("{} {}", binding.escape_debug(), version.escape_debug())),
    }
}

fn modern(interface: &Value) -> Result<OfferedInterface, A2aError> {
    let fields = A2aFields::open(interface, "an interface of the agent card")?;
    let (url, binding) = (fields.required_text("url")?, fields.required_text("protocolBinding")?);
    // Cards from before the final 1.0 have no version.
    let version = fields.text("protocolVersion")?.unwrap_or_else(|| "1.0".into());
    Ok(offer(url, &binding, &version, fields.text("tenant")?))
}

/// Reads a card of 0.3: one URL with its transport, and optional others.
fn legacy(card: &A2aFields<'_>) -> Result<Vec<OfferedInterface>, A2aError> {
    let version = card.text("protocolVersion")?.unwrap_or_else(|| "0.3".into());
    let preferred = card.text("preferredTransport")?.unwrap_or_else(|| "JSONRPC".into());
    let mut offers = vec![offer(card.required_text("url")?, &preferred, &version, None)];
    for other in card.list("additionalInterfaces")? {
        let fields = A2aFields::open(other, "an interface of the agent card")?;
        offers.push(offer(fields.required_text("url")?, &fields.required_text("transport")?, &version, None));
    }
    Ok(offers)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn interface(url: &str, version: A2aVersion, binding: Binding, tenant: Option<&str>) -> Interface {
        Interface { url: url.into(), protocol: A2aProtocol { version, binding }, tenant: tenant.map(str::to_owned) }
    }

    #[test]
    fn selects_first_supported_interface_and_its_url() {
        let card = json!({
            "name": "shop",
            "supportedInterfaces": [
                { "url": "grpc.example.com:443", "protocolBinding": "GRPC", "protocolVersion": "1.0" },
                { "url": "https://example.com/2", "protocolBinding": "JSONRPC", "protocolVersion": "2.0" },
                { "url": "https://example.com/rest", "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0", "tenant": "t1" },
                { "url": "https://example.com/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0" }
            ],
            "url": "https://example.com/old",
            "capabilities": { "streaming": true }
        });
        let wanted = interface("https://example.com/rest", A2aVersion::V1, Binding::Rest, Some("t1"));
        assert_eq!(Card::read(&card), Ok(Card { interface: wanted, streaming: true }));
    }

    #[test]
    fn reads_card_of_previous_version() {
        let card = json!({ "url": "https://example.com/a", "protocolVersion": "0.3.0", "capabilities": {} });
        let wanted = interface("https://example.com/a", A2aVersion::V03, Binding::JsonRpc, None);
        assert_eq!(Card::read(&card), Ok(Card { interface: wanted, streaming: false }));
        let card = json!({
            "url": "https://example.com/a", "preferredTransport": "GRPC", "protocolVersion": "0.3.0",
            "additionalInterfaces": [
                { "url": "https://example.com/a", "transport": "GRPC" },
                { "url": "https://example.com/b", "transport": "HTTP+JSON" }
            ]
        });
        let wanted = interface("https://example.com/b", A2aVersion::V03, Binding::Rest, None);
        assert_eq!(Card::read(&card), Ok(Card { interface: wanted, streaming: false }));
    }

    #[test]
    fn unsupported_card_error_lists_offered_interfaces() {
        let card =
            json!({ "supportedInterfaces": [{ "url": "x:1", "protocolBinding": "GRPC", "protocolVersion": "1.0" }] });
        assert!(Card::read(&card).unwrap_err().0.ends_with("it offers GRPC 1.0"));
        assert!(Card::read(&json!({ "supportedInterfaces": [] })).unwrap_err().0.ends_with("it offers none"));
        assert_eq!(Card::read(&json!({ "name": "x" })).unwrap_err().0, "the agent card has no `url`");
        assert_eq!(Card::read(&json!("hello")).unwrap_err().0, "the agent card must be an object, found \"hello\"");
    }
}
