//! Names in messages.

/// Returns names for a message: quoted, separated by commas, and few and short enough to read.
///
/// ```
/// let names = ["id".to_owned(), "text".to_owned()];
/// assert_eq!(inkveil_error::name_list(&names), r#""id", "text""#);
/// ```
pub fn name_list(names: &[String]) -> String {
    const SHOWN: usize = 8;
    const LENGTH: usize = 40;
    let short = |name: &String| match name.char_indices().nth(LENGTH) {
        Some((end, _)) => format!("{:?}…", &name[..end]),
        None => format!("{name:?}"),
    };
    let mut text = names.iter().take(SHOWN).map(short).collect::<Vec<_>>().join(", ");
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
        let many: Vec<String> = (0..30).map(|i| format!("{i}{}", "é".repeat(50))).collect();
        let text = name_list(&many);
        assert!(text.ends_with(" and 22 more") && text.len() < 900, "{text}");
    }
}
