//! Chats of WhatsApp: lines such as `31/12/2023, 22:05 - Ana: Hello`.

use crate::builder::Builder;
use crate::document::Body;
use crate::error::Error;
use crate::mail::paragraphs;
use crate::passage::PassageKind;
use crate::pieces::Pieces;
use crate::text_bytes::decode;

/// Reads a chat. Everything in it is text: times, names and messages.
pub(crate) fn read_lines(bytes: &[u8], builder: &mut Builder) -> Result<Body, Error> {
    let text = decode(bytes, None)?;
    let mut pieces = Pieces::default();
    paragraphs(&text, builder, &mut pieces, PassageKind::Message);
    Ok(Body::File(pieces.list))
}
