//! The arguments of `inkveil session`.

use clap::{Parser, Subcommand};

/// List or delete the conversations that `inkveil text --session` keeps
///
/// A session is an encrypted map and a secret key in a folder of your own: INKVEIL_SESSIONS, or
/// ~/.local/share/inkveil/sessions. It is encrypted with INKVEIL_PASSPHRASE if that is set when the
/// session begins, and otherwise with a key file beside it that only you can read.
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  Two turns of a conversation, and the answer:
    inkveil text --session knee \"Ana Novak from Lyon has a sore knee.\"
    inkveil text --session knee \"Ana's knee is better since Monday.\"
    inkveil restore --session knee answer.txt

  See which sessions there are, and delete one:
    inkveil session list
    inkveil session delete knee")]
pub(crate) struct SessionArgs {
    #[command(subcommand)]
    pub(crate) action: SessionAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SessionAction {
    /// List all sessions, one per line, with what encrypts them
    List,
    /// Delete a session. Its answers can no longer be restored
    Delete {
        /// The session
        name: String,
    },
}
