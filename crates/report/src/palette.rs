//! The one palette: ten colours, each for light and for dark screens, and ten markers.
//!
//! The colours follow Okabe and Ito and two of Tol. Some light ones are darkened until they stand
//! out from white. The markers make lines distinguishable without colour.

use std::collections::BTreeSet;
use std::fmt::Write as _;

/// A colour of the palette, by its number. Numbers from ten on start again at the first colour.
///
/// ```
/// use inkveil_report::Colour;
///
/// assert_eq!(Colour(3), Colour(3));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Colour(pub usize);

impl Colour {
    /// Blue.
    pub const BLUE: Self = Self(0);
    /// Vermilion, the palette's red.
    pub const RED: Self = Self(1);
    /// Green.
    pub const GREEN: Self = Self(2);
    /// Pink.
    pub const PINK: Self = Self(3);
    /// Amber.
    pub const AMBER: Self = Self(4);
    /// Light blue.
    pub const SKY: Self = Self(5);
    /// Wine red.
    pub const WINE: Self = Self(6);
    /// Olive.
    pub const OLIVE: Self = Self(7);
    /// Black, or white on a dark screen.
    pub const INK: Self = Self(8);
    /// Grey.
    pub const GREY: Self = Self(9);

    /// The class that gives an element this colour.
    pub(crate) fn class(self) -> String {
        format!("k{}", self.0 % COUNT)
    }
}

const COUNT: usize = 10;

/// The colours for light and for dark screens.
const COLOURS: [(&str, &str); COUNT] = [
    ("#0072b2", "#4aa3df"),
    ("#d55e00", "#f0803c"),
    ("#009e73", "#2fbf94"),
    ("#b5588c", "#dd9cc2"),
    ("#b98000", "#e8b040"),
    ("#56b4e9", "#8fd3ff"),
    ("#882255", "#d0709a"),
    ("#80802a", "#bcbc5c"),
    ("#222", "#f4f4f4"),
    ("#777", "#9aa1ab"),
];

/// The rules that give the elements inside `within` their colours.
pub(crate) fn rules(within: &str) -> String {
    let side = |colour: fn(&(&'static str, &'static str)) -> &'static str| {
        COLOURS.iter().enumerate().fold(String::new(), |mut out, (number, colours)| {
            // Writing to a string cannot fail.
            let _ = writeln!(out, "{within} .k{number} {{ color: {}; }}", colour(colours));
            out
        })
    };
    let (light, dark) = (side(|colours| colours.0), side(|colours| colours.1));
    format!("{light}@media screen and (prefers-color-scheme: dark) {{\n{dark}}}\n")
}

/// The colour and the marker of a line.
///
/// ```
/// use inkveil_report::LineStyle;
///
/// // A name that is in the second list always has the same style.
/// let styles = LineStyle::for_names(&["other", "polar"], &["polar", "tem"]);
/// assert_eq!(styles, [LineStyle(1), LineStyle(0)]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct LineStyle(pub usize);

/// Outlines of the markers, and whether they are filled. All look about equally large.
const MARKERS: [(&str, bool); COUNT] = [
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

impl LineStyle {
    /// Returns a style for each name. A name in `reserved` has the style of its position there; the
    /// others get styles that are free.
    pub fn for_names(names: &[impl AsRef<str>], reserved: &[&str]) -> Vec<Self> {
        let own = |name: &str| reserved.iter().position(|other| *other == name);
        let mut taken: BTreeSet<usize> = names.iter().filter_map(|name| own(name.as_ref())).collect();
        let mut style = |name: &str| {
            let number = own(name).unwrap_or_else(|| (0..).find(|at| !taken.contains(at)).unwrap_or(0));
            taken.insert(number);
            Self(number)
        };
        names.iter().map(|name| style(name.as_ref())).collect()
    }

    pub(crate) fn class(self) -> String {
        Colour(self.0).class()
    }

    /// The outline of the marker, and whether it is filled. After ten lines, colours repeat with
    /// other markers.
    pub(crate) fn marker(self) -> (&'static str, bool) {
        MARKERS[(self.0 + self.0 / COUNT) % COUNT]
    }

    /// The width of the line. Lines with open markers are thin and drawn last, so that two lines
    /// that nearly coincide are both visible.
    pub(crate) fn width(self) -> f64 {
        if self.marker().1 { 2.2 } else { 1.4 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hundred_lines_look_different() {
        let names: Vec<String> = (0..100).map(|at| at.to_string()).collect();
        let seen: BTreeSet<(String, &str)> =
            LineStyle::for_names(&names, &[]).iter().map(|style| (style.class(), style.marker().0)).collect();
        assert_eq!(seen.len(), 100);
    }

    #[test]
    fn a_reserved_name_keeps_its_style() {
        let reserved = ["polar", "exponential"];
        let names = ["none", "polar", "exponential"];
        assert_eq!(LineStyle::for_names(&names, &reserved), [LineStyle(2), LineStyle(0), LineStyle(1)]);
        assert_eq!(LineStyle::for_names(&["exponential"], &reserved), [LineStyle(1)]);
    }
}
