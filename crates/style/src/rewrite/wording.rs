//! The words and word pairs of a text, by which attackers recognise its author.

use std::collections::BTreeSet;

use inkveil_chat::AvoidedWords;
use unicode_segmentation::UnicodeSegmentation as _;

use crate::facts::is_fact;
use crate::function_words::is_function_word;

/// The words and word pairs of a text, in lower case.
pub(super) fn wording(text: &str) -> BTreeSet<String> {
    let words: Vec<String> = text.unicode_words().map(str::to_lowercase).collect();
    let pairs = words.windows(2).map(|pair| pair.join(" "));
    pairs.collect::<Vec<_>>().into_iter().chain(words.iter().cloned()).collect()
}

/// The words and word pairs of a text that a rewrite should replace: words in lower case that state no fact. A function
/// word is avoided only as the second word of a pair, because no text can do without all of them.
pub(super) fn words_to_avoid(text: &str) -> AvoidedWords {
    let words: Vec<&str> = text.unicode_words().collect();
    let replaceable =
        |word: &str| word.chars().all(|c| c.is_alphabetic() && !c.is_uppercase()) && !is_fact(word);
    let content: BTreeSet<&str> =
        words.iter().copied().filter(|word| replaceable(word) && !is_function_word(word)).collect();
    let pairs: BTreeSet<(String, &str)> = words
        .windows(2)
        .filter(|pair| replaceable(pair[1]) && !content.contains(pair[1]))
        .map(|pair| (pair[0].to_lowercase(), pair[1]))
        .collect();
    AvoidedWords {
        words: content.into_iter().map(str::to_owned).collect(),
        pairs: pairs.into_iter().map(|(first, second)| (first, second.to_owned())).collect(),
        penalty: 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wording_has_words_and_pairs() {
        let of = |text| wording(text).into_iter().collect::<Vec<_>>();
        assert_eq!(of("We walked. We"), ["walked", "walked we", "we", "we walked"]);
        assert_eq!(of("…"), [""; 0]);
    }

    #[test]
    fn facts_names_and_function_words_alone_are_not_avoided() {
        let avoided = words_to_avoid("On Monday Anna did not see the three grey dogs of the school.");
        assert_eq!(avoided.words, ["dogs", "grey", "school", "see"]);
        let pairs: Vec<String> =
            avoided.pairs.iter().map(|(first, second)| format!("{first} {second}")).collect();
        assert_eq!(pairs, ["anna did", "dogs of", "of the", "see the"]);
    }
}
