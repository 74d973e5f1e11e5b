//! Names from a file in messages.
//!
//! A file without a header, or with other line ends than expected, has data where names are expected. So a name from a
//! file is shown only if it looks like a name, and otherwise it is only counted.

/// Longer lists of names are data: no one has as many columns.
const MOST: usize = 512;

/// Returns whether something from a file looks like the name of a column: short, without spaces, beginning with a
/// letter, and with few digits.
///
/// ```
/// use inkveil_error::looks_like_name;
///
/// assert!(looks_like_name("customer_id") && looks_like_name("messages[].content"));
/// assert!(!looks_like_name("Ana Novak") && !looks_like_name("1985-04-12") && !looks_like_name("a@b.org"));
/// ```
pub fn looks_like_name(name: &str) -> bool {
    const LENGTH: usize = 40;
    const DIGITS: usize = 4;
    name.starts_with(|first: char| first.is_alphabetic() || first == '_')
        && name.chars().take(LENGTH + 1).count() <= LENGTH
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '[' | ']'))
        && name.chars().filter(char::is_ascii_digit).count() <= DIGITS
}

/// Returns whether this is a number that a column without a name can get.
pub fn is_number(name: &str) -> bool {
    (1..=3).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns whether all of these look like names, or are the numbers that columns without names get.
fn look_like_names(names: &[String]) -> bool {
    let numbered = || names.iter().zip(1..).all(|(name, number): (_, usize)| *name == number.to_string());
    names.len() <= MOST && (names.iter().all(|name| looks_like_name(name)) || numbered())
}

/// Returns names for a message: quoted, separated by commas, and few enough to read. If one of them does not look like
/// a name, they are only counted.
///
/// ```
/// let names = ["id".to_owned(), "text".to_owned()];
/// assert_eq!(inkveil_error::name_list(&names), r#""id", "text""#);
/// let data = ["7".to_owned(), "Ana lives in Porto".to_owned()];
/// assert_eq!(inkveil_error::name_list(&data), "2 columns whose names are not shown, because they may be data");
/// ```
pub fn name_list(names: &[String]) -> String {
    const SHOWN: usize = 8;
    if !look_like_names(names) {
        return match names.len() {
            1 => "1 column whose name is not shown, because it may be data".to_owned(),
            count => format!("{count} columns whose names are not shown, because they may be data"),
        };
    }
    let mut text = names.iter().take(SHOWN).map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN {
        text.push_str(&format!(" and {} more", names.len() - SHOWN));
    }
    text
}

/// Returns the advice after a missing field: the names to choose from, if there are any.
pub fn other_names(present: &[String]) -> String {
    match present {
        [] => "; fill it in or drop the row".to_owned(),
        _ => format!("; choose one of [{}]", name_list(present)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_names_stay_short() {
        let many: Vec<String> = (0..30).map(|i| format!("c{i}")).collect();
        let text = name_list(&many);
        assert!(text.ends_with(" and 22 more") && text.len() < 900, "{text}");
    }

    #[test]
    fn data_in_place_of_names_is_only_counted() {
        for data in
            ["Ana Novak", "ana@example.org", "1985-04-12", "+44 20 7946 0958", "a\rb", "", &"x".repeat(41)]
        {
            assert!(!looks_like_name(data), "{data}");
            // One such value shows that the row holds data, so its neighbours are not shown either.
            let row = ["Porto".to_owned(), data.to_owned()];
            assert!(!name_list(&row).contains("Porto"), "{data}");
        }
        assert!(name_list(&vec!["a".to_owned(); MOST + 1]).starts_with("513 columns"));
        assert_eq!(name_list(&["1".to_owned(), "2".to_owned()]), r#""1", "2""#);
        assert!(!name_list(&["1985".to_owned()]).contains("1985"));
        assert!(looks_like_name("größe") && looks_like_name("名前"));
    }
}
