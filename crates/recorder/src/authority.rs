//! The certificate authority of one session; its key never leaves memory.
//!
//! Creates a TLS configuration with a certificate for a host name or an address on first use, and caches it.

use std::collections::HashMap;
use std::error::Error;
use std::fmt;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine as _;
use jiff::{Timestamp, ToSpan as _, tz::TimeZone};
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, date_time_ymd,
};
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// Number of cached certificates. Beyond it a certificate is created for each connection, which takes less than a
/// millisecond.
const MOST_LEAVES: usize = 1_000;
/// How many days before now a certificate becomes valid: clocks in containers are not always right.
const DAYS_BEFORE: i64 = 1;
/// How many days after now it expires.
const DAYS_AFTER: i64 = 7;

/// The certificate authority for the hosts that the proxy impersonates.
pub(crate) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    certificate: CertificateDer<'static>,
    leaves: Mutex<HashMap<String, Arc<ServerConfig>>>,
}

impl Authority {
    /// Creates an authority that is valid for a few days.
    pub(crate) fn new() -> Result<Self, rcgen::Error> {
        let mut params = params("agentci recorder (this session only)", None)?;
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let key = KeyPair::generate()?;
        let certificate = params.self_signed(&key)?.der().clone();
        Ok(Self { issuer: Issuer::new(params, key), certificate, leaves: Mutex::default() })
    }

    /// The certificate of the authority itself, for clients to trust.
    pub(crate) fn ca_pem(&self) -> String {
        let text = base64::engine::general_purpose::STANDARD.encode(&self.certificate);
        let mut pem = String::from("-----BEGIN CERTIFICATE-----\n");
        for line in text.as_bytes().chunks(64) {
            pem.push_str(&String::from_utf8_lossy(line));
            pem.push('\n');
        }
        pem + "-----END CERTIFICATE-----\n"
    }

    /// The TLS configuration for this host: a name, or an address without brackets.
    pub(crate) fn server_config(&self, host: &str) -> Result<Arc<ServerConfig>, Box<dyn Error>> {
        let mut leaves = self.leaves.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(config) = leaves.get(host) {
            return Ok(Arc::clone(config));
        }
        let config = Arc::new(self.make(host)?);
        if leaves.len() < MOST_LEAVES {
            leaves.insert(host.to_owned(), Arc::clone(&config));
        }
        Ok(config)
    }

    fn make(&self, host: &str) -> Result<ServerConfig, Box<dyn Error>> {
        // A common name has at most 64 characters; clients check the subject alternative name.
        let common = if host.len() <= 64 { host } else { "agentci recorder" };
        let mut params = params(common, Some(host))?;
        // Python 3.13 rejects a certificate without an authority key identifier.
        params.use_authority_key_identifier_extension = true;
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        let key = KeyPair::generate()?;
        let leaf = params.signed_by(&key, &self.issuer)?;
        let chain = vec![leaf.der().clone(), self.certificate.clone()];
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
        let key = PrivateKeyDer::Pkcs8(key.serialize_der().into());
        let mut config = builder.with_no_client_auth().with_single_cert(chain, key)?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(config)
    }
}

/// Does not print the key.
impl fmt::Debug for Authority {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Authority").finish_non_exhaustive()
    }
}

/// The parameters that all certificates share. A `name` that parses as an IP address becomes an IP address entry.
fn params(common_name: &str, name: Option<&str>) -> Result<CertificateParams, rcgen::Error> {
    let plain = |name: &str| name.parse::<IpAddr>().map_or_else(|_| name.to_owned(), |address| address.to_string());
    let mut params = CertificateParams::new(name.map(plain).into_iter().collect::<Vec<String>>())?;
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, common_name);
    let ((year, month, day), end) = (date(-DAYS_BEFORE), date(DAYS_AFTER));
    params.not_before = date_time_ymd(year, month, day);
    params.not_after = date_time_ymd(end.0, end.1, end.2);
    Ok(params)
}

/// The date this many days from now.
fn date(days: i64) -> (i32, u8, u8) {
    let now = Timestamp::now().to_zoned(TimeZone::UTC);
    let then = now.checked_add(days.days()).unwrap_or(now);
    let month = u8::try_from(then.month()).expect("months are numbered from 1 to 12");
    let day = u8::try_from(then.day()).expect("days are numbered from 1 to 31");
    (then.year().into(), month, day)
}

#[cfg(test)]
mod tests {
    use rustls::pki_types::ServerName;
    use rustls::{ClientConfig, RootCertStore};
    use tokio_rustls::{TlsAcceptor, TlsConnector};

    use super::*;

    async fn shakes_hands(authority: &Authority, shown: &str, expected: &str) -> bool {
        let mut roots = RootCertStore::empty();
        roots.add(authority.certificate.clone()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let client = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        let (near, far) = tokio::io::duplex(64 * 1024);
        let server = TlsAcceptor::from(authority.server_config(shown).unwrap()).accept(far);
        let name = ServerName::try_from(expected.to_owned()).unwrap();
        let (client, server) = tokio::join!(TlsConnector::from(Arc::new(client)).connect(name, near), server);
        client.is_ok() && server.is_ok()
    }

    #[tokio::test]
    async fn certificate_is_valid_only_for_its_host() {
        let authority = Authority::new().unwrap();
        for host in ["api.openai.com", "localhost", "127.0.0.1", "::1"] {
            assert!(shakes_hands(&authority, host, host).await, "{host}");
        }
        assert!(!shakes_hands(&authority, "api.openai.com", "api.anthropic.com").await);
        assert!(!shakes_hands(&authority, "127.0.0.1", "127.0.0.2").await);
    }

    #[test]
    fn reuses_certificate_of_a_host() {
        let authority = Authority::new().unwrap();
        let first = authority.server_config("a.example").unwrap();
        assert!(Arc::ptr_eq(&first, &authority.server_config("a.example").unwrap()));
        assert!(!format!("{authority:?}").contains("PRIVATE"));
    }
}
