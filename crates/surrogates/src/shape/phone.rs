//! Forms of telephone numbers.

use super::pattern::{Pattern, Slot};

/// The notation of a telephone number.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct PhoneForm {
    /// Digits and separators. Leading zeros (`00`, `0`, `(0)`) are kept as separators.
    pub(crate) pattern: Pattern,
    /// The text before an extension, and the number of its digits.
    pub(crate) extension: Option<(&'static str, usize)>,
}

/// Shorter numbers are service numbers, and most of those are emergency numbers.
const FEWEST: usize = 5;
const MOST: usize = 15;

/// Texts before an extension. Unlisted ones become the first.
const INTRODUCTIONS: &[&str] = &[" ext. ", " ext ", " ext.", ", ext. ", " extension ", " x", "x", " #", "#"];

impl PhoneForm {
    pub(crate) fn of(text: &str) -> Self {
        let (number, extension) = split_extension(text.trim());
        let mut slots: Vec<Slot> = number.chars().filter_map(slot).collect();
        keep_leading_zeros(number, &mut slots);
        let digits = slots.iter().filter(|slot| **slot == Slot::Digit).count();
        let pattern = match (FEWEST..=MOST).contains(&digits) {
            true => Pattern::from_slots(slots),
            false => Pattern::of("", "###-####"),
        };
        PhoneForm { pattern, extension }
    }

    /// Keeps only how the number starts. Groups and lengths differ by country and network.
    pub(crate) fn coarse(self) -> Self {
        PhoneForm::of(match self.lead() {
            Lead::Country => "+44 20 7946 0000",
            Lead::Trunk => "020 7946 0000",
            Lead::Bare => "415-555-0100",
        })
    }

    /// Returns the number of digits to draw.
    pub(crate) fn digits(&self) -> usize {
        self.pattern.places()
    }

    pub(crate) fn lead(&self) -> Lead {
        let mut signs = self.pattern.slots().iter().filter(|slot| !matches!(slot, Slot::Sign(' ' | '(')));
        match (signs.next(), signs.next()) {
            (Some(Slot::Sign('+')), _) | (Some(Slot::Sign('0')), Some(Slot::Sign('0'))) => Lead::Country,
            (Some(Slot::Sign('0')), _) => Lead::Trunk,
            _ => Lead::Bare,
        }
    }
}

/// The start of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lead {
    /// `+` or `00`: a country code follows.
    Country,
    /// A zero before an area code.
    Trunk,
    Bare,
}

fn slot(c: char) -> Option<Slot> {
    match c {
        // Letters represent digits, as in 1-800-FLOWERS.
        _ if c.is_numeric() || c.is_alphabetic() => Some(Slot::Digit),
        _ if c.is_whitespace() => Some(Slot::Sign(' ')),
        '+' | '-' | '.' | '/' | '(' | ')' => Some(Slot::Sign(c)),
        '\u{2010}'..='\u{2015}' => Some(Slot::Sign('-')),
        _ => None,
    }
}

/// Marks leading `00` and `0`, and a single zero in brackets, as separators.
fn keep_leading_zeros(number: &str, slots: &mut [Slot]) {
    let digits: String = number.chars().filter(char::is_ascii_alphanumeric).collect();
    let leading = match number.trim_start_matches(['(', ' ']).starts_with('+') {
        true => 0,
        false => digits.chars().take(2).take_while(|digit| *digit == '0').count(),
    };
    for slot in slots.iter_mut().filter(|slot| **slot == Slot::Digit).take(leading) {
        *slot = Slot::Sign('0');
    }
    let bracketed = number.contains("(0)");
    let at = slots.windows(3).position(|three| three == [Slot::Sign('('), Slot::Digit, Slot::Sign(')')]);
    if let Some(slot) = at.filter(|_| bracketed).and_then(|at| slots.get_mut(at + 1)) {
        *slot = Slot::Sign('0');
    }
}

/// Splits an extension from the number before it.
fn split_extension(text: &str) -> (&str, Option<(&'static str, usize)>) {
    let Some(start) = text.rfind(|c: char| !c.is_ascii_digit()).map(|at| at + 1) else { return (text, None) };
    let Some((front, digits)) = text.split_at_checked(start) else { return (text, None) };
    let number = front.trim_end_matches(|c: char| !c.is_ascii_digit());
    let introduction = &front[number.len()..];
    let word: String = introduction.chars().filter(|c| c.is_alphanumeric() || *c == '#').collect();
    let known = ["ext", "extension", "x", "#"].contains(&word.to_lowercase().as_str());
    if !known || !(1..=6).contains(&digits.len()) {
        return (text, None);
    }
    let first = INTRODUCTIONS.first().copied().unwrap_or_default();
    let introduction = INTRODUCTIONS.iter().find(|known| **known == introduction).copied().unwrap_or(first);
    (number, Some((introduction, digits.len())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_the_same_notation_have_the_same_form() {
        let form = PhoneForm::of;
        assert_eq!(form("+44 20 7946 0018"), form("+49 30 1234 5678"));
        assert_eq!(form("(415) 555-0123"), form("(212) 867-5309"));
        assert_eq!(form("1-800-FLOWERS"), form("1-800-1234567"));
        assert_ne!(form("020 7946 0018"), form("120 7946 0018"));
        assert_eq!(form("020 7946 0018").digits(), 10);
        assert_eq!(form("+44 (0)20 7946 0018").digits(), 12);
        assert_eq!(form("0044 20 7946 0018").digits(), 12);
        assert_eq!(form("+49 30\u{2013}1234"), form("+49 30-1234"));
    }

    #[test]
    fn the_lead_of_a_number() {
        let lead = |text| PhoneForm::of(text).lead();
        assert_eq!(lead("(+351) 912 345 678"), Lead::Country);
        assert_eq!(lead("0044 20 7946 0018"), Lead::Country);
        assert_eq!(lead("(020) 7946 0018"), Lead::Trunk);
        assert_eq!(lead("415-555-0123"), Lead::Bare);
    }

    #[test]
    fn coarse_forms_keep_the_lead_alone() {
        let form = |text| PhoneForm::of(text).coarse();
        assert_eq!(form("+351 912 345 678"), form("00442079460018"));
        assert_eq!(form("(020) 7946 0018"), form("030-12345"));
        assert_eq!(form("555 0100 ext. 12"), form("(415) 555-0123"));
        assert_ne!(form("020 7946 0018"), form("+44 20 7946 0018"));
    }

    #[test]
    fn extensions() {
        let extension = |text| PhoneForm::of(text).extension;
        assert_eq!(extension("415-555-0123 ext. 12"), Some((" ext. ", 2)));
        assert_eq!(extension("415-555-0123x123"), Some(("x", 3)));
        assert_eq!(extension("415-555-0123 Ext 7"), Some((" ext. ", 1)));
        assert_eq!(extension("415-555-0123"), None);
    }

    #[test]
    fn service_numbers_have_the_default_form() {
        for text in ["911", "112", "", "☎", "12345678901234567890"] {
            assert_eq!(PhoneForm::of(text), PhoneForm::of("555-0123"), "{text}");
        }
    }
}
