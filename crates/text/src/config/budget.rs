//! The budget setting, which can be given in five ways.

use std::ops::Bound::Excluded;

use inkveil_privacy::Epsilon;
use inkveil_settings::{Key, Reader, Table, Value};

use crate::{Budget, Budgets, Preset};

/// The keys that give a budget.
const WAYS: [&str; 5] = ["preset", "epsilon", "budgets", "uniform", "target-survival"];

/// Advice on how to write a budget.
const EXAMPLE: &str = "write a number of at least 0, or \"inf\" in quotes for no noise";

/// Returns the budget of a table, if it has one.
pub(super) fn read(reader: &mut Reader, table: Table<'_>, text: &str) -> Option<Budget> {
    let mut said: Vec<_> = table.iter().filter(|(key, _)| WAYS.contains(&key.name())).collect();
    said.sort_by_key(|(key, _)| key.span().start);
    if said.len() > 1 {
        let keys: Vec<Key<'_>> = said.iter().map(|(key, _)| *key).collect();
        refuse_all(reader, &keys, text);
    }
    // All are read even then, so that a mistake in any of them is reported now.
    let budgets: Vec<Budget> =
        said.into_iter().filter_map(|(key, value)| one(reader, key.name(), value)).collect();
    budgets.first().copied()
}

/// Reports at each budget where the others are. All are reported, because only the user knows which
/// one is meant.
fn refuse_all(reader: &mut Reader, keys: &[Key<'_>], text: &str) {
    let line = |key: Key<'_>| 1 + text.bytes().take(key.span().start).filter(|byte| *byte == b'\n').count();
    for (at, key) in keys.iter().enumerate() {
        let others: Vec<String> = keys
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != at)
            .map(|(_, other)| format!("{} on line {}", other.name(), line(*other)))
            .collect();
        let what = format!("only one budget is allowed, but there is also {}", others.join(" and "));
        reader.wrong(key.span(), what, "keep one of them");
    }
}

fn one(reader: &mut Reader, way: &str, value: Value<'_>) -> Option<Budget> {
    match way {
        "preset" => {
            let presets = Preset::ALL.map(|preset| (preset.name(), Budget::Preset(preset)));
            reader.choice(value, "preset", presets)
        }
        "epsilon" => base(reader, value),
        "budgets" => each(reader, value),
        "uniform" => epsilon(reader, value).map(Budget::Uniform),
        _ => reader.number(value, (Excluded(0.0), Excluded(1.0))).map(Budget::TargetSurvival),
    }
}

/// Reads a base for 2 : 1 : 4 : 3.
fn base(reader: &mut Reader, value: Value<'_>) -> Option<Budget> {
    let base = epsilon(reader, value)?;
    if Budgets::from_base(base.get()).is_err() {
        reader.wrong(
            value.span(),
            "this is too large to multiply by 4",
            "write a smaller number, or \"inf\"",
        );
        return None;
    }
    Some(Budget::Base(base))
}

/// Reads one budget for each group.
fn each(reader: &mut Reader, value: Value<'_>) -> Option<Budget> {
    let items = reader.array(value)?;
    let count = items.len();
    let budgets: Vec<Epsilon> = items.into_iter().filter_map(|item| epsilon(reader, item)).collect();
    if count != 4 {
        let what = format!("there are four groups, but this list has {count}");
        let advice = "write the budgets of words that are sensitive and needed, sensitive, needed, and neither, \
                      such as [50, 0, 100, \"inf\"]";
        reader.wrong(value.span(), what, advice);
    }
    budgets.try_into().ok().map(|budgets| Budget::Each(Budgets::new(budgets)))
}

/// Reads a number of at least 0, or `"inf"`.
///
/// Infinity needs quotes, because it keeps words unchanged. Without quotes it could also be a
/// number with too many zeros.
fn epsilon(reader: &mut Reader, value: Value<'_>) -> Option<Epsilon> {
    let what = match (value.as_str(), value.as_number()) {
        (Some("inf" | "∞"), _) => return Some(Epsilon::INFINITE),
        (Some(_), _) => "this is a text",
        (None, Some(number)) if !number.is_finite() => "this is not a finite number",
        (None, Some(number)) => match Epsilon::new(number) {
            Ok(epsilon) => return Some(epsilon),
            Err(_) => "this is less than 0",
        },
        (None, None) => "this is not a decimal number",
    };
    reader.wrong(value.span(), what, EXAMPLE);
    None
}

/// Reads a budget above 0.
pub(super) fn above_zero(reader: &mut Reader, value: Value<'_>) -> Option<Epsilon> {
    let epsilon = epsilon(reader, value)?;
    if epsilon.is_zero() {
        reader.wrong(
            value.span(),
            "this is not above 0",
            "write a number above 0, or \"inf\" in quotes for no noise",
        );
        return None;
    }
    Some(epsilon)
}
