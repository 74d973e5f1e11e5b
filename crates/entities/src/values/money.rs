//! Amounts of money.

use inkveil_notation::numbers;

use crate::address::Draw;

/// Factors are between 3/4 and 4/3, and not close to 1.
const LARGEST: f64 = 4.0 / 3.0;
const SMALLEST_CHANGE: f64 = 1.05;

/// Draws a factor: as often above 1 as below, with a uniform logarithm.
pub(super) fn factor(draw: &mut Draw) -> f64 {
    let (least, most) = (SMALLEST_CHANGE.ln(), LARGEST.ln());
    let size = (least + (most - least) * draw.unit()).exp();
    if draw.below(2) == 0 { size } else { 1.0 / size }
}

/// Returns an amount multiplied by a factor. It has as many zeros at its end as the original, so that a
/// round amount stays round, and never equals the original.
pub(super) fn scaled(text: &str, factor: f64) -> Option<String> {
    let found = numbers(text);
    if found.is_empty() {
        return None;
    }
    let mut scaled = String::new();
    let mut end = 0;
    for number in &found {
        let (range, units) = (number.range(), number.units());
        scaled.push_str(text.get(end..range.start)?);
        scaled.push_str(&number.write(moved(units, factor)));
        end = range.end;
    }
    scaled.push_str(text.get(end..)?);
    Some(scaled)
}

fn moved(units: u64, factor: f64) -> u64 {
    if units == 0 {
        return 0;
    }
    let mut step: u64 = 1;
    while let Some(next) = step.checked_mul(10).filter(|next| units.is_multiple_of(*next)) {
        step = next;
    }
    // Two digits at least stay free, so that a factor shows: 500 moves in steps of 10.
    while step > 1 && units / step < 10 {
        step /= 10;
    }
    let target = ((units as f64 * factor / step as f64).round() as u64).saturating_mul(step);
    match target == units {
        false => target.max(step),
        true if factor > 1.0 => units.saturating_add(step),
        true => units.saturating_sub(step).max(if units > step { step } else { units.saturating_add(step) }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_keep_their_notation() {
        assert_eq!(scaled("£60,317", 1.25).as_deref(), Some("£75,396"));
        assert_eq!(scaled("1.204,50 €", 0.8).as_deref(), Some("963,60 €"));
        assert_eq!(scaled("$5 million", 1.3).as_deref(), Some("$7 million"));
        assert_eq!(scaled("£60,000 a year", 1.11).as_deref(), Some("£67,000 a year"));
        assert_eq!(scaled("$5-10k", 1.3).as_deref(), Some("$7-13k"));
        assert_eq!(scaled("five hundred dollars", 1.3), None);
    }

    #[test]
    fn an_amount_always_changes_and_stays_positive() {
        for units in 1..20_000 {
            for factor in [0.75, 0.8, 0.95, 1.05, 1.2, 1.33] {
                let new = moved(units, factor);
                assert!(new != units && new > 0, "{units} {factor}");
            }
        }
        assert_eq!(moved(0, 1.2), 0);
    }
}
