//! Correct answers, as in SQuAD.

use std::collections::HashMap;

/// Whether an answer equals one of the correct answers, ignoring case, punctuation and articles.
///
/// ```
/// use inkveil_eval::metrics::exact_match;
///
/// assert!(exact_match("the Grey Cat.", &["A grey cat"]));
/// assert!(!exact_match("a cat", &["A grey cat"]));
/// ```
pub fn exact_match(answer: &str, correct: &[impl AsRef<str>]) -> bool {
    let answer = words(answer);
    correct.iter().any(|correct| words(correct.as_ref()) == answer)
}

/// Returns the F1 of the words of an answer and of the best correct answer.
///
/// ```
/// use inkveil_eval::metrics::answer_f1;
///
/// assert_eq!(answer_f1("the grey cat", &["cat", "grey dog"]), 2.0 / 3.0);
/// assert_eq!(answer_f1("", &["cat"]), 0.0);
/// ```
pub fn answer_f1(answer: &str, correct: &[impl AsRef<str>]) -> f64 {
    let answer = words(answer);
    correct.iter().map(|correct| f1(&answer, &words(correct.as_ref()))).fold(0.0, f64::max)
}

fn f1(answer: &[String], correct: &[String]) -> f64 {
    if answer.is_empty() || correct.is_empty() {
        return f64::from(u8::from(answer == correct));
    }
    let mut left: HashMap<&str, usize> = HashMap::new();
    correct.iter().for_each(|word| *left.entry(word).or_default() += 1);
    let mut common = 0;
    for word in answer {
        if let Some(count) = left.get_mut(word.as_str()).filter(|count| **count > 0) {
            *count -= 1;
            common += 1;
        }
    }
    2.0 * f64::from(common) / (answer.len() + correct.len()) as f64
}

/// The words in lower case without punctuation and articles.
fn words(text: &str) -> Vec<String> {
    let plain: String = text.to_lowercase().chars().filter(|c| !c.is_ascii_punctuation()).collect();
    plain.split_whitespace().filter(|word| !["a", "an", "the"].contains(word)).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_words_count_once_per_occurrence() {
        // Two of three words are correct, and both correct words are present: 2·2/(3+2).
        assert!((answer_f1("blue blue green", &["blue green"]) - 0.8).abs() < 1e-12);
        assert_eq!(answer_f1("The!", &["a"]), 1.0); // nothing is left of either
        assert_eq!(answer_f1("red", &[] as &[&str]), 0.0);
    }
}
