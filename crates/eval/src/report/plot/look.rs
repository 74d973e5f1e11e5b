//! How a line looks: a colour and a marker.
//!
//! The colours follow Okabe and Ito and two of Tol's, some light ones darkened until they stand out from
//! white. Markers tell the lines apart without any colour. They are those of `inkveil curves`, so that a
//! mechanism looks the same in every drawing.

use std::collections::BTreeSet;

/// The colour and the marker of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Look(usize);

/// How many colours there are, and how many markers.
const LOOKS: usize = 10;

/// Names with a look of their own, in the order of the colours.
const NAMED: [&str; 9] = [
    "polar",
    "exponential",
    "laplace-l1",
    "purkayastha",
    "tem",
    "laplace-l2",
    "mahalanobis",
    "laplace-l1-euclidean",
    "randomized-response",
];

/// Outlines of the markers, and whether they are filled. All are of about the same size for the eye.
const MARKERS: [(&str, bool); LOOKS] = [
    ("M-3.8 0a3.8 3.8 0 1 0 7.6 0a3.8 3.8 0 1 0 -7.6 0z", true),
    ("M-3.4 -3.4h6.8v6.8h-6.8z", true),
    ("M0 -4.6L4.4 3.1H-4.4z", true),
    ("M-3.1 -3.1L3.1 3.1M-3.1 3.1L3.1 -3.1", false),
    ("M-3.3 -3.3h6.6v6.6h-6.6z", false),
    ("M0 -4.8L4.8 0L0 4.8L-4.8 0z", true),
    ("M-4 0H4M0 -4V4", false),
    ("M0 4.2L4 -2.8H-4z", false),
    ("M-3.6 0a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0 -7.2 0z", false),
    ("M0 -4.4L4.4 0L0 4.4L-4.4 0z", false),
];

impl Look {
    /// Looks for lines of these names: that of the name where it has one, else one that is free.
    pub(super) fn of(names: &[String]) -> Vec<Self> {
        let own = |name: &String| NAMED.iter().position(|named| named == name);
        let mut taken: BTreeSet<usize> = names.iter().filter_map(own).collect();
        let mut look = |name: &String| {
            let free = || (0..).find(|at| !taken.contains(at)).unwrap_or(0);
            let at = own(name).unwrap_or_else(free);
            taken.insert(at);
            Self(at)
        };
        names.iter().map(&mut look).collect()
    }

    /// The class of the colour.
    pub(super) fn class(self) -> String {
        format!("k{}", self.0 % LOOKS)
    }

    /// The marker. After ten lines colours repeat with other markers.
    pub(super) fn marker(self) -> (&'static str, bool) {
        MARKERS[(self.0 + self.0 / LOOKS) % LOOKS]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hundred_lines_look_different() {
        let names: Vec<String> = (0..100).map(|at| at.to_string()).collect();
        let looks = Look::of(&names);
        let seen: BTreeSet<(String, &str)> =
            looks.iter().map(|look| (look.class(), look.marker().0)).collect();
        assert_eq!(seen.len(), 100);
    }

    #[test]
    fn a_mechanism_keeps_its_look() {
        let names = ["none", "polar", "exponential"].map(str::to_owned);
        assert_eq!(Look::of(&names), [Look(2), Look(0), Look(1)]);
    }
}
