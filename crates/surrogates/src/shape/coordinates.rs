//! Forms of coordinates.

/// The notation of coordinates. Signs and the number of whole digits are not kept, because they reveal
/// the place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct CoordinateForm {
    pub(crate) notation: Notation,
    /// The separator between the two; `None` if there is only one.
    pub(crate) between: Option<&'static str>,
}

/// The notation of an angle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Notation {
    /// 40.7128
    Decimal { places: usize },
    /// 40.7128° N
    Directed { places: usize },
    /// 40°26'46"N
    Sexagesimal,
}

impl CoordinateForm {
    pub(crate) fn of(text: &str) -> Self {
        let signs: String = text.chars().filter(|c| !c.is_alphanumeric()).collect();
        let places = decimals(text);
        let directed = text.contains(['N', 'S', 'E', 'W', '°', 'º']);
        let notation = match () {
            () if signs.contains(['\'', '′', '’']) => Notation::Sexagesimal,
            () if directed => Notation::Directed { places },
            () => Notation::Decimal { places },
        };
        CoordinateForm { notation, between: between(text, notation) }
    }

    /// Drops the number of decimals, which states how exact a place is known.
    pub(crate) fn coarse(self) -> Self {
        let notation = match self.notation {
            Notation::Decimal { .. } => Notation::Decimal { places: PLACES },
            Notation::Directed { .. } => Notation::Directed { places: PLACES },
            Notation::Sexagesimal => Notation::Sexagesimal,
        };
        CoordinateForm { notation, between: self.between }
    }
}

/// The number of decimals if a text has none or they are not kept.
const PLACES: usize = 4;

/// Returns the number of digits after the first decimal point.
fn decimals(text: &str) -> usize {
    let after = text.split_once('.').map_or("", |(_, after)| after);
    match after.chars().take_while(char::is_ascii_digit).count() {
        0 => PLACES,
        places => places.clamp(2, 8),
    }
}

fn between(text: &str, notation: Notation) -> Option<&'static str> {
    let marks = match notation {
        Notation::Sexagesimal => text.matches(['°', 'º']).count(),
        _ => text.matches('.').count(),
    };
    match text {
        _ if marks == 1 => None,
        _ if text.contains(", ") => Some(", "),
        _ if text.contains(',') => Some(","),
        _ if text.contains(';') => Some("; "),
        _ if text.trim().contains(char::is_whitespace) => Some(" "),
        _ => Some(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_coordinates() {
        let form = CoordinateForm::of;
        assert_eq!(form("40.7128, -74.0060"), form("-1.2345, 103.9999"));
        assert_eq!(form("40.71,-74.00").between, Some(","));
        assert_eq!(form("40.7128° N, 74.0060° W").notation, Notation::Directed { places: 4 });
        assert_eq!(form("40°26'46\"N 79°58'56\"W").between, Some(" "));
        assert_eq!(
            form("40.7128"),
            CoordinateForm { notation: Notation::Decimal { places: 4 }, between: None }
        );
        assert_eq!(
            form(""),
            CoordinateForm { notation: Notation::Decimal { places: 4 }, between: Some(", ") }
        );
    }
}
