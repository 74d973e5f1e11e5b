//! Decoding of label probabilities into spans.

use super::labels::{LABELS, OUTSIDE, TAGGED, first, inside};
use super::words::{Gap, Word};
use crate::error::Error;
use crate::span::{FoundBy, Reason, Span};

/// A word is outside if its sensitive probability is lower. Thresholds per kind apply later, to spans.
const FLOOR: f32 = 0.3;

/// Turns scores into probabilities.
pub(super) fn softmax(row: &mut [f32]) {
    let largest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    row.iter_mut().for_each(|x| *x = (*x - largest).exp());
    let sum: f32 = row.iter().sum();
    row.iter_mut().for_each(|x| *x /= sum);
}

/// Adds the spans of sensitive words. `probabilities` has a row of [`LABELS`] for each word.
///
/// # Errors
/// Fails if a probability is not a finite number. Otherwise damaged weights would find nothing, and the
/// text would seem harmless.
pub(super) fn decode(
    text: &str,
    words: &[Word],
    probabilities: &[f32],
    name: &'static str,
    found: &mut Vec<Span>,
) -> Result<(), Error> {
    let mut open: Option<OpenSpan> = None;
    for (word, row) in words.iter().zip(probabilities.chunks_exact(LABELS)) {
        if !row.iter().sum::<f32>().is_finite() {
            let what = format!("the weights of the tagger {name} are damaged; fetch the pack again");
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
                    open = Some(OpenSpan { tag, start: word.start, end: word.end, sum: sensitive, words: 1 });
                }
            }
        }
    }
    found.extend(open.and_then(|span| span.close(text, name)));
    Ok(())
}

/// Returns the kind with the largest sum of its two labels.
fn likeliest(row: &[f32]) -> usize {
    let both = |tag: usize| row[first(tag)] + row[inside(tag)];
    (0..TAGGED.len()).max_by(|&a, &b| both(a).total_cmp(&both(b))).unwrap_or(0)
}

struct OpenSpan {
    tag: usize,
    start: usize,
    end: usize,
    sum: f32,
    words: u32,
}

impl OpenSpan {
    fn take(&mut self, word: &Word, sensitive: f32) {
        self.end = word.end;
        self.sum += sensitive;
        self.words += 1;
    }

    /// Returns the span, unless it is only punctuation.
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
            reason: Reason::new(FoundBy::Tagger, name),
        })
    }
}

fn is_currency(c: char) -> bool {
    matches!(c, '$' | '¢'..='¥' | '\u{20a0}'..='\u{20cf}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::Kind;
    use crate::tagger::labels::tag_of;
    use crate::tagger::words::words;

    /// Decodes a text whose words have these labels with certainty.
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
    fn labels_are_joined_into_spans() {
        let person = tag_of(&Kind::Person).unwrap();
        let (begin, inner) = (first(person), inside(person));
        assert_eq!(decoded("Ana Lima ran", &[begin, inner, OUTSIDE]), [(0, 8, Kind::Person)]);
        assert_eq!(decoded("Ana Lima ran", &[begin, begin, OUTSIDE]).len(), 2);
        assert_eq!(decoded("Ana Lima", &[OUTSIDE, inner]), [(4, 8, Kind::Person)]);
        assert!(decoded("- .", &[begin, inner]).is_empty());
    }

    #[test]
    fn damaged_weights_are_an_error() {
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
