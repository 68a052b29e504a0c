//! Server-sent events, read as tolerantly as they are written: any chunking, every line ending, a byte order mark,
//! comments, data over several lines, a last event without its blank line.
//!
//! Written here because the parser must be safe against the other side: each byte is looked at once, an event has a
//! greatest size, and nothing in the stream can make it panic.

use super::failure::Failure;

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Event {
    /// Its type; empty for a plain message.
    pub(crate) name: String,
    /// Its data; lines joined by line feeds.
    pub(crate) data: String,
}

/// Turns chunks of bytes into events.
#[derive(Debug)]
pub(crate) struct EventParser {
    line: Vec<u8>,
    event: Event,
    has_data: bool,
    /// A carriage return ended the last line: a line feed now belongs to it.
    after_return: bool,
    at_start: bool,
    max_event: usize,
}

impl EventParser {
    /// Refuses events of more bytes.
    pub(crate) fn new(max_event: usize) -> Self {
        Self {
            line: Vec::new(),
            event: Event::default(),
            has_data: false,
            after_return: false,
            at_start: true,
            max_event,
        }
    }

    /// Takes a chunk in; complete events go to `out`.
    pub(crate) fn push(&mut self, chunk: &[u8], out: &mut impl Extend<Event>) -> Result<(), Failure> {
        let mut rest = chunk;
        while let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let (line, behind) = rest.split_at(end);
            let is_pair = self.after_return && line.is_empty() && behind.first() == Some(&b'\n');
            self.after_return = behind.first() == Some(&b'\r');
            rest = behind.get(1..).unwrap_or_default();
            if !is_pair {
                self.grow(line)?;
                out.extend(self.end_line()?);
            }
        }
        self.after_return &= rest.is_empty();
        self.grow(rest)
    }

    /// What the stream left behind: an event whose blank line never came.
    pub(crate) fn finish(&mut self) -> Result<Option<Event>, Failure> {
        Ok(self.end_line()?.or_else(|| self.dispatch()))
    }

    fn grow(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.line.extend_from_slice(bytes);
        if self.line.len() + self.event.data.len() > self.max_event {
            return Err(Failure::TooLarge { what: "frame", limit: self.max_event });
        }
        Ok(())
    }

    fn end_line(&mut self) -> Result<Option<Event>, Failure> {
        let bytes = std::mem::take(&mut self.line);
        let text = std::str::from_utf8(&bytes).map_err(Failure::NotText)?;
        let text = match text.strip_prefix(BYTE_ORDER_MARK) {
            Some(rest) if self.at_start => rest,
            _ => text,
        };
        self.at_start = false;
        if text.is_empty() {
            return Ok(self.dispatch());
        }
        let (field, value) = text.split_once(':').unwrap_or((text, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => {
                if self.has_data {
                    self.event.data.push('\n');
                }
                self.event.data.push_str(value);
                self.has_data = true;
            }
            "event" => value.clone_into(&mut self.event.name),
            // Comments have an empty field name; ids and retry times mean nothing here.
            _ => {}
        }
        Ok(None)
    }

    fn dispatch(&mut self) -> Option<Event> {
        let event = std::mem::take(&mut self.event);
        std::mem::take(&mut self.has_data).then_some(event)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<Event> {
        let (mut parser, mut events) = (EventParser::new(1 << 20), Vec::new());
        for chunk in chunks {
            parser.push(chunk, &mut events).unwrap();
        }
        events.extend(parser.finish().unwrap());
        events
    }

    fn data(events: &[Event]) -> Vec<&str> {
        events.iter().map(|event| event.data.as_str()).collect()
    }

    #[test]
    fn events_are_read_however_they_are_written() {
        for (text, expected) in [
            ("data: a\n\ndata: b\n\n", vec!["a", "b"]),
            ("data:a\r\n\r\ndata:  b\r\n\r\n", vec!["a", " b"]),
            ("data: a\r\rdata: b\r\r", vec!["a", "b"]),
            ("\u{feff}data: a\n\n", vec!["a"]),
            (": hello\n\nid: 7\nretry: 1\ndata: a\nunknown\n\n", vec!["a"]),
            ("data: a\ndata: b\ndata\n\n", vec!["a\nb\n"]),
            ("data\n\n", vec![""]),
            ("event: error\n\n", vec![]),
            ("data: a\n\ndata: last", vec!["a", "last"]),
            ("data: {\"x\": \"\u{feff}a: b\"}\n\n", vec!["{\"x\": \"\u{feff}a: b\"}"]),
        ] {
            assert_eq!(data(&parse([text.as_bytes()])), expected, "{text:?}");
        }
    }

    #[test]
    fn an_event_has_a_name_of_its_own() {
        let events = parse([b"event: error\ndata: a\n\ndata: b\n\n".as_slice()]);
        assert_eq!(events.iter().map(|event| event.name.as_str()).collect::<Vec<_>>(), ["error", ""]);
    }

    #[test]
    fn an_endless_event_is_refused() {
        let (mut parser, mut events) = (EventParser::new(100), Vec::new());
        let error = (0..100).find_map(|_| parser.push(b"data: 0123456789\n", &mut events).err());
        assert!(matches!(error, Some(Failure::TooLarge { what: "frame", limit: 100 })));
    }

    proptest! {
        #[test]
        fn chunks_make_no_difference(
            events in proptest::collection::vec("[^\r\n\u{feff}]{0,30}(\n[^\r\n]{0,30}){0,2}", 0..8),
            ends in proptest::collection::vec(prop_oneof![Just("\n"), Just("\r\n"), Just("\r")], 1..4),
            mark in any::<bool>(),
            comment in any::<bool>(),
            cuts in proptest::collection::vec(0..500_usize, 0..40),
        ) {
            let mut ends = ends.into_iter().cycle();
            let mut text = String::from(if mark { "\u{feff}" } else { "" });
            for event in &events {
                if comment {
                    text.push_str(": waiting");
                    text.push_str(ends.next().unwrap());
                }
                for line in event.split('\n') {
                    text.push_str("data: ");
                    text.push_str(line);
                    text.push_str(ends.next().unwrap());
                }
                // The blank line ends as the line before it, or `\r` + `\n` would read as one ending.
                text.push_str("\n\n");
            }
            let bytes = text.as_bytes();
            let mut cuts: Vec<usize> = cuts.into_iter().filter(|cut| *cut < bytes.len()).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let chunks = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]);
            let parsed = parse(chunks);
            prop_assert_eq!(data(&parsed), events.iter().map(String::as_str).collect::<Vec<_>>());
        }

        #[test]
        fn no_bytes_make_it_panic(chunks in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..40), 0..20)) {
            let (mut parser, mut events) = (EventParser::new(100), Vec::new());
            let refused = chunks.iter().any(|chunk| parser.push(chunk, &mut events).is_err());
            prop_assert!(refused || parser.finish().is_ok() || std::str::from_utf8(&chunks.concat()).is_err());
        }
    }
}
