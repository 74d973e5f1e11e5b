//! How many entities of a text are still in its release.

use std::collections::BTreeSet;

use inkveil_detect::Span;

/// Returns the entity match: the share of detected strings of a text that are also detected in the
/// released text, ignoring case. Each string counts once. None if nothing was detected in the
/// original, so that such texts are left out of means.
///
/// ```
/// use inkveil_detect::{Detector, Settings, Tier};
/// use inkveil_eval::metrics::entity_match;
///
/// let mut settings = Settings::default();
/// settings.tier = Tier::Rules;
/// let detector = Detector::open(None, settings)?;
/// let texts = ["ann@example.org or bob@example.org", "Write to ANN@example.org."];
/// let spans = detector.detect(&texts)?;
/// assert_eq!(entity_match((texts[0], &spans[0]), (texts[1], &spans[1])), Some(0.5));
/// # Ok::<(), inkveil_detect::Error>(())
/// ```
pub fn entity_match(original: (&str, &[Span]), released: (&str, &[Span])) -> Option<f64> {
    let (there, left) = (entities(original.0, original.1), entities(released.0, released.1));
    let kept = there.intersection(&left).count();
    (!there.is_empty()).then(|| kept as f64 / there.len() as f64)
}

/// Spans outside of the text are ignored.
fn entities(text: &str, spans: &[Span]) -> BTreeSet<String> {
    let found = spans.iter().filter_map(|span| text.get(span.range()));
    found.map(|entity| entity.trim().to_lowercase()).filter(|entity| !entity.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use inkveil_detect::{Detector, Settings, Tier};

    use super::*;

    fn spans(text: &str) -> Vec<Span> {
        let mut settings = Settings::default();
        settings.tier = Tier::Rules;
        Detector::open(None, settings).unwrap().detect(&[text]).unwrap().remove(0)
    }

    #[test]
    fn each_string_counts_once_and_case_is_ignored() {
        let original = "ann@example.org, Ann@Example.org, bob@example.org, http://tea.example.org/a";
        let released = "http://tea.example.org/a and ANN@EXAMPLE.ORG";
        let (of_original, of_released) = (spans(original), spans(released));
        let share = entity_match((original, &of_original), (released, &of_released)).unwrap();
        assert!((share - 2.0 / 3.0).abs() < 1e-12, "{share}");
        assert_eq!(entity_match((original, &of_original), ("[email]", &[])), Some(0.0));
        assert_eq!(entity_match(("nobody", &[]), (released, &of_released)), None);
    }

    #[test]
    fn spans_outside_of_the_text_are_ignored() {
        let spans = spans("Please write to ann@example.org");
        assert_eq!(entity_match(("éé", &spans), ("é", &spans)), None);
    }
}
