//! Numbers in words.

use inkveil_notation::NUMBER_WORDS;

/// Returns a number below a hundred in words, any other in digits.
pub(crate) fn in_words(number: u32) -> String {
    let small = |number: usize| number.checked_sub(1).and_then(|at| NUMBER_WORDS.get(at));
    let (number, one) = (number as usize, number as usize % 10);
    match (number < 100).then(|| NUMBER_WORDS.get(17 + number / 10)).flatten() {
        Some(ten) if number >= 20 => {
            small(one).map_or_else(|| (*ten).to_owned(), |one| format!("{ten}-{one}"))
        }
        Some(_) => small(number).map_or_else(|| "zero".to_owned(), |word| (*word).to_owned()),
        None => number.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_below_a_hundred_are_written_in_words() {
        let words = [0, 1, 19, 20, 21, 90, 99, 100].map(in_words);
        assert_eq!(
            words,
            ["zero", "one", "nineteen", "twenty", "twenty-one", "ninety", "ninety-nine", "100"]
        );
    }
}
