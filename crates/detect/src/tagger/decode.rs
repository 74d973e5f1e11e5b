//! From the probabilities of labels to spans.

use std::borrow::Cow;

use super::labels::{LABELS, OUTSIDE, TAGGED, first, inside};
use super::words::{Gap, Word};
use crate::{Error, Source, Span, Why};

/// Below this a word is outside, whatever kind is likeliest. Thresholds per kind are applied later, to whole spans.
const FLOOR: f32 = 0.3;

/// Scores become probabilities.
pub(super) fn softmax(row: &mut [f32]) {
    let largest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    row.iter_mut().for_each(|x| *x = (*x - largest).exp());
    let sum: f32 = row.iter().sum();
    row.iter_mut().for_each(|x| *x /= sum);
}

/// Spans of words whose probability of being outside is small. `probabilities` has a row of [`LABELS`] for each word.
///
/// # Errors
/// Probabilities that are no numbers. Every comparison with one is false, so that damaged weights would find nothing and the text be
/// taken for harmless.
pub(super) fn decode(
    text: &str,
    words: &[Word],
    probabilities: &[f32],
    name: &'static str,
    found: &mut Vec<Span>,
) -> Result<(), Error> {
    let mut open: Option<Open> = None;
    for (word, row) in words.iter().zip(probabilities.chunks_exact(LABELS)) {
        if !row.iter().sum::<f32>().is_finite() {
            let what = format!(
                "the tagger {name} computes no numbers; its weights are damaged, so fetch the pack again"
            );
            return Err(Error::damaged(what));
        }
        let sensitive = 1.0 - row[OUTSIDE];
        let tag = likeliest(row);
        let begins = row[first(tag)] > row[inside(tag)] || word.gap == Gap::Line && row[first(tag)] > 0.1;
        match &mut open {
            Some(span) if sensitive >= FLOOR && span.tag == tag && !begins => span.take(word, sensitive),
            _ => {
                found.extend(open.take().and_then(|span| span.close(text, name)));
                if sensitive >= FLOOR {
                    open = Some(Open { tag, start: word.start, end: word.end, sum: sensitive, words: 1 });
                }
            }
        }
    }
    found.extend(open.and_then(|span| span.close(text, name)));
    Ok(())
}

/// The kind with the largest sum of its two labels.
fn likeliest(row: &[f32]) -> usize {
    let both = |tag: usize| row[first(tag)] + row[inside(tag)];
    (0..TAGGED.len()).max_by(|&a, &b| both(a).total_cmp(&both(b))).unwrap_or(0)
}

struct Open {
    tag: usize,
    start: usize,
    end: usize,
    sum: f32,
    words: u32,
}

impl Open {
    fn take(&mut self, word: &Word, sensitive: f32) {
        self.end = word.end;
        self.sum += sensitive;
        self.words += 1;
    }

    /// The span, unless it is only punctuation.
    fn close(self, text: &str, name: &'static str) -> Option<Span> {
        let inner = text.get(self.start..self.end)?;
        if !inner.contains(|c: char| c.is_alphanumeric() || is_currency(c)) {
            return None;
        }
        Some(Span {
            start: self.start,
            end: self.end,
            kind: TAGGED[self.tag].clone(),
            score: (self.sum / self.words as f32).clamp(0.0, 1.0),
            why: Why {
                source: Source::Tagger,
                name: Cow::Borrowed(name),
                context: None,
                validator: None,
                also: Vec::new(),
            },
        })
    }
}

fn is_currency(c: char) -> bool {
    matches!(c, '$' | '¢'..='¥' | '\u{20a0}'..='\u{20cf}')
}

#[cfg(test)]
mod tests {
    use super::super::labels::tag_of;
    use super::super::words::words;
    use super::*;
    use crate::Kind;

    /// Spans of a text whose words have these labels, all certain.
    fn decoded(text: &str, labels: &[usize]) -> Vec<(usize, usize, Kind)> {
        let words = words(text);
        assert_eq!(words.len(), labels.len());
        let mut rows = vec![0.0; labels.len() * LABELS];
        labels.iter().enumerate().for_each(|(n, label)| rows[n * LABELS + label] = 1.0);
        let mut found = Vec::new();
        decode(text, &words, &rows, "test", &mut found).unwrap();
        found.into_iter().map(|span| (span.start, span.end, span.kind)).collect()
    }

    #[test]
    fn labels_become_spans() {
        let person = tag_of(&Kind::Person).unwrap();
        let (begin, inner) = (first(person), inside(person));
        assert_eq!(decoded("Ana Lima ran", &[begin, inner, OUTSIDE]), [(0, 8, Kind::Person)]);
        assert_eq!(decoded("Ana Lima ran", &[begin, begin, OUTSIDE]).len(), 2);
        assert_eq!(decoded("Ana Lima", &[OUTSIDE, inner]), [(4, 8, Kind::Person)]);
        assert!(decoded("- .", &[begin, inner]).is_empty());
    }

    #[test]
    fn damaged_weights_are_an_error_and_not_a_harmless_text() {
        let text = "Ana ran";
        for damage in [f32::NAN, f32::INFINITY] {
            let mut rows = vec![0.0; 2 * LABELS];
            rows[OUTSIDE] = 1.0;
            rows[LABELS..].fill(damage);
            softmax(&mut rows[LABELS..]);
            let error = decode(text, &words(text), &rows, "test", &mut Vec::new()).unwrap_err();
            assert!(error.to_string().contains("damaged"), "{error}");
        }
    }
}
