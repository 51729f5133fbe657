//! The reading of answers, within reach of the fuzz targets; no part of the library.

use bytes::{Buf as _, BytesMut};

use super::body::{Place, take};
use super::head::Head;

/// What an answer that comes in these pieces says: its status, how many headers it has, and its body as far as it came.
pub fn read(pieces: &[&[u8]]) -> Result<(u16, usize, Vec<u8>), String> {
    let mut unread = BytesMut::new();
    let mut begun = None;
    let mut body = Vec::new();
    for piece in pieces {
        unread.extend_from_slice(piece);
        if begun.is_none()
            && let Some((head, length)) = Head::read(&unread)?
        {
            unread.advance(length);
            let framing = head.framing()?;
            begun = Some((head, Place::first(framing), framing));
        }
        if let Some((_, place, framing)) = &mut begun {
            while let Some(bytes) = take(&mut unread, place, *framing)? {
                body.extend_from_slice(&bytes);
            }
        }
    }
    let (head, ..) = begun.ok_or("its head has no end")?;
    Ok((head.status, head.headers.len(), body))
}
