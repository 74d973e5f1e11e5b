//! Forms of times of day.

/// The notation of a time of day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct TimeForm {
    /// Whether the hour always has two digits.
    pub(crate) padded: bool,
    /// The separator after the hour; `None` if there are no minutes.
    pub(crate) minutes: Option<char>,
    pub(crate) seconds: bool,
    /// The number of digits of the fraction of a second.
    pub(crate) fraction: usize,
    pub(crate) half: Half,
    pub(crate) zone: Zone,
}

/// How the half of the day is marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Half {
    /// Not at all: 24 hours.
    None,
    /// `am` or `pm` in one of its spellings, with or without a space before it.
    Marked { spelling: Spelling, blank: bool },
    /// An hour from one to twelve and "o'clock".
    OClock,
    /// An hour from one to twelve by itself: "at 7".
    Bare,
}

/// Spellings of `am` and `pm`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Spelling {
    Small,
    Capital,
    Dotted,
}

/// The type of time zone. The zone itself is not kept, because it reveals a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Zone {
    None,
    Zulu,
    Offset,
    Named,
}

impl TimeForm {
    /// 14:30
    const ORDINARY: TimeForm = TimeForm {
        padded: true,
        minutes: Some(':'),
        seconds: false,
        fraction: 0,
        half: Half::None,
        zone: Zone::None,
    };

    pub(crate) fn of(text: &str) -> Self {
        let Some(start) = text.find(|c: char| c.is_ascii_digit()) else { return TimeForm::ORDINARY };
        let (hour, rest) = digits(text.get(start..).unwrap_or_default());
        let (minutes, rest) = pair(rest, &[':', '.', 'h', 'H']);
        let (seconds, rest) = if minutes.is_some() { pair(rest, &[':', '.']) } else { (None, rest) };
        let (fraction, rest) = match rest.strip_prefix(['.', ',']).map(digits) {
            Some((fraction, after)) if seconds.is_some() && fraction > 0 => (fraction.min(6), after),
            _ => (0, rest),
        };
        let (mut half, rest) = half(rest);
        let is_bare = minutes.is_none() && (1..=2).contains(&hour) && rest.trim().is_empty();
        if half == Half::None && is_bare {
            half = Half::Bare;
        }
        TimeForm {
            // Three of twelve hours have two digits anyway.
            padded: if half == Half::None { hour != 1 } else { text[start..].starts_with('0') },
            // A number before other words would not be a time without minutes.
            minutes: match (minutes, half) {
                (None, Half::None) => Some(':'),
                (Some('H'), _) => Some('h'),
                (minutes, _) => minutes,
            },
            seconds: seconds.is_some(),
            fraction,
            half,
            zone: zone(rest.trim()),
        }
    }

    /// Drops what depends on the hour itself, and the number of digits of a fraction.
    pub(crate) fn coarse(self) -> Self {
        let fraction = if self.fraction > 0 { 3 } else { 0 };
        TimeForm { padded: self.half == Half::None, fraction, ..self }
    }
}

/// Returns the number of digits at the start of a text, and the rest.
fn digits(text: &str) -> (usize, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    (end, text.get(end..).unwrap_or_default())
}

/// Returns the separator before two digits, and the rest after them.
fn pair<'a>(text: &'a str, separators: &[char]) -> (Option<char>, &'a str) {
    let after = text.strip_prefix(separators).map(digits);
    match (after, text.chars().next()) {
        (Some((2, rest)), Some(separator)) => (Some(separator), rest),
        _ => (None, text),
    }
}

/// Returns the half of the day at the start of a text, and the rest.
fn half(text: &str) -> (Half, &str) {
    let bare = text.trim_start();
    let lower = bare.to_ascii_lowercase();
    if lower.starts_with("o'clock") || lower.starts_with("o’clock") {
        return (Half::OClock, "");
    }
    let spelled = [("a.m.", 4), ("p.m.", 4), ("a.m", 3), ("p.m", 3), ("am", 2), ("pm", 2)];
    let Some((word, length)) = spelled.iter().find(|(word, _)| lower.starts_with(word)) else {
        return (Half::None, text);
    };
    let spelling = match () {
        () if word.contains('.') => Spelling::Dotted,
        () if bare.starts_with(['A', 'P']) => Spelling::Capital,
        () => Spelling::Small,
    };
    let rest = bare.get(*length..).unwrap_or_default();
    (Half::Marked { spelling, blank: bare.len() < text.len() }, rest)
}

fn zone(text: &str) -> Zone {
    let letters = text.chars().take_while(char::is_ascii_uppercase).count();
    match text {
        "Z" => Zone::Zulu,
        _ if text.starts_with(['+', '-', '−']) => Zone::Offset,
        _ if (2..=5).contains(&letters) => Zone::Named,
        _ => Zone::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_times() {
        let form = TimeForm::of;
        assert_eq!(form("14:30"), form("09:15"));
        assert_eq!(form("noon"), form("14:30"));
        assert_eq!(form("at 14:30"), form("14:30"));
        assert!(!form("9:15").padded);
        assert_eq!(form("2:30 pm").half, Half::Marked { spelling: Spelling::Small, blank: true });
        assert_eq!(form("2PM"), form("11AM"));
        assert_ne!(form("02:30 PM"), form("2:30 PM"));
        assert_eq!(form("11 p.m.").minutes, None);
        assert_eq!(form("5 o'clock").half, Half::OClock);
        assert_eq!((form("7").half, form("10").minutes), (Half::Bare, None));
        assert_eq!(form("7"), form("10"));
        assert_eq!(form("14h30").minutes, Some('h'));
        assert_eq!(form("18 Uhr"), form("14:30"));
        let exact = form("23:59:59.123 UTC");
        assert_eq!((exact.seconds, exact.fraction, exact.zone), (true, 3, Zone::Named));
        assert_eq!(form("10:00:00+02:00").zone, form("10:00:00-08:00").zone);
        assert_eq!(form("8:00 PM PST"), form("7:00 AM CET"));
    }
}
