//! Every position of a request, and what happens to the text there.
//!
//! A protocol has one [`Table`]: lines of a path and an [`Action`]. A request is walked with it. A position
//! that no line covers is refused, so a field that a provider adds later is refused until it has a line.

mod chat;
mod completions;
mod embeddings;
mod escapes;
mod media;
mod messages;
mod names;
mod responses;
mod table;
mod walk;

pub(crate) use names::is_name;
pub(crate) use table::{Action, Table};
pub(crate) use walk::{Leaf, Refusal, Seals, Vault, Walker};

/// A protocol whose requests are forwarded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Protocol {
    /// OpenAI, `/v1/chat/completions`.
    Chat,
    /// OpenAI, `/v1/responses`.
    Responses,
    /// OpenAI, `/v1/completions`.
    Completions,
    /// OpenAI, `/v1/embeddings`.
    Embeddings,
    /// OpenAI, `/v1/moderations`.
    Moderations,
    /// Anthropic, `/v1/messages`.
    Messages,
    /// Anthropic, `/v1/messages/count_tokens`.
    CountTokens,
    /// OpenAI, `/v1/responses/compact`.
    Compact,
    /// OpenAI, `/v1/responses/input_tokens`.
    InputTokens,
    /// OpenAI, `/v1/chat/completions/ID`: the metadata of a stored completion.
    StoredChat,
}

impl Protocol {
    /// All protocols.
    pub const ALL: [Protocol; 10] = [
        Protocol::Chat,
        Protocol::Responses,
        Protocol::Completions,
        Protocol::Embeddings,
        Protocol::Moderations,
        Protocol::Messages,
        Protocol::CountTokens,
        Protocol::Compact,
        Protocol::InputTokens,
        Protocol::StoredChat,
    ];

    /// The path of its route.
    pub fn path(self) -> &'static str {
        match self {
            Protocol::Chat => "/v1/chat/completions",
            Protocol::Responses => "/v1/responses",
            Protocol::Completions => "/v1/completions",
            Protocol::Embeddings => "/v1/embeddings",
            Protocol::Moderations => "/v1/moderations",
            Protocol::Messages => "/v1/messages",
            Protocol::CountTokens => "/v1/messages/count_tokens",
            Protocol::Compact => "/v1/responses/compact",
            Protocol::InputTokens => "/v1/responses/input_tokens",
            Protocol::StoredChat => "/v1/chat/completions/{id}",
        }
    }

    /// The name of its route in settings, headers and metrics.
    pub fn name(self) -> &'static str {
        self.path().trim_start_matches("/v1/")
    }

    /// Whether it is one of Anthropic's.
    pub fn is_anthropic(self) -> bool {
        matches!(self, Protocol::Messages | Protocol::CountTokens)
    }

    /// The lines of its table.
    pub fn lines(self) -> String {
        match self {
            Protocol::Chat => chat::LINES.to_owned(),
            Protocol::Responses | Protocol::Compact | Protocol::InputTokens => responses::LINES.to_owned(),
            Protocol::StoredChat => "metadata data".to_owned(),
            Protocol::Completions => completions::LINES.to_owned(),
            Protocol::Embeddings => embeddings::EMBEDDINGS.to_owned(),
            Protocol::Moderations => embeddings::MODERATIONS.to_owned(),
            Protocol::Messages | Protocol::CountTokens => messages::lines(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_can_be_read() {
        for protocol in Protocol::ALL {
            let table = Table::parse(&protocol.lines()).unwrap();
            assert!(!table.is_empty(), "{protocol:?}");
        }
    }
}
