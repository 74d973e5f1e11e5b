//! Mails: headers that a reader sees, bodies, and attachments with text.

mod files_in_text;
pub(crate) mod header;
mod mailbox;
pub(crate) mod packing;
mod part;

pub use mailbox::mails;
pub(crate) use part::paragraphs;

use inkveil_files::catch_quietly;
use mail_parser::MessageParser;

use crate::builder::Builder;
use crate::document::Body;
use crate::error::Error;
use crate::pieces::Pieces;

const FORMAT: &str = "mail";

/// Reads one mail.
pub(crate) fn read(bytes: &[u8], builder: &mut Builder) -> Result<Body, Error> {
    let mut pieces = Pieces::default();
    mail(bytes, builder, &mut pieces)?;
    Ok(Body::File(pieces.list))
}

fn mail(bytes: &[u8], builder: &mut Builder, pieces: &mut Pieces) -> Result<(), Error> {
    // The parser asserts what damaged mails break.
    let message = catch_quietly(|| MessageParser::default().parse(bytes))
        .flatten()
        .filter(|message| !message.parts.is_empty())
        .ok_or_else(|| Error::damaged(FORMAT, "it has no headers"))?;
    part::message(&message, builder, pieces, 0)
}

/// Reads a mailbox.
pub(crate) fn read_mailbox(bytes: &[u8], builder: &mut Builder) -> Result<Body, Error> {
    let mut pieces = Pieces::default();
    for bytes in mails(bytes) {
        // The line names a sender and a time.
        pieces.fixed(mailbox::FROM_LINE);
        mail(&mailbox::unquoted(bytes), builder, &mut pieces)?;
        pieces.fixed("\r\n");
    }
    Ok(Body::File(pieces.list))
}
