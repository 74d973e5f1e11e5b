//! The forms of values: letters as `x`, digits as `9`.

use std::collections::HashMap;

/// The longest form that is shown.
const LONGEST: usize = 24;
/// The most different forms that are counted.
const MOST: usize = 1000;

/// Counts forms.
#[derive(Default)]
pub(super) struct Shapes(HashMap<String, u64>);

impl Shapes {
    pub(super) fn add(&mut self, value: &str) {
        let shape = shape(value);
        if self.0.len() < MOST || self.0.contains_key(&shape) {
            *self.0.entry(shape).or_default() += 1;
        }
    }

    /// The most common form. Of two, the first in the alphabet.
    pub(super) fn most_common(&self) -> String {
        let best = self.0.iter().max_by(|one, other| one.1.cmp(other.1).then(other.0.cmp(one.0)));
        best.map(|(shape, _)| shape.clone()).unwrap_or_default()
    }
}

fn shape(value: &str) -> String {
    let masked = |letter: char| match letter {
        _ if letter.is_numeric() => '9',
        _ if letter.is_ascii() && !letter.is_ascii_alphanumeric() && !letter.is_ascii_control() => letter,
        _ => 'x',
    };
    let mut shape: String = value.chars().take(LONGEST).map(masked).collect();
    if value.chars().nth(LONGEST).is_some() {
        shape.push('…');
    }
    shape
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_has_no_letter_or_digit_of_its_value() {
        assert_eq!(shape("Ana Lima"), "xxx xxxx");
        assert_eq!(shape("+351 912-345"), "+999 999-999");
        assert_eq!(shape("Łódź\n7"), "xxxxx9");
        assert_eq!(shape(&"a".repeat(30)), format!("{}…", "x".repeat(24)));
    }

    #[test]
    fn the_most_common_shape_is_shown() {
        let mut shapes = Shapes::default();
        ["Ana", "Ben", "Klara"].iter().for_each(|name| shapes.add(name));
        assert_eq!(shapes.most_common(), "xxx");
    }
}
