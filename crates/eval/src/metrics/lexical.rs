//! How many words, and how many different ones.

use std::collections::HashSet;

use unicode_segmentation::UnicodeSegmentation;

/// How many words a text has, by the rules of the Unicode standard. Punctuation is no word.
///
/// ```
/// assert_eq!(inkveil_eval::metrics::word_count("Well, I don't know …"), 4);
/// ```
pub fn word_count(text: &str) -> usize {
    text.unicode_words().count()
}

/// The type–token ratio: the number of different words, whatever their case, by the number of all words. Of many texts together it falls with
/// their length, so that only texts of about the same length compare. None if there are no words.
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
    fn punctuation_is_no_word() {
        assert_eq!(word_count("-- ! …"), 0);
        assert_eq!(word_count(""), 0);
        assert_eq!(word_count("été (3.5)"), 2);
        assert_eq!(type_token_ratio(["!", "?"]), None);
        assert_eq!(type_token_ratio(["ÉTÉ", "été!"]), Some(0.5));
    }
}
