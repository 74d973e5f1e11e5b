//! Accepted values, and the messages about others.

use std::ops::Bound;

use proptest::prelude::*;

use super::*;
use crate::{SettingsError, parse};

/// Returns the result of `take` for the value of `x`.
fn taken<T>(
    text: &str,
    take: impl FnOnce(&mut Reader, Value<'_>) -> Option<T>,
) -> Result<Option<T>, SettingsError> {
    parse(text, "veil.toml", |reader, table| take(reader, table.get("x").unwrap()))
}

/// Returns the problem of the value of `x` and the advice.
fn refused<T: std::fmt::Debug>(
    text: &str,
    take: impl FnOnce(&mut Reader, Value<'_>) -> Option<T>,
) -> (String, String) {
    let error = taken(text, take).unwrap_err();
    let [problem] = error.problems() else { panic!("{error}") };
    assert_eq!((problem.line(), problem.column()), (Some(1), Some(5)), "{text}");
    (problem.what().to_owned(), problem.advice().unwrap().to_owned())
}

fn message(what: &str, advice: &str) -> (String, String) {
    (what.to_owned(), advice.to_owned())
}

#[test]
fn values_of_the_required_type_are_accepted() {
    assert_eq!(taken("x = ' a '", Reader::string), Ok(Some(" a ".into())));
    assert_eq!(taken("x = true", Reader::boolean), Ok(Some(true)));
    assert_eq!(taken("x = 1", Reader::share), Ok(Some(1.0)));
    assert_eq!(taken("x = 0.1", Reader::share), Ok(Some(0.1)));
    assert_eq!(taken("x = ['a', 'b']", |r, x| Some(r.strings(x))), Ok(Some(vec!["a".into(), "b".into()])));
    assert_eq!(taken("x = [1, 2, 3]", |r, x| r.array(x).map(|items| items.len())), Ok(Some(3)));
    assert_eq!(taken("[x]\ny = 1", |r, x| r.table(x).map(|table| table.iter().count())), Ok(Some(1)));
}

#[test]
fn values_of_other_types_are_refused() {
    let list = |reader: &mut Reader, value: Value<'_>| reader.array(value).map(|items| items.len());
    assert_eq!(refused("x = 3", Reader::string), message("this is a number", "write a text in quotes"));
    assert_eq!(refused("x = 0x3", Reader::boolean), message("this is a number", "write true or false"));
    assert_eq!(refused("x = [1]", Reader::share), message("this is a list", "write a number from 0 to 1"));
    assert_eq!(
        refused("x = 'a'", |r, x| r.number(x, 2.0..)),
        message("this is a text", "write a number of at least 2")
    );
    assert_eq!(
        refused("x = 1999-12-31", list),
        message("this is a date or time", "write a list in square brackets")
    );
    assert_eq!(refused("x = {}", list), message("this is a table", "write a list in square brackets"));
    assert_eq!(
        refused("x = false", |r, x| r.table(x).map(|_| ())),
        message("this is true or false", "write a table")
    );
}

#[test]
fn a_blank_text_is_refused() {
    let blank = message("this is empty", "give a value, or remove the setting");
    assert_eq!(refused("x = ''", Reader::string), blank);
    assert_eq!(
        refused("x = ' \\t'", |r, x| r.choice(x, "unit", [(" ", ())])).0,
        "there is no unit \" \\\\t\""
    );
    assert_eq!(refused("x = \" \\t\"", |r, x| r.choice(x, "unit", [(" ", ())])), blank);
}

#[test]
fn shares_are_from_0_to_1() {
    for text in ["x = 1.5", "x = -0.1", "x = nan", "x = inf", "x = 0x1", "x = 2"] {
        let expected = message("this is not from 0 to 1", "write a number such as 0.5");
        assert_eq!(refused(text, Reader::share), expected, "{text}");
    }
}

#[test]
fn numbers_are_finite_and_in_their_range() {
    let any = |reader: &mut Reader, value: Value<'_>| reader.number(value, ..);
    for (text, number) in [("x = +1_000", 1000.0), ("x = -2.5e-3", -0.0025), ("x = 0", 0.0)] {
        assert_eq!(taken(text, any), Ok(Some(number)), "{text}");
    }
    for text in ["x = inf", "x = -inf", "x = nan", "x = 1e999"] {
        assert_eq!(refused(text, any), message("this is not a finite number", "write a number"), "{text}");
    }
    assert_eq!(refused("x = 0o17", any), message("this is not a decimal number", "write a number"));
    let positive = (Bound::Excluded(0.0), Bound::Unbounded);
    assert_eq!(
        refused("x = 0", |r, x| r.number(x, positive)),
        message("this is not above 0", "write a number above 0")
    );
    assert_eq!(
        refused("x = 8", |r, x| r.number(x, 1.0..=7.0)),
        message("this is more than 7", "write a number from 1 to 7")
    );
}

#[test]
fn a_choice_is_one_of_its_names() {
    let unit = |reader: &mut Reader, value: Value<'_>| {
        reader.choice(value, "unit", [("letter", 'l'), ("word", 'w')])
    };
    assert_eq!(taken("x = 'word'", unit), Ok(Some('w')));
    assert_eq!(refused("x = 'Word'", unit), message("there is no unit \"Word\"", "did you mean \"word\"?"));
    assert_eq!(
        refused("x = 'sentence'", unit),
        message("there is no unit \"sentence\"", "use one of letter, word")
    );
    assert_eq!(
        refused("x = 'a'", |r, x| r.choice::<()>(x, "unit", [])),
        message("there is no unit \"a\"", "remove it")
    );
}

#[test]
fn missing_keys_are_reported_at_their_table() {
    let error = parse("a = 1\n[[rule]]\n[[rule]]\nb = { }\n", "veil.toml", |reader, table| {
        reader.needed(table, "a", "1");
        reader.needed(table, "c", "[…]");
        let rules = reader.array(table.get("rule").unwrap()).unwrap();
        let rule = reader.table(rules[1]).unwrap();
        reader.needed(rule, "name", "\"…\"");
        let inline = reader.table(rule.get("b").unwrap()).unwrap();
        reader.needed(inline, "d", "0.5");
    })
    .unwrap_err();
    let reported: Vec<_> =
        error.problems().iter().map(|p| (p.line(), p.column(), p.what(), p.advice().unwrap())).collect();
    assert_eq!(
        reported,
        [
            (Some(1), Some(1), "c is missing", "add c = […]"),
            (Some(3), Some(1), "name is missing", "add name = \"…\""),
            (Some(4), Some(5), "d is missing", "add d = 0.5"),
        ]
    );
}

#[test]
fn file_paths_are_relative_to_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("words.txt"), "é\n").unwrap();
    assert_eq!(taken("x = 'words.txt'", |r, x| r.file_text(x, folder.path())), Ok(Some("é\n".into())));
    let (what, advice) = refused("x = 'none.txt'", |r, x| r.file_text(x, folder.path()));
    assert!(what.starts_with("cannot read it: "), "{what}");
    assert_eq!(advice, "the path is relative to the folder of the settings file");
}

/// Reads every value of a table as every type.
fn ask_all(reader: &mut Reader, table: Table<'_>) {
    reader.only_keys(table, "setting", &["a", "bc"]);
    reader.needed(table, "a", "1");
    for (_, value) in table.iter() {
        reader.boolean(value);
        reader.share(value);
        reader.number(value, -1.0..5.0);
        reader.choice(value, "letter", [("a", ()), ("b", ())]);
        reader.strings(value);
        for item in reader.array(value).unwrap_or_default() {
            reader.string(item);
        }
        if let Some(table) = reader.table(value) {
            ask_all(reader, table);
        }
    }
}

proptest! {
    /// For arbitrary files, all problems have a description and a position in the file.
    #[test]
    fn arbitrary_files_are_read_or_refused(
        lines in proptest::collection::vec(prop_oneof![
            "[abc.]{1,3} = [\\[\\]{}\"'a-z0-9.=, +-]{0,12}",
            "[abc.]{1,3} = (1|0x1|-2.5|1e99|inf|nan|true|'é'|\"\\\\u0007\"|\\[1, 'a'\\]|\\{ a = 1 \\}|1999-12-31)",
            "\\[\\[?[abcé.]{1,3}\\]?\\]",
            "\\PC{0,30}",
        ], 0..8),
    ) {
        let text = lines.join("\n");
        if let Err(error) = parse(&text, "veil.toml", ask_all) {
            prop_assert!(!error.problems().is_empty());
            prop_assert!(error.problems().iter().all(|problem| !problem.what().is_empty()));
            prop_assert!(error.problems().iter().all(|problem| problem.line() <= Some(lines.len().max(1))));
        }
    }
}
