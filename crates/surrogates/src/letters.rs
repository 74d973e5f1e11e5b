//! Casing and plain letters of words.

use unicode_normalization::UnicodeNormalization;

/// Returns the word with a capital first letter.
pub(crate) fn capitalised(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// Returns only lower-case ASCII letters and digits, as user names and hosts use: "Åsa-Lena" becomes
/// "asalena".
pub(crate) fn plain(text: &str) -> String {
    let letters: String = text
        .replace(['ß', 'ẞ'], "ss")
        .replace(['ø', 'Ø'], "o")
        .replace(['ł', 'Ł'], "l")
        .replace(['đ', 'Đ'], "d")
        .replace('ı', "i")
        .nfd()
        .filter(char::is_ascii_alphanumeric)
        .collect();
    if letters.is_empty() { "user".to_owned() } else { letters.to_ascii_lowercase() }
}
