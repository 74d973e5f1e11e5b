//! Counts of words and of distinct words.

use std::collections::HashSet;

use unicode_segmentation::UnicodeSegmentation;

/// Returns the number of words of a text by the Unicode standard. Punctuation does not count.
///
/// ```
/// assert_eq!(inkveil_eval::metrics::word_count("Well, I don't know …"), 4);
/// ```
pub fn word_count(text: &str) -> usize {
    text.unicode_words().count()
}

/// Returns the type–token ratio: the number of distinct words, ignoring case, divided by the number
/// of words. It falls with the length of texts, so compare texts of similar length only. None if
/// there are no words.
///
/// ```
/// use inkveil_eval::metrics::type_token_ratio;
///
/// assert_eq!(type_token_ratio(["Tea, more tea!"]), Some(2.0 / 3.0));
/// assert_eq!(type_token_ratio(["green tea", "black tea"]), Some(0.75));
/// ```
pub fn type_token_ratio<'a>(texts: impl IntoIterator<Item = &'a str>) -> Option<f64> {
    let (mut types, mut tokens) = (HashSet::new(), 0_usize);
    for word in texts.into_iter().flat_map(|text| text.unicode_words()) {
        types.insert(word.to_lowercase());
        tokens += 1;
    }
    (tokens > 0).then(|| types.len() as f64 / tokens as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn punctuation_is_not_counted() {
        assert_eq!(word_count("-- ! …"), 0);
        assert_eq!(word_count(""), 0);
        assert_eq!(word_count("été (3.5)"), 2);
        assert_eq!(type_token_ratio(["!", "?"]), None);
        assert_eq!(type_token_ratio(["ÉTÉ", "été!"]), Some(0.5));
    }
}
