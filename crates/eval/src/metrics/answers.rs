//! Whether an answer is right, as SQuAD counts it.

use std::collections::HashMap;

/// Whether an answer is one of those that count, but for case, punctuation and articles.
///
/// ```
/// use inkveil_eval::metrics::exact_match;
///
/// assert!(exact_match("the Grey Cat.", &["A grey cat"]));
/// assert!(!exact_match("a cat", &["A grey cat"]));
/// ```
pub fn exact_match(answer: &str, wanted: &[impl AsRef<str>]) -> bool {
    let answer = words(answer);
    wanted.iter().any(|wanted| words(wanted.as_ref()) == answer)
}

/// The harmonic mean of how many words of an answer are wanted and how many wanted ones it has, for the wanted answer that fits best.
///
/// ```
/// use inkveil_eval::metrics::answer_f1;
///
/// assert_eq!(answer_f1("the grey cat", &["cat", "grey dog"]), 2.0 / 3.0);
/// assert_eq!(answer_f1("", &["cat"]), 0.0);
/// ```
pub fn answer_f1(answer: &str, wanted: &[impl AsRef<str>]) -> f64 {
    let answer = words(answer);
    wanted.iter().map(|wanted| f1(&answer, &words(wanted.as_ref()))).fold(0.0, f64::max)
}

fn f1(answer: &[String], wanted: &[String]) -> f64 {
    if answer.is_empty() || wanted.is_empty() {
        return f64::from(u8::from(answer == wanted));
    }
    let mut left: HashMap<&str, usize> = HashMap::new();
    wanted.iter().for_each(|word| *left.entry(word).or_default() += 1);
    let mut common = 0;
    for word in answer {
        if let Some(count) = left.get_mut(word.as_str()).filter(|count| **count > 0) {
            *count -= 1;
            common += 1;
        }
    }
    2.0 * f64::from(common) / (answer.len() + wanted.len()) as f64
}

/// Small letters, no punctuation, no articles.
fn words(text: &str) -> Vec<String> {
    let plain: String = text.to_lowercase().chars().filter(|c| !c.is_ascii_punctuation()).collect();
    plain.split_whitespace().filter(|word| !["a", "an", "the"].contains(word)).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_counts_as_often_as_it_is_wanted() {
        // Two of three words are wanted, and two of two wanted ones are there: 2·2/(3+2).
        assert!((answer_f1("blue blue green", &["blue green"]) - 0.8).abs() < 1e-12);
        assert_eq!(answer_f1("The!", &["a"]), 1.0); // nothing is left of either
        assert_eq!(answer_f1("red", &[] as &[&str]), 0.0);
    }
}
