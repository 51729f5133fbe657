//! The user's own proxy, from the environment variables.

use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::proxy::RequestTarget;

/// Maximum length of the head of an answer to `CONNECT`.
const LONGEST_HEAD: usize = 16 * 1024;

/// Selects the proxy for a host.
#[derive(Debug)]
pub(crate) struct UserProxy(Matcher);

impl UserProxy {
    /// From `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`.
    pub(crate) fn of(environment: &[(String, String)]) -> Self {
        let value = |upper: &str| {
            let named = |name: &str| environment.iter().find(|(known, value)| known == name && !value.is_empty());
            named(upper).or_else(|| named(&upper.to_ascii_lowercase())).map_or("", |(_, value)| value.as_str())
        };
        let matcher = Matcher::builder()
            .all(value("ALL_PROXY"))
            .http(value("HTTP_PROXY"))
            .https(value("HTTPS_PROXY"))
            .no(value("NO_PROXY"));
        Self(matcher.build())
    }

    /// The proxy for a host; `None` for this machine.
    pub(crate) fn before(&self, target: &RequestTarget) -> Option<Intercept> {
        let uri = target.origin().parse().ok()?;
        if target.is_loopback() { None } else { self.0.intercept(&uri) }
    }
}

/// Opens a tunnel through a proxy. The error is the reason why it failed.
pub(crate) async fn tunnel(proxy: &Intercept, target: &RequestTarget) -> Result<TcpStream, String> {
    let address = proxy.uri();
    if address.scheme_str() != Some("http") {
        let scheme = address.scheme_str().unwrap_or_default();
        return Err(format!("the recorder cannot tunnel through a proxy that uses {scheme}"));
    }
    let told =
        |what: &dyn std::fmt::Display| format!("the proxy {} failed: {what}", address.host().unwrap_or_default());
    let place = (address.host().unwrap_or_default(), address.port_u16().unwrap_or(80));
    let mut stream = TcpStream::connect(place).await.map_err(|error| told(&error))?;
    let authority = target.authority();
    let mut asked = format!("CONNECT {authority} HTTP/1.1\r\nhost: {authority}\r\n").into_bytes();
    if let Some(login) = proxy.basic_auth() {
        asked.extend([b"proxy-authorization: ", login.as_bytes(), b"\r\n"].concat());
    }
    asked.extend(b"\r\n");
    stream.write_all(&asked).await.map_err(|error| told(&error))?;
    let head = head(&mut stream).await.map_err(|error| told(&error))?;
    match head.split(' ').nth(1) {
        Some(status) if status.starts_with('2') => Ok(stream),
        Some(status) => Err(told(&format!("it answered {status}"))),
        None => Err(told(&"it does not speak HTTP")),
    }
}

/// Reads the head of an answer, and nothing after it.
async fn head(stream: &mut TcpStream) -> std::io::Result<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        if head.len() == LONGEST_HEAD {
            return Err(std::io::Error::other("its answer is too long"));
        }
        head.push(stream.read_u8().await?);
    }
    Ok(String::from_utf8_lossy(&head).into_owned())
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    fn target(uri: &str) -> RequestTarget {
        RequestTarget::of_uri(&uri.parse().unwrap()).unwrap()
    }

    fn environment(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn selects_proxy_from_environment() {
        let variables = [("https_proxy", "http://me:pw@proxy:3128"), ("NO_PROXY", "internal.example")];
        let proxy = UserProxy::of(&environment(&variables));
        let before = |uri: &str| proxy.before(&target(uri)).map(|it| it.uri().to_string());
        assert_eq!(before("https://api.example.com").as_deref(), Some("http://proxy:3128/"));
        assert_eq!(before("http://api.example.com"), None);
        assert_eq!(before("https://internal.example"), None);
        assert_eq!(before("https://localhost:8080"), None);
        assert!(UserProxy::of(&[]).before(&target("https://api.example.com")).is_none());
    }

    async fn answered(answer: &'static str) -> Result<TcpStream, String> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let _ = stream.write_all(answer.repeat(if answer.ends_with('\n') { 1 } else { 40_000 }).as_bytes()).await;
            let _ = stream.read_to_end(&mut Vec::new()).await;
        });
        let proxy = UserProxy::of(&environment(&[("ALL_PROXY", &url)]));
        let target = target("https://api.example.com");
        tunnel(&proxy.before(&target).unwrap(), &target).await
    }

    #[tokio::test]
    async fn reports_refusal_and_overlong_response_of_proxy() {
        assert!(answered("HTTP/1.1 200 OK\r\n\r\n").await.is_ok());
        assert!(answered("HTTP/1.1 407 No\r\n\r\n").await.unwrap_err().ends_with("it answered 407"));
        assert!(answered("x").await.unwrap_err().ends_with("its answer is too long"));
    }
}
