//! Credentials of requests to an A2A agent. They never enter the trace or a recording, and a replay does not need them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use agentci_files::{ReadError, read_bounded};
use agentci_plan::{ApiKeyPlace, Auth, Text, UnsetVariableError};
use agentci_text::percent_encoded;
use agentci_wire::FetchedSecrets;
use agentci_wire::http::ClientCertificate;

use super::token::{TokenClient, fetch};
use crate::{DriveError, DriveResult};

/// The size limit of a certificate or key file, in bytes.
const KEY_LIMIT: u64 = 1 << 20;

/// The credentials of a target.
pub(super) struct Credentials {
    scheme: AuthScheme,
    /// True in a replay, which sends no credentials.
    silent: bool,
    token: Option<String>,
    /// Fetched tokens are registered here before their first use, so that they can be redacted.
    fetched: FetchedSecrets,
    pub(super) certificate: Option<ClientCertificate>,
}

enum AuthScheme {
    None,
    Header(String, String),
    Query(String, String),
    Token(TokenClient),
    Certificate { certificate: PathBuf, key: PathBuf, authority: Option<PathBuf> },
}

/// Keeps secrets out of debug output.
impl std::fmt::Debug for Credentials {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Credentials").finish_non_exhaustive()
    }
}

impl Credentials {
    /// Reads the target's `auth`. In a replay its variables may be unset.
    pub(super) fn open(
        auth: Option<&Auth>,
        lookup: &dyn Fn(&str) -> Option<String>,
        fetched: &FetchedSecrets,
        replay: bool,
    ) -> Result<Self, UnsetVariableError> {
        let fill = |text: &Text| if replay { Ok(String::new()) } else { text.fill(lookup) };
        let scheme = match auth {
            Some(Auth::ApiKey { name, place, value }) => match place {
                ApiKeyPlace::Header => AuthScheme::Header(name.clone(), fill(value)?),
                ApiKeyPlace::Cookie => AuthScheme::Header("cookie".into(), format!("{name}={}", fill(value)?)),
                ApiKeyPlace::Query => AuthScheme::Query(name.clone(), fill(value)?),
            },
            Some(Auth::Bearer(token)) => AuthScheme::Header("authorization".into(), format!("Bearer {}", fill(token)?)),
            Some(Auth::OAuth2 { token_url, client_id, client_secret, scopes }) => AuthScheme::Token(TokenClient {
                token_url: fill(token_url)?,
                id: fill(client_id)?,
                secret: fill(client_secret)?,
                scope: scopes.join(" "),
            }),
            Some(Auth::Mtls { certificate, key, authority }) => AuthScheme::Certificate {
                certificate: certificate.clone(),
                key: key.clone(),
                authority: authority.clone(),
            },
            // The plan may have schemes that are not supported here.
            None => AuthScheme::None,
        };
        Ok(Self { scheme, silent: replay, token: None, fetched: fetched.clone(), certificate: None })
    }

    /// Fetches the token or reads the certificate, once.
    pub(super) async fn get_ready(&mut self, timeout: Duration) -> DriveResult {
        if self.silent {
            return Ok(());
        }
        match &self.scheme {
            AuthScheme::Token(client) if self.token.is_none() => {
                let token = fetch(client, timeout).await?;
                self.fetched.add(&token);
                self.token = Some(token);
            }
            AuthScheme::Certificate { certificate, key, authority } if self.certificate.is_none() => {
                let authority = authority.as_deref().map(read).transpose()?;
                let read = ClientCertificate::from_pem(&read(certificate)?, &read(key)?, authority.as_deref());
                self.certificate = Some(read.map_err(|error| DriveError::Unsupported(error.to_string()))?);
            }
            AuthScheme::None
            | AuthScheme::Header(..)
            | AuthScheme::Query(..)
            | AuthScheme::Token(_)
            | AuthScheme::Certificate { .. } => {}
        }
        Ok(())
    }

    /// Drops a refused token; returns whether a new one can be fetched.
    pub(super) fn forget(&mut self) -> bool {
        self.token = None;
        matches!(self.scheme, AuthScheme::Token(_))
    }

    /// Whether the credentials are part of the TLS handshake.
    pub(super) fn are_shown_on_connecting(&self) -> bool {
        matches!(self.scheme, AuthScheme::Certificate { .. })
    }

    pub(super) fn exist(&self) -> bool {
        !matches!(self.scheme, AuthScheme::None)
    }

    /// Adds the credentials to a request.
    pub(super) fn apply(&self, url: &mut String, headers: &mut Vec<(String, String)>) {
        if self.silent {
            return;
        }
        match &self.scheme {
            AuthScheme::Header(name, value) => headers.push((name.clone(), value.clone())),
            AuthScheme::Query(name, value) => {
                let separator = if url.contains('?') { '&' } else { '?' };
                *url = format!("{url}{separator}{}={}", percent_encoded(name), percent_encoded(value));
            }
            AuthScheme::Token(_) => {
                headers.extend(self.token.iter().map(|token| ("authorization".to_owned(), format!("Bearer {token}"))));
            }
            AuthScheme::None | AuthScheme::Certificate { .. } => {}
        }
    }
}

/// Reads a certificate or key file. Only regular files are read: anything else could block or never end.
fn read(path: &Path) -> DriveResult<Vec<u8>> {
    read_bounded(path, KEY_LIMIT).map_err(|error| {
        let why = match error {
            ReadError::TooLarge { limit, .. } => format!("it is larger than {} MiB", limit >> 20),
            error => error.to_string(),
        };
        DriveError::Unsupported(format!("`{}` of the target's `auth` cannot be read: {why}", path.display()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(auth: &Auth, replay: bool) -> (String, Vec<(String, String)>) {
        let credentials = Credentials::open(Some(auth), &|_| None, &FetchedSecrets::default(), replay).unwrap();
        let (mut url, mut headers) = ("https://example.com/a?x=1".to_owned(), Vec::new());
        credentials.apply(&mut url, &mut headers);
        assert!(!format!("{credentials:?}").contains("s3cret"));
        (url, headers)
    }

    fn key(place: ApiKeyPlace) -> Auth {
        Auth::ApiKey { name: "X-Key".into(), place, value: Text::Literal("s3cret&".into()) }
    }

    #[test]
    fn credentials_are_sent_in_the_configured_location() {
        let plain = "https://example.com/a?x=1".to_owned();
        let header = |name: &str, value: &str| vec![(name.to_owned(), value.to_owned())];
        assert_eq!(applied(&key(ApiKeyPlace::Header), false), (plain.clone(), header("X-Key", "s3cret&")));
        assert_eq!(applied(&key(ApiKeyPlace::Cookie), false), (plain.clone(), header("cookie", "X-Key=s3cret&")));
        assert_eq!(applied(&key(ApiKeyPlace::Query), false), (format!("{plain}&X-Key=s3cret%26"), Vec::new()));
        let bearer = Auth::Bearer(Text::Literal("s3cret".into()));
        assert_eq!(applied(&bearer, false), (plain, header("authorization", "Bearer s3cret")));
    }

    #[test]
    fn refuses_certificate_too_large_or_not_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key.pem");
        std::fs::File::create(&path).unwrap().set_len(KEY_LIMIT).unwrap();
        assert_eq!(read(&path).unwrap().len() as u64, KEY_LIMIT);
        std::fs::File::create(&path).unwrap().set_len(KEY_LIMIT + 1).unwrap();
        assert!(read(&path).unwrap_err().to_string().ends_with("cannot be read: it is larger than 1 MiB"));
        assert!(read(folder.path()).unwrap_err().to_string().ends_with("it is not a regular file"));
    }

    #[test]
    fn replay_needs_no_secret() {
        let auth = Auth::Bearer(Text::parse("${ENV.UNSET}"));
        assert_eq!(applied(&auth, true), ("https://example.com/a?x=1".into(), Vec::new()));
        assert!(Credentials::open(Some(&auth), &|_| None, &FetchedSecrets::default(), false).is_err());
    }
}
