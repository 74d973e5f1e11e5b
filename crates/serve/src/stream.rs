//! Restores a streamed answer.
//!
//! A text arrives in many events. Each text has a channel: a choice and a field, a tool call, a block. A
//! channel holds back what may still be the beginning of a replacement, and nothing else. Before the event
//! that ends a text, an event with the rest is written.

use std::collections::HashMap;
use std::sync::Arc;

use inkveil::restore::PieceRestorer;

use crate::answer::Answer;
use crate::engine::Restorers;
use crate::json::Json;
use crate::positions::Protocol;
use crate::secret::{CallerId, GatewaySecret};
use crate::sse::{BadStream, Event, EventReader};

/// Restores the events of one answer.
pub(crate) struct StreamRestorer {
    protocol: Protocol,
    restorers: Restorers,
    json_text: bool,
    secret: Arc<GatewaySecret>,
    caller: CallerId,
    reader: EventReader,
    channels: Vec<Channel>,
    /// The thoughts so far, by block. A seal covers them.
    thoughts: HashMap<String, String>,
}

/// A text that arrives in pieces.
struct Channel {
    key: String,
    pieces: PieceRestorer,
    /// The last event with a piece, with nothing else in it.
    event: Event,
    document: Json,
    place: Vec<Step>,
}

#[derive(Clone, PartialEq, Eq)]
enum Step {
    Field(&'static str),
    Item(usize),
}

/// A piece of a text in an event.
struct Piece {
    key: String,
    place: Vec<Step>,
    /// The field that has the same text in a whole answer.
    field: String,
}

impl StreamRestorer {
    /// Starts an answer.
    pub(crate) fn new(
        protocol: Protocol,
        restorers: Restorers,
        json_text: bool,
        secret: Arc<GatewaySecret>,
        caller: CallerId,
    ) -> Self {
        Self {
            protocol,
            restorers,
            json_text,
            secret,
            caller,
            reader: EventReader::default(),
            channels: Vec::new(),
            thoughts: HashMap::new(),
        }
    }

    /// Adds bytes of the upstream, and returns what the caller gets.
    ///
    /// # Errors
    /// If the stream cannot be read.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<String, BadStream> {
        let events = self.reader.push(bytes)?;
        Ok(events.into_iter().flat_map(|event| self.event(event)).map(|event| event.write()).collect())
    }

    /// Ends the answer, and returns what was held back.
    ///
    /// # Errors
    /// If the stream cannot be read.
    pub(crate) fn finish(&mut self) -> Result<String, BadStream> {
        let last = self.reader.finish()?;
        let mut events = last.map(|event| self.event(event)).unwrap_or_default();
        events.extend(self.flush(|_| true));
        Ok(events.iter().map(Event::write).collect())
    }

    fn event(&mut self, mut event: Event) -> Vec<Event> {
        let Some(data) = &event.data else { return vec![event] };
        if data == "[DONE]" {
            let mut events = self.flush(|_| true);
            events.push(event);
            return events;
        }
        let Ok(mut document) = Json::parse(data.as_bytes()) else {
            event.data = Some(self.restorers.text.restore_text(data).0);
            return vec![event];
        };
        let pieces = self.pieces(&document);
        let ends = self.ends(&document);
        let ending = |key: &str| ends.iter().any(|end| key.starts_with(end.as_str()));
        // The texts are taken out, so that everything else of the event is restored as it is.
        let texts: Vec<String> = pieces
            .iter()
            .map(|piece| at(&mut document, &piece.place).map(take).unwrap_or_default())
            .collect();
        self.seal(&mut document);
        let seals = self.secret.seals(self.caller);
        let answer = Answer { restorers: &self.restorers, seals: &seals, json_text: self.json_text };
        answer.restore(&mut document);
        let keys: Vec<&String> = pieces.iter().map(|piece| &piece.key).collect();
        let mut events = match ends.is_empty() {
            true => Vec::new(),
            false => {
                let here: Vec<String> = keys.into_iter().cloned().collect();
                self.flush(|key| ending(key) && !here.iter().any(|own| own == key))
            }
        };
        for (piece, text) in pieces.into_iter().zip(texts) {
            let ended = ending(&piece.key);
            let restored = self.piece(&piece, &text, ended, &event, &document);
            if let Some(node) = at(&mut document, &piece.place) {
                *node = Json::String(restored);
            }
        }
        event.data = Some(document.write());
        events.push(event);
        events
    }

    fn piece(&mut self, piece: &Piece, text: &str, ended: bool, event: &Event, document: &Json) -> String {
        let index = match self.channels.iter().position(|channel| channel.key == piece.key) {
            Some(index) => index,
            None => {
                self.channels.push(Channel {
                    key: piece.key.clone(),
                    pieces: PieceRestorer::new(self.restorers.of_field(&piece.field, self.json_text)),
                    event: Event::default(),
                    document: Json::Null,
                    place: Vec::new(),
                });
                self.channels.len() - 1
            }
        };
        let channel = &mut self.channels[index];
        let mut restored = channel.pieces.push(text);
        if ended {
            restored += &channel.pieces.finish();
            self.channels.remove(index);
        } else if channel.pieces.held_back() > 0 {
            channel.event = Event { name: event.name.clone(), ..Event::default() };
            (channel.document, channel.place) = alone(document, &piece.place);
        }
        restored
    }

    /// Ends channels, and returns events with what they held back.
    fn flush(&mut self, which: impl Fn(&str) -> bool) -> Vec<Event> {
        let mut events = Vec::new();
        let all = std::mem::take(&mut self.channels);
        let (ended, open): (Vec<Channel>, Vec<Channel>) =
            all.into_iter().partition(|channel| which(&channel.key));
        self.channels = open;
        for mut channel in ended {
            let rest = channel.pieces.finish();
            if rest.is_empty() {
                continue;
            }
            if let Some(node) = at(&mut channel.document, &channel.place) {
                *node = Json::String(rest);
                events.push(Event { data: Some(channel.document.write()), ..channel.event });
            }
        }
        events
    }

    /// The pieces of texts in an event.
    fn pieces(&self, document: &Json) -> Vec<Piece> {
        match self.protocol {
            Protocol::Messages | Protocol::CountTokens => block_pieces(document),
            Protocol::Responses => item_piece(document).into_iter().collect(),
            _ => choice_pieces(document),
        }
    }

    /// The beginnings of the keys of channels that an event ends.
    fn ends(&self, document: &Json) -> Vec<String> {
        match self.protocol {
            Protocol::Messages | Protocol::CountTokens => match document.str_of("type") {
                Some("content_block_stop") => vec![format!("{}/", index_of(document, "index"))],
                Some("message_delta" | "message_stop" | "error") => vec![String::new()],
                _ => Vec::new(),
            },
            Protocol::Responses => match document.str_of("type") {
                Some(kind) if kind.ends_with(".delta") || kind.ends_with(".added") => Vec::new(),
                Some("response.created" | "response.in_progress" | "response.queued") => Vec::new(),
                Some("error" | "response.completed" | "response.failed" | "response.incomplete") => {
                    vec![String::new()]
                }
                Some(kind) if kind.ends_with(".done") => {
                    vec![format!("{}/", index_of(document, "output_index"))]
                }
                _ => Vec::new(),
            },
            _ => {
                let ended = |choice: &&Json| !matches!(choice.get("finish_reason"), None | Some(Json::Null));
                let choices = document.get("choices").map(Json::items).unwrap_or_default();
                choices.iter().filter(ended).map(|choice| format!("{}/", index_of(choice, "index"))).collect()
            }
        }
    }

    /// Seals what only the provider can read in the events of Anthropic.
    fn seal(&mut self, document: &mut Json) {
        if !self.protocol.is_anthropic() {
            return;
        }
        let block = index_of(document, "index").to_string();
        for field in ["delta", "content_block"] {
            let Some(delta) = document.get_mut(field) else { continue };
            if let Some(thought) = delta.str_of("thinking") {
                *self.thoughts.entry(block.clone()).or_default() += thought;
            }
            if delta.str_of("type") == Some("signature_delta")
                && let Some(Json::String(signature)) = delta.get_mut("signature")
            {
                let thought = self.thoughts.get(&block).map(String::as_str).unwrap_or_default();
                *signature = self.secret.seals(self.caller).seal(signature, thought);
            }
        }
    }
}

impl std::fmt::Debug for StreamRestorer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "StreamRestorer({:?}, {} channels)", self.protocol, self.channels.len())
    }
}

use Step::{Field, Item};

fn index_of(node: &Json, key: &str) -> u64 {
    node.get(key).and_then(Json::as_u64).unwrap_or_default()
}

fn at<'j>(node: &'j mut Json, place: &[Step]) -> Option<&'j mut Json> {
    place.iter().try_fold(node, |node, step| match (step, node) {
        (Field(key), node) => node.get_mut(key),
        (Item(index), Json::Array(items)) => items.get_mut(*index),
        (Item(_), _) => None,
    })
}

fn seen<'j>(node: &'j Json, place: &[Step]) -> Option<&'j Json> {
    place.iter().try_fold(node, |node, step| match step {
        Field(key) => node.get(key),
        Item(index) => node.items().get(*index),
    })
}

fn take(node: &mut Json) -> String {
    match node {
        Json::String(text) => std::mem::take(text),
        _ => String::new(),
    }
}

/// The pieces of OpenAI's chunks, also of older completions.
fn choice_pieces(document: &Json) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let choices = document.get("choices").map(Json::items).unwrap_or_default();
    for (number, choice) in choices.iter().enumerate() {
        let index = index_of(choice, "index");
        let mut add = |key: String, place: Vec<Step>| {
            let place: Vec<Step> = [Field("choices"), Item(number)].into_iter().chain(place).collect();
            let Some(Field(field)) = place.last() else { return };
            if seen(document, &place).is_some_and(|node| node.as_str().is_some()) {
                pieces.push(Piece { key: format!("{index}/{key}"), field: (*field).to_owned(), place });
            }
        };
        add("text".to_owned(), vec![Field("text")]);
        for field in ["content", "refusal", "reasoning_content", "reasoning"] {
            add(field.to_owned(), vec![Field("delta"), Field(field)]);
        }
        add("transcript".to_owned(), vec![Field("delta"), Field("audio"), Field("transcript")]);
        add("function".to_owned(), vec![Field("delta"), Field("function_call"), Field("arguments")]);
        let calls = choice.get("delta").and_then(|delta| delta.get("tool_calls")).map(Json::items);
        for (place, call) in calls.unwrap_or_default().iter().enumerate() {
            let tool = call.get("index").and_then(Json::as_u64).unwrap_or(place as u64);
            let call = |rest: [Step; 2]| {
                [Field("delta"), Field("tool_calls"), Item(place)].into_iter().chain(rest).collect()
            };
            add(format!("tool {tool}"), call([Field("function"), Field("arguments")]));
            add(format!("custom {tool}"), call([Field("custom"), Field("input")]));
        }
    }
    pieces
}

/// The piece of one of Anthropic's events.
fn block_pieces(document: &Json) -> Vec<Piece> {
    let index = index_of(document, "index");
    let piece = |text: &'static str| Piece {
        key: format!("{index}/{text}"),
        place: vec![Field("delta"), Field(text)],
        field: text.to_owned(),
    };
    let delta = document.get("delta").and_then(|delta| delta.str_of("type"));
    match (document.str_of("type"), delta) {
        (Some("content_block_delta"), Some("text_delta")) => vec![piece("text")],
        (Some("content_block_delta"), Some("input_json_delta")) => vec![piece("partial_json")],
        _ => Vec::new(),
    }
}

/// The piece of one of the events of `/v1/responses`.
fn item_piece(document: &Json) -> Option<Piece> {
    let kind = document.str_of("type")?.strip_suffix(".delta")?;
    document.str_of("delta")?;
    if kind.ends_with("audio") {
        return None;
    }
    let part = index_of(document, "content_index") + index_of(document, "summary_index");
    let key = format!("{}/{part}/{kind}", index_of(document, "output_index"));
    let field = kind.trim_start_matches("response.").to_owned();
    Some(Piece { key, place: vec![Field("delta")], field })
}

/// An event with one piece of text and what says where it belongs, and the place of the text in it.
fn alone(document: &Json, place: &[Step]) -> (Json, Vec<Step>) {
    let [Field("choices"), Item(_), inside @ ..] = place else { return (document.clone(), place.to_vec()) };
    let mut event = Json::Object(Vec::new());
    for (key, value) in document.fields() {
        if !matches!(key.as_str(), "choices" | "usage" | "obfuscation") {
            event.set(key, value.clone());
        }
    }
    let choice = seen(document, &place[..2]).cloned().unwrap_or(Json::Null);
    let mut only = Json::Object(Vec::new());
    only.set("index", Json::count(index_of(&choice, "index")));
    // Builds the path to the text, with the index of a tool call.
    let (mut node, mut new_place) = (Json::text(""), Vec::new());
    for (depth, step) in inside.iter().enumerate().rev() {
        node = match step {
            Field(key) => Json::object([(*key, node)]),
            Item(_) => {
                let call = [&place[..2], &inside[..=depth]].concat();
                let tool = seen(document, &call).map_or(0, |call| index_of(call, "index"));
                let mut fields = vec![("index".to_owned(), Json::count(tool))];
                fields.extend(node.fields().iter().cloned());
                Json::Array(vec![Json::Object(fields)])
            }
        };
        new_place.insert(
            0,
            match step {
                Item(_) => Item(0),
                field => field.clone(),
            },
        );
    }
    for (key, value) in node.fields() {
        only.set(key, value.clone());
    }
    only.set("finish_reason", Json::Null);
    event.set("choices", Json::Array(vec![only]));
    (event, [vec![Field("choices"), Item(0)], new_place].concat())
}

#[cfg(test)]
mod tests {
    use inkveil::restore::ReplacementMap;

    use super::*;

    fn restorer(protocol: Protocol) -> StreamRestorer {
        let mut pairs = ReplacementMap::builder();
        for (replacement, original) in
            [("Made Antonov", "Ana \"A\" Novák"), ("[email k7q2m]", "ana@x.example"), ("42-17", "9")]
        {
            pairs.add(replacement, original, "person").unwrap();
        }
        let map = pairs.build();
        let secret = Arc::new(GatewaySecret::fresh().unwrap());
        let caller = secret.caller("a");
        StreamRestorer::new(protocol, Restorers::new(&map, &map).unwrap(), false, secret, caller)
    }

    const SAID: &str = "Dear Made Antonov, é [email k7q2m] or 42-17. MADE ANTONOV, Made";
    const MEANT: &str = "Dear Ana \"A\" Novák, é ana@x.example or 9. ANA \"A\" NOVÁK, Made";

    /// The events of a text in these pieces, with the event that ends it.
    fn events(protocol: Protocol, arguments: bool, pieces: &[&str]) -> String {
        let mut out = String::new();
        for piece in pieces {
            let text = Json::text(*piece).write();
            out += &match (protocol, arguments) {
                (Protocol::Chat, false) => format!(
                    "data: {{\"choices\":[{{\"index\":1,\"delta\":{{\"content\":{text}}},\"finish_reason\":null}}]}}\n\n"
                ),
                (Protocol::Chat, true) => format!(
                    "data: {{\"choices\":[{{\"index\":1,\"delta\":{{\"tool_calls\":[{{\"index\":2,\"function\":{{\"arguments\":{text}}}}}]}}}}]}}\n\n"
                ),
                (Protocol::Messages, false) => format!(
                    "event: content_block_delta\ndata: {{\"type\":\"content_block_delta\",\"index\":3,\"delta\":{{\"type\":\"text_delta\",\"text\":{text}}}}}\n\n"
                ),
                (Protocol::Messages, true) => format!(
                    "event: content_block_delta\ndata: {{\"type\":\"content_block_delta\",\"index\":3,\"delta\":{{\"type\":\"input_json_delta\",\"partial_json\":{text}}}}}\n\n"
                ),
                (Protocol::Responses, false) => format!(
                    "data: {{\"type\":\"response.output_text.delta\",\"output_index\":4,\"content_index\":0,\"delta\":{text}}}\n\n"
                ),
                (Protocol::Responses, true) => format!(
                    "data: {{\"type\":\"response.function_call_arguments.delta\",\"output_index\":4,\"delta\":{text}}}\n\n"
                ),
                _ => format!(
                    "data: {{\"choices\":[{{\"index\":1,\"text\":{text},\"finish_reason\":null}}]}}\n\n"
                ),
            };
        }
        out + match protocol {
            Protocol::Chat | Protocol::Completions => {
                "data: {\"choices\":[{\"index\":1,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
            }
            Protocol::Messages => {
                "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":3}\n\n"
            }
            _ => "data: {\"type\":\"response.output_item.done\",\"output_index\":4}\n\n",
        }
    }

    /// The text in the events of an answer, and whether nothing follows the event that ends it.
    fn said(out: &str) -> String {
        let mut said = String::new();
        let mut ended = false;
        for data in
            out.lines().filter_map(|line| line.strip_prefix("data: ")).filter(|data| *data != "[DONE]")
        {
            let document = Json::parse(data.as_bytes()).unwrap();
            let mut pieces = choice_pieces(&document);
            pieces.extend(block_pieces(&document));
            pieces.extend(item_piece(&document));
            ended |= pieces.is_empty();
            for piece in pieces {
                assert!(!ended, "text after the end: {data}");
                said += seen(&document, &piece.place).and_then(Json::as_str).unwrap();
            }
        }
        assert!(ended);
        said
    }

    #[test]
    fn every_split_of_every_replacement_gives_the_same_answer() {
        let json = Json::object([("to", Json::text(SAID))]).write();
        let meant = Json::object([("to", Json::text(MEANT))]).write();
        let mut count = 0;
        for protocol in [Protocol::Chat, Protocol::Messages, Protocol::Responses, Protocol::Completions] {
            for arguments in [false, true] {
                let (text, expected) =
                    if arguments { (json.as_str(), meant.as_str()) } else { (SAID, MEANT) };
                if arguments && protocol == Protocol::Completions {
                    continue;
                }
                let places: Vec<usize> = (0..=text.len()).filter(|&at| text.is_char_boundary(at)).collect();
                for &first in &places {
                    for &second in places.iter().filter(|second| **second >= first) {
                        let pieces = [&text[..first], &text[first..second], &text[second..]];
                        let mut restorer = restorer(protocol);
                        let mut out = restorer.push(events(protocol, arguments, &pieces).as_bytes()).unwrap();
                        out += &restorer.finish().unwrap();
                        assert_eq!(said(&out), expected, "{protocol:?} {arguments} {first} {second}");
                        count += 1;
                    }
                }
            }
        }
        assert!(count > 10_000, "{count}");
    }

    #[test]
    fn bytes_of_a_stream_can_be_cut_anywhere() {
        for protocol in [Protocol::Chat, Protocol::Messages, Protocol::Responses] {
            let pieces: Vec<String> = SAID.chars().map(String::from).collect();
            let stream = events(protocol, false, &pieces.iter().map(String::as_str).collect::<Vec<_>>());
            for cut in 1..60 {
                let mut restorer = restorer(protocol);
                let mut out = String::new();
                for piece in stream.as_bytes().chunks(cut) {
                    out += &restorer.push(piece).unwrap();
                }
                out += &restorer.finish().unwrap();
                assert_eq!(said(&out), MEANT, "{protocol:?} {cut}");
            }
        }
    }

    #[test]
    fn a_text_without_a_possible_replacement_is_not_held_back() {
        let mut restorer = restorer(Protocol::Chat);
        let out = restorer
            .push(b"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hello you. \"}}]}\n\n")
            .unwrap();
        assert!(out.contains("\"Hello you. \""), "{out}");
    }
}
