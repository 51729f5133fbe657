//! The keys for repeating a call. A recording contains none, so they come from the environment.

use agentci::trace::Redactor;
use agentci_recorder::{RecordedRequest, goes_to, learn_request, login};

use crate::cli::{CliError, recorded};

/// The shortest value of a variable that counts as a secret, with and without a digit.
const SECRET: (usize, usize) = (8, 20);

/// A header for a host, as passed to `--header`: `api.shop.example: authorization: Bearer $SHOP_KEY`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HostHeader {
    host: String,
    name: String,
    value: String,
}

/// Parses such a header.
pub(super) fn host_header(text: &str) -> Result<HostHeader, String> {
    let mut parts = text.splitn(3, ": ").map(str::trim);
    let is_name =
        |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    match (parts.next(), parts.next(), parts.next()) {
        (Some(host), Some(name), Some(value)) if !host.is_empty() && is_name(name) && !value.is_empty() => {
            Ok(HostHeader { host: host.to_owned(), name: name.to_ascii_lowercase(), value: value.to_owned() })
        }
        _ => Err("expected `HOST: NAME: VALUE`, such as `api.shop.example: authorization: Bearer $SHOP_KEY`".into()),
    }
}

/// The sources of keys: the environment and `--header`.
#[derive(Debug)]
pub(super) struct KeySource {
    environment: Vec<(String, String)>,
    /// The headers from `--header`: host, name, value, and the variables in it.
    given: Vec<(String, String, String, Vec<String>)>,
    secrets: Redactor,
}

/// The headers that a request is sent with besides its own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct LoginHeaders {
    pub(super) headers: Vec<(String, String)>,
    /// Which header comes from which variable, in words.
    pub(super) told: Vec<String>,
}

impl KeySource {
    pub(super) fn new(given: &[HostHeader]) -> Result<Self, CliError> {
        Self::of(given, recorded::environment())
    }

    fn of(given: &[HostHeader], environment: Vec<(String, String)>) -> Result<Self, CliError> {
        let mut keys = Self { environment, given: Vec::new(), secrets: agentci::environment_secrets() };
        for HostHeader { host, name, value } in given {
            let (value, variables) = keys.expanded(value)?;
            learn_request(&mut keys.secrets, &[(name.clone(), value.clone())], "");
            keys.given.push((host.clone(), name.clone(), value, variables));
        }
        Ok(keys)
    }

    /// The keys for a request. The error contains the variables of which one must be set.
    pub(super) fn of_request(&mut self, request: &RecordedRequest) -> Result<LoginHeaders, String> {
        let mut sent = LoginHeaders::default();
        for (host, name, value, variables) in &self.given {
            if goes_to(request, std::slice::from_ref(host)) {
                sent.headers.push((name.clone(), value.clone()));
                let from = if variables.is_empty() { "the command line".to_owned() } else { variables.join(", ") };
                sent.told.push(format!("`{name}` from {from}"));
            }
        }
        let Some(login) = login(request).filter(|login| sent.headers.iter().all(|(name, _)| name != login.header))
        else {
            return Ok(sent);
        };
        let found = login.variables.iter().find_map(|name| Some((name, self.variable(name)?)));
        match found {
            Some((variable, key)) => {
                let header = (login.header.to_owned(), format!("{}{key}", login.before));
                sent.told.push(format!("`{}` from {variable}", login.header));
                learn_request(&mut self.secrets, std::slice::from_ref(&header), "");
                sent.headers.push(header);
            }
            None if login.required => return Err(login.variables.join("` or `")),
            None => {}
        }
        Ok(sent)
    }

    /// Values that must not be shown or written.
    pub(super) fn secrets(&self) -> &Redactor {
        &self.secrets
    }

    fn variable(&self, name: &str) -> Option<String> {
        let found = self.environment.iter().find(|(known, value)| known == name && !value.is_empty());
        found.map(|(_, value)| value.clone())
    }

    /// A value with its variables, `$NAME` or `${NAME}`, expanded, and their names.
    fn expanded(&mut self, value: &str) -> Result<(String, Vec<String>), CliError> {
        let (mut out, mut variables, mut rest) = (String::new(), Vec::new(), value);
        while let Some((before, after)) = rest.split_once('$') {
            out.push_str(before);
            let inner = after.strip_prefix('{').and_then(|after| after.split_once('}'));
            let length = after.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
            let (name, further) = inner.unwrap_or_else(|| after.split_at(length));
            let Some(found) = self.variable(name) else {
                let message = format!("`--header` uses the environment variable `{name}`, which is unset or empty");
                return Err(CliError::new(message, "set it; use single quotes so that the shell does not expand `$`"));
            };
            let has_digit = found.bytes().any(|byte| byte.is_ascii_digit());
            if found.len() >= if has_digit { SECRET.0 } else { SECRET.1 } {
                self.secrets.learn_value(&found);
            }
            out.push_str(&found);
            variables.push(name.to_owned());
            rest = further;
        }
        out.push_str(rest);
        Ok((out, variables))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(given: &str, environment: &[(&str, &str)]) -> Result<KeySource, CliError> {
        let environment = environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        KeySource::of(&[host_header(given).unwrap()], environment)
    }

    fn to(origin: &str) -> RecordedRequest {
        RecordedRequest {
            method: "GET".into(),
            origin: origin.into(),
            path: "/v1/models".into(),
            ..RecordedRequest::default()
        }
    }

    #[test]
    fn sends_header_only_to_its_host() {
        let mut keys = keys("shop.example: X-Key: a ${SHOP}!", &[("SHOP", "swordfish-17")]).unwrap();
        let sent = keys.of_request(&to("https://shop.example")).unwrap();
        assert_eq!(sent.headers, [("x-key".to_owned(), "a swordfish-17!".to_owned())]);
        assert_eq!(sent.told, ["`x-key` from SHOP"]);
        assert_eq!(keys.of_request(&to("https://evil.example")).unwrap(), LoginHeaders::default());
        assert_eq!(keys.secrets().text("it is swordfish-17"), "it is [REDACTED]");
        assert_eq!(keys.of_request(&to("https://api.openai.com")), Err("OPENAI_API_KEY".into()));
    }

    #[test]
    fn custom_header_takes_precedence_and_requires_its_variable() {
        let environment = [("MINE", "sk-mine-123456"), ("OPENAI_API_KEY", "sk-other-123456")];
        let mut own = keys("api.openai.com: authorization: Bearer $MINE", &environment).unwrap();
        let sent = own.of_request(&to("https://api.openai.com")).unwrap();
        assert_eq!(sent.headers, [("authorization".to_owned(), "Bearer sk-mine-123456".to_owned())]);
        let error = keys("a.example: x: $NOT_THERE", &[]).unwrap_err();
        assert!(error.message.contains("`NOT_THERE`"), "{error:?}");
    }

    #[test]
    fn parses_headers_with_ports_and_colons() {
        let header = host_header("127.0.0.1:8080: Authorization: Bearer a: b").unwrap();
        assert_eq!((header.host.as_str(), header.value.as_str()), ("127.0.0.1:8080", "Bearer a: b"));
        for wrong in ["", "authorization: Bearer x", "a.example: b c: d", "a.example:x:y"] {
            assert!(host_header(wrong).is_err(), "{wrong}");
        }
    }
}
