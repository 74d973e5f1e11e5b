//! Descriptions of number ranges.

use std::ops::{Bound, RangeBounds};

/// Describes a range as a suffix of "a number": `" from 0 to 1"`, `" of at least 0"`, or nothing.
pub(crate) fn described(range: &impl RangeBounds<f64>) -> String {
    use Bound::{Excluded, Included, Unbounded};
    match (range.start_bound(), range.end_bound()) {
        (Unbounded, Unbounded) => String::new(),
        (Included(low), Unbounded) => format!(" of at least {low}"),
        (Excluded(low), Unbounded) => format!(" above {low}"),
        (Unbounded, Included(high)) => format!(" of at most {high}"),
        (Unbounded, Excluded(high)) => format!(" below {high}"),
        (Included(low), Included(high)) => format!(" from {low} to {high}"),
        (Included(low), Excluded(high)) => format!(" of at least {low} and below {high}"),
        (Excluded(low), Included(high)) => format!(" above {low} and of at most {high}"),
        (Excluded(low), Excluded(high)) => format!(" above {low} and below {high}"),
    }
}

/// Describes why a finite number is outside a range: `"less than 0"`. Returns `None` if it is
/// inside.
pub(crate) fn missed(range: &impl RangeBounds<f64>, number: f64) -> Option<String> {
    match range.start_bound() {
        Bound::Included(&low) if number < low => return Some(format!("less than {low}")),
        Bound::Excluded(&low) if number <= low => return Some(format!("not above {low}")),
        _ => {}
    }
    match range.end_bound() {
        Bound::Included(&high) if number > high => Some(format!("more than {high}")),
        Bound::Excluded(&high) if number >= high => Some(format!("not below {high}")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use Bound::{Excluded, Included, Unbounded};

    #[test]
    fn ranges_are_described() {
        for (range, words) in [
            ((Unbounded, Unbounded), ""),
            ((Included(0.5), Unbounded), " of at least 0.5"),
            ((Excluded(0.0), Unbounded), " above 0"),
            ((Unbounded, Included(9.0)), " of at most 9"),
            ((Unbounded, Excluded(9.0)), " below 9"),
            ((Included(0.0), Included(1.0)), " from 0 to 1"),
            ((Included(0.0), Excluded(1.0)), " of at least 0 and below 1"),
            ((Excluded(0.0), Included(1.0)), " above 0 and of at most 1"),
            ((Excluded(0.0), Excluded(1.0)), " above 0 and below 1"),
        ] {
            assert_eq!(described(&range), words);
        }
    }

    #[test]
    fn only_numbers_outside_are_refused() {
        for (range, number, words) in [
            ((Unbounded, Unbounded), -1e300, None),
            ((Included(0.0), Included(1.0)), 0.0, None),
            ((Included(0.0), Included(1.0)), 1.0, None),
            ((Included(0.0), Included(1.0)), -0.1, Some("less than 0")),
            ((Included(0.0), Included(1.0)), 1.1, Some("more than 1")),
            ((Excluded(0.0), Excluded(1.0)), 0.5, None),
            ((Excluded(0.0), Excluded(1.0)), 0.0, Some("not above 0")),
            ((Excluded(0.0), Excluded(1.0)), 1.0, Some("not below 1")),
        ] {
            assert_eq!(missed(&range, number).as_deref(), words);
            assert_eq!(range.contains(&number), words.is_none());
        }
    }
}
