//! The body of an answer.

use bytes::{Buf as _, Bytes, BytesMut};

use super::connection::Connection;
use super::head::Framing;
use super::pool;
use crate::http::HttpError;

/// The longest line that may announce a chunk, or stand behind the last one.
const LONGEST_LINE: usize = 8 << 10;

/// A body that is still to come.
#[derive(Debug)]
pub(crate) struct Body {
    /// Gone when the body has ended.
    connection: Option<Connection>,
    framing: Framing,
    place: Place,
    keep: bool,
}

/// Where in a body of chunks we are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Before the line that announces a chunk.
    Size,
    /// In a chunk of which so much is left.
    Data(u64),
    /// Behind the data of a chunk, before its line end.
    DataEnd,
    /// Behind the last chunk, where further headers may stand.
    Trailer,
    End,
}

impl Place {
    /// Where a body begins.
    pub(super) fn first(framing: Framing) -> Self {
        match framing {
            Framing::Chunked => Place::Size,
            Framing::Length(0) => Place::End,
            Framing::Length(length) => Place::Data(length),
            Framing::Close => Place::Data(u64::MAX),
        }
    }
}

impl Body {
    pub(super) fn new(connection: Connection, framing: Framing, keep: bool) -> Self {
        let place = Place::first(framing);
        let mut body = Self { connection: Some(connection), framing, place, keep };
        body.give_back_if_over();
        body
    }

    /// The next bytes, all that are there; `None` at the end. A wait that is dropped loses nothing.
    pub(crate) async fn chunk(&mut self) -> Result<Option<Bytes>, HttpError> {
        loop {
            let Some(connection) = &mut self.connection else { return Ok(None) };
            let taken = take(&mut connection.unread, &mut self.place, self.framing);
            self.give_back_if_over();
            match taken.map_err(|reason| self.broken(&reason))? {
                Some(bytes) => return Ok(Some(bytes)),
                None if self.connection.is_none() => return Ok(None),
                None => {}
            }
            let Some(connection) = &mut self.connection else { return Ok(None) };
            match connection.read().await {
                Ok(0) if self.framing == Framing::Close => {
                    self.connection = None;
                    return Ok(None);
                }
                Ok(0) => {
                    self.connection = None;
                    let words = "the answer is truncated: the connection was closed before its end";
                    return Err(HttpError::Broken(words.into()));
                }
                Ok(_) => {}
                Err(error) => return Err(self.broken(&error.to_string())),
            }
        }
    }

    fn broken(&mut self, reason: &str) -> HttpError {
        self.connection = None;
        HttpError::Broken(format!("the connection broke in the middle of the answer: {reason}"))
    }

    fn give_back_if_over(&mut self) {
        if self.place == Place::End
            && let Some(connection) = self.connection.take()
            && self.keep
        {
            pool::give_back(connection);
        }
    }
}

/// Takes what is there of the body out of what was read.
pub(super) fn take(unread: &mut BytesMut, place: &mut Place, framing: Framing) -> Result<Option<Bytes>, String> {
    if framing != Framing::Chunked {
        return Ok(take_plain(unread, place));
    }
    let mut data = BytesMut::new();
    loop {
        match *place {
            Place::Size => {
                let Some((line, length)) = line(unread)? else { break };
                let size = size(line);
                unread.advance(length);
                *place = match size.ok_or("the size of a chunk is no number")? {
                    0 => Place::Trailer,
                    size => Place::Data(size),
                };
            }
            Place::Data(left) => {
                let length = usize::try_from(left).unwrap_or(usize::MAX).min(unread.len());
                if length == 0 {
                    break;
                }
                data.extend_from_slice(&unread[..length]);
                unread.advance(length);
                let left = left - length as u64;
                *place = if left == 0 { Place::DataEnd } else { Place::Data(left) };
            }
            Place::DataEnd => {
                let Some((rest, length)) = line(unread)? else { break };
                if !rest.is_empty() {
                    return Err("a chunk is longer than it says".into());
                }
                unread.advance(length);
                *place = Place::Size;
            }
            Place::Trailer => {
                let Some((rest, length)) = line(unread)? else { break };
                if rest.is_empty() {
                    *place = Place::End;
                }
                unread.advance(length);
            }
            Place::End => break,
        }
    }
    Ok((!data.is_empty()).then(|| data.freeze()))
}

fn take_plain(unread: &mut BytesMut, place: &mut Place) -> Option<Bytes> {
    let Place::Data(left) = *place else { return None };
    let length = usize::try_from(left).unwrap_or(usize::MAX).min(unread.len());
    if left != u64::MAX {
        let left = left - length as u64;
        *place = if left == 0 { Place::End } else { Place::Data(left) };
    }
    (length > 0).then(|| unread.split_to(length).freeze())
}

/// The size that a line announces, whatever else it says of the chunk.
fn size(line: &[u8]) -> Option<u64> {
    let size = line.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
    let size = std::str::from_utf8(size).ok().filter(|size| !size.starts_with('+'))?;
    u64::from_str_radix(size, 16).ok()
}

/// A line without its end, if it is all there, and how many bytes it has with it.
fn line(unread: &[u8]) -> Result<Option<(&[u8], usize)>, String> {
    match memchr::memchr(b'\n', unread) {
        Some(end) if end <= LONGEST_LINE => {
            let line = &unread[..end];
            Ok(Some((line.strip_suffix(b"\r").unwrap_or(line), end + 1)))
        }
        None if unread.len() <= LONGEST_LINE => Ok(None),
        _ => Err("a line between two chunks is too long".into()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// All data of a body of chunks that comes in these pieces, and where it ends.
    fn read(pieces: &[&[u8]]) -> Result<(Vec<u8>, Place), String> {
        let (mut unread, mut place, mut data) = (BytesMut::new(), Place::Size, Vec::new());
        for piece in pieces {
            unread.extend_from_slice(piece);
            while let Some(bytes) = take(&mut unread, &mut place, Framing::Chunked)? {
                data.extend_from_slice(&bytes);
            }
        }
        Ok((data, place))
    }

    #[test]
    fn chunks_are_joined_and_what_belongs_to_them_is_passed_over() {
        let whole = b"3;name=value\r\nabc\r\n0A\r\n0123456789\r\n0\r\nx-trailer: 1\r\n\r\n";
        assert_eq!(read(&[whole]), Ok((b"abc0123456789".to_vec(), Place::End)));
        assert_eq!(read(&[b"3\r\nabc"]), Ok((b"abc".to_vec(), Place::DataEnd)));
        assert_eq!(read(&[b"2\r\nabc\r\n"]), Err("a chunk is longer than it says".into()));
        for size in ["x", "", "+1", "-1", "fffffffffffffffff"] {
            assert_eq!(read(&[format!("{size}\r\n").as_bytes()]), Err("the size of a chunk is no number".into()));
        }
        assert!(read(&[&vec![b'1'; 9 << 10]]).is_err());
    }

    proptest! {
        #[test]
        fn where_a_body_is_cut_makes_no_difference(
            chunks in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..40), 0..6),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
        ) {
            let mut bytes = Vec::new();
            for chunk in &chunks {
                bytes.extend(format!("{:x}\r\n", chunk.len()).into_bytes());
                bytes.extend(chunk);
                bytes.extend(b"\r\n");
            }
            bytes.extend(b"0\r\n\r\n");
            let mut ends: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
            ends.extend([0, bytes.len()]);
            ends.sort_unstable();
            let pieces: Vec<&[u8]> = ends.windows(2).map(|ends| &bytes[ends[0]..ends[1]]).collect();
            prop_assert_eq!(read(&pieces), Ok((chunks.concat(), Place::End)));
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            let _ = read(&[&bytes]);
        }
    }
}
