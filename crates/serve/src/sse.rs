//! Server-sent events.

/// One event: its lines, without the empty line at the end.
#[derive(Clone, PartialEq, Eq, Default)]
pub(crate) struct Event {
    /// The name, if it has one.
    pub name: Option<String>,
    /// The data; several lines are joined by line breaks.
    pub data: Option<String>,
    /// Other lines: comments, ids.
    pub rest: Vec<String>,
}

impl std::fmt::Debug for Event {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Event({:?}, {} bytes)", self.name, self.data.as_ref().map_or(0, String::len))
    }
}

impl Event {
    /// The bytes of the event.
    pub(crate) fn write(&self) -> String {
        let mut out = String::new();
        for line in &self.rest {
            out += line;
            out.push('\n');
        }
        if let Some(name) = &self.name {
            out += &format!("event: {name}\n");
        }
        if let Some(data) = &self.data {
            for line in data.split('\n') {
                out += &format!("data: {line}\n");
            }
        }
        out.push('\n');
        out
    }

    fn parse(lines: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(lines).ok()?;
        let mut event = Self::default();
        for line in text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)) {
            let (field, value) = line.split_once(':').unwrap_or((line, ""));
            let value = value.strip_prefix(' ').unwrap_or(value);
            match field {
                "event" => event.name = Some(value.to_owned()),
                "data" => match &mut event.data {
                    Some(data) => {
                        data.push('\n');
                        data.push_str(value);
                    }
                    None => event.data = Some(value.to_owned()),
                },
                _ if line.is_empty() => {}
                _ => event.rest.push(line.to_owned()),
            }
        }
        Some(event)
    }
}

/// A stream that cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BadStream;

/// Cuts a stream of bytes into events, wherever its pieces are cut.
#[derive(Default)]
pub(crate) struct EventReader {
    bytes: Vec<u8>,
    /// Bytes before this were searched for the end of an event.
    searched: usize,
}

/// A longer event is not one of a language model.
const LONGEST_EVENT: usize = 16 << 20;

impl EventReader {
    /// Adds bytes, and returns the events that are complete.
    ///
    /// # Errors
    /// If an event is not UTF-8 or too long.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<Vec<Event>, BadStream> {
        self.bytes.extend_from_slice(bytes);
        let mut events = Vec::new();
        while let Some((end, next)) = self.end() {
            let event = Event::parse(self.bytes.get(..end).unwrap_or_default()).ok_or(BadStream)?;
            events.push(event);
            self.bytes.drain(..next);
            self.searched = 0;
        }
        if self.bytes.len() > LONGEST_EVENT { Err(BadStream) } else { Ok(events) }
    }

    /// Returns an event that the stream ended within.
    ///
    /// # Errors
    /// If it is not UTF-8.
    pub(crate) fn finish(&mut self) -> Result<Option<Event>, BadStream> {
        let rest = std::mem::take(&mut self.bytes);
        match rest.iter().all(u8::is_ascii_whitespace) {
            true => Ok(None),
            false => Event::parse(&rest).map(Some).ok_or(BadStream),
        }
    }

    /// Where the first event ends, and where the next one begins.
    fn end(&mut self) -> Option<(usize, usize)> {
        let bytes = &self.bytes;
        for at in self.searched..bytes.len() {
            if bytes[at] == b'\n' {
                let rest = &bytes[at + 1..];
                if rest.starts_with(b"\n") {
                    return Some((at, at + 2));
                }
                if rest.starts_with(b"\r\n") {
                    return Some((at, at + 3));
                }
            }
        }
        self.searched = bytes.len().saturating_sub(2);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_found_wherever_the_stream_is_cut() {
        let stream = ": hi\n\nevent: a\ndata: {\"x\":\ndata: \"é\"}\n\r\ndata: [DONE]\r\n\r\ndata:x\n\nid: 7\ndata: last";
        let read = |cuts: &[usize]| {
            let (mut reader, mut events, mut rest, mut turn) =
                (EventReader::default(), Vec::new(), stream.as_bytes(), 0);
            while !rest.is_empty() {
                let (piece, after) = rest.split_at(cuts[turn % cuts.len()].min(rest.len()));
                events.extend(reader.push(piece).unwrap());
                (rest, turn) = (after, turn + 1);
            }
            events.extend(reader.finish().unwrap());
            events
        };
        let whole = read(&[1000]);
        assert_eq!(whole.len(), 5);
        assert_eq!(whole[0].rest, [": hi"]);
        assert_eq!(whole[1].name.as_deref(), Some("a"));
        assert_eq!(whole[1].data.as_deref(), Some("{\"x\":\n\"é\"}"));
        assert_eq!(whole[1].write(), "event: a\ndata: {\"x\":\ndata: \"é\"}\n\n");
        assert_eq!(whole[2].data.as_deref(), Some("[DONE]"));
        for cut in 1..20 {
            assert_eq!(read(&[cut]), whole, "{cut}");
        }
        assert!(EventReader::default().push(b"data: \xff\n\n").is_err());
    }
}
