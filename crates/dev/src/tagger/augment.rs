//! Variations of a text: without capitals, with typing errors, several texts in one.

use inkveil_detect::train::{LabelledText, Shuffle};

pub(crate) struct Augment(Shuffle);

impl Augment {
    pub(crate) fn new(seed: u64) -> Self {
        Augment(Shuffle::new(seed))
    }

    pub(crate) fn all(&mut self, texts: Vec<LabelledText>) -> Vec<LabelledText> {
        let mut made: Vec<LabelledText> = Vec::with_capacity(texts.len());
        for text in texts {
            let text = self.one(text);
            match made.last_mut() {
                // Templates are in the order of their files, so neighbours are about the same
                // field.
                Some(last)
                    if last.complete == text.complete && last.text.len() < 600 && self.0.chance(0.1) =>
                {
                    let between = if self.0.chance(0.5) { "\n" } else { " " };
                    last.text.push_str(between);
                    let at = last.text.len();
                    last.text.push_str(&text.text);
                    let moved =
                        text.spans.into_iter().map(|(range, kind)| (range.start + at..range.end + at, kind));
                    last.spans.extend(moved);
                }
                _ => made.push(text),
            }
        }
        made
    }

    fn one(&mut self, text: LabelledText) -> LabelledText {
        let pick = match self.0.word() % 100 {
            pick @ 0..32 => pick,
            _ => 100,
        };
        self.vary(text, pick)
    }

    /// Varies a text as people write in posts: every second one keeps its spelling.
    pub(crate) fn post(&mut self, text: LabelledText) -> LabelledText {
        let pick = match self.0.word() % 100 {
            0..20 => 0,   // lower case
            20..26 => 15, // capitals
            26..36 => 18, // typing errors
            36..46 => 26, // no punctuation
            46..52 => 32, // capitals only at the start of names
            _ => 100,
        };
        self.vary(text, pick)
    }

    fn vary(&mut self, text: LabelledText, pick: u64) -> LabelledText {
        match pick {
            0..15 => spelled(&text, |c, _, out| out.extend(c.to_lowercase())),
            15..18 => spelled(&text, |c, _, out| out.extend(c.to_uppercase())),
            18..26 => {
                let random = &mut self.0;
                spelled(&text, |c, inside, out| {
                    let slip = !inside && c.is_alphabetic() && random.chance(0.03);
                    match random.word() % 3 {
                        0 if slip => {}
                        1 if slip => out.extend([c, c]),
                        2 if slip => out.push(char::from(b'a' + (random.word() % 26) as u8)),
                        _ => out.push(c),
                    }
                })
            }
            26..32 => spelled(&text, |c, inside, out| {
                if inside || !matches!(c, ',' | '.' | '!' | '?' | ';') {
                    out.push(c);
                }
            }),
            32 => {
                let mut last = ' ';
                spelled(&text, |c, inside, out| {
                    let starts = !last.is_alphanumeric();
                    last = c;
                    if inside && starts { out.extend(c.to_uppercase()) } else { out.extend(c.to_lowercase()) }
                })
            }
            _ => text,
        }
    }
}

/// Writes each character of a text with `write`, which also gets whether it is sensitive. Spans move along.
fn spelled(text: &LabelledText, mut write: impl FnMut(char, bool, &mut String)) -> LabelledText {
    let mut out = String::with_capacity(text.text.len());
    let mut places = vec![0; text.text.len() + 1];
    for (at, c) in text.text.char_indices() {
        places[at] = out.len();
        let inside = text.spans.iter().any(|(range, _)| range.contains(&at));
        write(c, inside, &mut out);
    }
    places[text.text.len()] = out.len();
    let spans = text.spans.iter().map(|(range, kind)| (places[range.start]..places[range.end], kind.clone()));
    let spans = spans.filter(|(range, _)| range.start < range.end).collect();
    LabelledText { text: out, spans, complete: text.complete.clone(), emphasis: text.emphasis }
}
