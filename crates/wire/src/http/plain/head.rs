//! The head of an answer.

use reqwest::header::{CONNECTION, CONTENT_LENGTH, HeaderMap, HeaderName, HeaderValue, TRANSFER_ENCODING};

/// The most headers an answer may have.
const HEADERS: usize = 128;
/// The most bytes of a head.
pub(super) const LARGEST: usize = 64 << 10;

/// The head of an answer.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    /// Whether the connection may be used again.
    pub(super) keep: bool,
}

/// How the end of a body is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Framing {
    /// So many bytes are left.
    Length(u64),
    /// It comes in chunks.
    Chunked,
    /// By the end of the connection.
    Close,
}

impl Head {
    /// Reads a head and says how many bytes it has; nothing as long as it is not complete.
    pub(super) fn read(bytes: &[u8]) -> Result<Option<(Self, usize)>, String> {
        let mut slots = [httparse::EMPTY_HEADER; HEADERS];
        let mut parsed = httparse::Response::new(&mut slots);
        let length = match parsed.parse(bytes) {
            Ok(httparse::Status::Complete(length)) => length,
            Ok(httparse::Status::Partial) if bytes.len() > LARGEST => return Err("its head is too large".into()),
            Ok(httparse::Status::Partial) => return Ok(None),
            Err(error) => return Err(format!("it is no HTTP: {error}")),
        };
        let mut headers = HeaderMap::with_capacity(parsed.headers.len());
        for header in parsed.headers.iter() {
            let name = HeaderName::try_from(header.name).map_err(|error| error.to_string())?;
            let value = HeaderValue::from_bytes(header.value).map_err(|error| error.to_string())?;
            headers.append(name, value);
        }
        let says = |word: &str| {
            let values = headers.get_all(CONNECTION).iter().filter_map(|value| value.to_str().ok());
            values.flat_map(|value| value.split(',')).any(|value| value.trim().eq_ignore_ascii_case(word))
        };
        let keep = if parsed.version == Some(1) { !says("close") } else { says("keep-alive") };
        Ok(Some((Self { status: parsed.code.unwrap_or_default(), keep, headers }, length)))
    }

    /// How the end of the body is known.
    pub(super) fn framing(&self) -> Result<Framing, String> {
        if matches!(self.status, 204 | 304) {
            return Ok(Framing::Length(0));
        }
        if let Some(coding) = self.headers.get_all(TRANSFER_ENCODING).iter().next_back() {
            // Two readers could take two different answers from it (RFC 9112, section 6.3).
            if self.headers.contains_key(CONTENT_LENGTH) {
                return Err("it has both a `content-length` and a `transfer-encoding`".into());
            }
            let last = coding.to_str().unwrap_or_default().rsplit(',').next().unwrap_or_default().trim();
            return Ok(if last.eq_ignore_ascii_case("chunked") { Framing::Chunked } else { Framing::Close });
        }
        let mut lengths = self.headers.get_all(CONTENT_LENGTH).iter();
        let Some(first) = lengths.next() else { return Ok(Framing::Close) };
        let length = first.to_str().ok().and_then(|text| text.trim().parse().ok());
        match length {
            Some(length) if lengths.all(|other| other == first) => Ok(Framing::Length(length)),
            _ => Err("its length is no number".into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_ways_to_know_the_end_are_one_too_many() {
        let framing = |headers: &str| {
            let head = format!("HTTP/1.1 200 OK\r\n{headers}\r\n");
            Head::read(head.as_bytes()).unwrap().unwrap().0.framing()
        };
        assert_eq!(framing("content-length: 3\r\n"), Ok(Framing::Length(3)));
        assert_eq!(framing("transfer-encoding: chunked\r\n"), Ok(Framing::Chunked));
        let both = framing("content-length: 3\r\ntransfer-encoding: chunked\r\n");
        assert_eq!(both, Err("it has both a `content-length` and a `transfer-encoding`".into()));
    }

    #[test]
    fn a_head_that_is_too_large_is_refused() {
        let head = |count: usize| format!("HTTP/1.1 200 OK\r\n{}\r\n", "a: b\r\n".repeat(count));
        assert!(Head::read(head(HEADERS).as_bytes()).is_ok_and(|head| head.is_some()));
        assert!(Head::read(head(HEADERS + 1).as_bytes()).is_err());
        let endless = format!("HTTP/1.1 200 OK\r\na: {}", "b".repeat(LARGEST));
        assert_eq!(Head::read(endless.as_bytes()).unwrap_err(), "its head is too large");
        assert!(Head::read(&endless.as_bytes()[..LARGEST]).is_ok_and(|head| head.is_none()));
    }
}
