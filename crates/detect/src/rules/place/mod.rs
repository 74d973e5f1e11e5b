//! Places: streets, postal codes, coordinates.

mod coordinates;
mod postal;
mod street;
mod suffix;

use super::rule::Rule;

pub(super) fn rules() -> Vec<Rule> {
    [street::rules(), postal::rules(), coordinates::rules()].into_iter().flatten().collect()
}
