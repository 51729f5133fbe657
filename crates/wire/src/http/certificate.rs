//! Client certificates.

use std::fmt;

use reqwest::redirect::Policy;
use reqwest::{Certificate, Client, Identity, Url};

use super::HttpError;
use super::client::{REDIRECTS, SharedClients, build, is_loopback};

/// A client certificate, and the certificate authorities for the server.
pub struct ClientCertificate {
    identity: Identity,
    /// The certificate authorities for the server. Default: those of the system.
    authorities: Vec<Certificate>,
    direct: SharedClients,
    outside: SharedClients,
}

impl ClientCertificate {
    /// Reads a certificate with its chain, its key, and the certificate authorities for servers, all as PEM.
    pub fn from_pem(certificate: &[u8], key: &[u8], authorities: Option<&[u8]>) -> Result<Self, HttpError> {
        let both = [certificate, b"\n", key].concat();
        let identity = Identity::from_pem(&both)
            .map_err(|error| HttpError::Certificate(format!("the client certificate or its key: {}", why(&error))))?;
        let authorities = match authorities {
            None => Vec::new(),
            Some(pem) => Certificate::from_pem_bundle(pem)
                .map_err(|error| HttpError::Certificate(format!("the certificate authority: {}", why(&error))))?,
        };
        Ok(Self { identity, authorities, direct: SharedClients::new(), outside: SharedClients::new() })
    }

    pub(super) fn client(&self, url: &Url) -> Result<&Client, HttpError> {
        let client = if is_loopback(url) {
            self.direct.get_or_init(|| build(self.builder().no_proxy()))
        } else {
            self.outside.get_or_init(|| build(self.builder()))
        };
        client.as_ref().map_err(|reason| HttpError::Client(reason.clone()))
    }

    fn builder(&self) -> reqwest::ClientBuilder {
        let builder = Client::builder().identity(self.identity.clone()).redirect(Policy::limited(REDIRECTS));
        if self.authorities.is_empty() { builder } else { builder.tls_certs_only(self.authorities.clone()) }
    }
}

/// Keeps the key out of debug output.
impl fmt::Debug for ClientCertificate {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("ClientCertificate").finish_non_exhaustive()
    }
}

fn why(error: &reqwest::Error) -> String {
    super::error::causes(error).pop().unwrap_or_else(|| "not in PEM format".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_file_that_is_not_a_certificate() {
        let error = ClientCertificate::from_pem(b"hello", b"world", None).unwrap_err();
        assert!(matches!(error, HttpError::Certificate(_)), "{error}");
        assert!(error.to_string().contains("client certificate or its key"), "{error}");
    }
}
