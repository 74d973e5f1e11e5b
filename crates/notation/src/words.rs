//! Small numbers in words.

/// The English words for one to nineteen, then for the tens from twenty to ninety.
pub const NUMBER_WORDS: &[&str] = &[
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
    "thirty",
    "forty",
    "fifty",
    "sixty",
    "seventy",
    "eighty",
    "ninety",
];

fn below_twenty(number: u32) -> Option<&'static str> {
    match number {
        0 => Some("zero"),
        1..20 => NUMBER_WORDS.get(number as usize - 1).copied(),
        _ => None,
    }
}

/// Returns a number below 120 in words.
///
/// ```
/// use inkveil_notation::{number_from_words, number_in_words};
///
/// assert_eq!(number_in_words(47).as_deref(), Some("forty-seven"));
/// assert_eq!(number_from_words("Forty seven"), Some(47));
/// assert_eq!(number_in_words(1000), None);
/// ```
pub fn number_in_words(number: u32) -> Option<String> {
    match number {
        0..20 => below_twenty(number).map(str::to_owned),
        20..100 => {
            let tens = NUMBER_WORDS.get(17 + number as usize / 10)?;
            match number % 10 {
                0 => Some((*tens).to_owned()),
                ones => Some(format!("{tens}-{}", below_twenty(ones)?)),
            }
        }
        100 => Some("one hundred".to_owned()),
        101..120 => Some(format!("one hundred and {}", below_twenty(number - 100)?)),
        _ => None,
    }
}

/// Returns the number below 120 that these words state.
pub fn number_from_words(words: &str) -> Option<u32> {
    let plain = words.trim().to_lowercase().replace('-', " ");
    (0..120).find(|number| number_in_words(*number).is_some_and(|words| words.replace('-', " ") == plain))
}
