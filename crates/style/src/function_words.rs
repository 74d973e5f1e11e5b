//! Function words, which belong to the style. They stay when the content is blanked out.

/// Sorted for binary search.
#[rustfmt::skip]
const FUNCTION_WORDS: &[&str] = &[
    "a", "aboard", "about", "above", "across", "actually", "after", "again", "against", "ago", "ah", "ain't", "all", "almost",
    "alone", "along", "already", "also", "although", "always", "am", "among", "an", "and", "another", "any", "anybody", "anyone",
    "anything", "anyway", "anywhere", "are", "aren't", "around", "as", "at", "away", "back", "barely", "basically", "be",
    "became", "because", "become", "been", "before", "behind", "being", "below", "beneath", "beside", "besides", "between",
    "beyond", "both", "but", "by", "can", "can't", "cannot", "certain", "certainly", "clearly", "could", "couldn't", "despite",
    "did", "didn't", "do", "does", "doesn't", "doing", "don't", "done", "down", "during", "each", "either", "else", "enough",
    "especially", "even", "ever", "every", "everybody", "everyone", "everything", "everywhere", "except", "far", "few", "fewer",
    "finally", "first", "for", "from", "further", "get", "gets", "getting", "given", "go", "going", "gonna", "got", "gotta",
    "had", "hadn't", "half", "hardly", "has", "hasn't", "have", "haven't", "having", "he", "he'd", "he'll", "he's", "hence",
    "her", "here", "here's", "hers", "herself", "him", "himself", "his", "how", "however", "i", "i'd", "i'll", "i'm", "i've",
    "if", "in", "indeed", "inside", "instead", "into", "is", "isn't", "it", "it'll", "it's", "its", "itself", "just", "kind",
    "last", "least", "less", "let", "let's", "like", "likely", "little", "lot", "lots", "made", "many", "may", "maybe", "me",
    "mean", "merely", "might", "mine", "more", "moreover", "most", "mostly", "much", "must", "my", "myself", "near", "nearly",
    "neither", "never", "nevertheless", "next", "no", "nobody", "none", "nor", "not", "nothing", "now", "nowhere", "of", "off",
    "often", "oh", "ok", "okay", "on", "once", "one", "ones", "only", "onto", "or", "other", "others", "otherwise", "ought",
    "our", "ours", "ourselves", "out", "outside", "over", "own", "past", "perhaps", "please", "possibly", "pretty", "probably",
    "quite", "rather", "really", "same", "several", "shall", "she", "she'd", "she'll", "she's", "should", "shouldn't", "simply",
    "since", "so", "some", "somebody", "somehow", "someone", "something", "sometimes", "somewhat", "somewhere", "soon", "sort",
    "still", "such", "than", "thank", "thanks", "that", "that's", "the", "their", "theirs", "them", "themselves", "then", "there",
    "there's", "therefore", "these", "they", "they'd", "they'll", "they're", "they've", "this", "those", "though", "through",
    "throughout", "thus", "till", "to", "together", "too", "toward", "towards", "truly", "under", "unless", "unlike", "until",
    "up", "upon", "us", "usually", "very", "via", "wanna", "was", "wasn't", "we", "we'd", "we'll", "we're", "we've", "well",
    "were", "weren't", "what", "what's", "whatever", "when", "whenever", "where", "whereas", "wherever", "whether", "which",
    "whichever", "while", "who", "who's", "whoever", "whole", "whom", "whose", "why", "will", "with", "within", "without",
    "won't", "would", "wouldn't", "yeah", "yes", "yet", "you", "you'd", "you'll", "you're", "you've", "your", "yours", "yourself",
    "yourselves",
];

/// Returns whether a word in lower case, with straight apostrophes, is a function word: an article,
/// a pronoun, a preposition, an auxiliary and the like.
///
/// ```
/// assert!(inkveil_style::is_function_word("whom") && !inkveil_style::is_function_word("doctor"));
/// ```
pub fn is_function_word(word: &str) -> bool {
    FUNCTION_WORDS.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted() {
        assert!(FUNCTION_WORDS.is_sorted());
        assert!(is_function_word("whom") && is_function_word("don't") && !is_function_word("dog"));
    }
}
