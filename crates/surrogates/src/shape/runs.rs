//! Runs of characters: the alphabet and the length of each part of a code.

use super::pattern::{Pattern, Slot};

/// A run of a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Run {
    /// A number of characters of an alphabet.
    Of(Alphabet, usize),
    Separator(char),
}

/// The smallest alphabet with all characters of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Alphabet {
    Digits,
    Hexadecimal,
    UpperHexadecimal,
    Lower,
    Upper,
    /// One upper-case letter, then lower-case letters.
    Capital,
    Letters,
    LowerAndDigits,
    UpperAndDigits,
    LettersAndDigits,
    Base64,
}

/// The number of runs of letters and digits after which a code is cut.
const MOST_RUNS: usize = 6;

/// The groups of a UUID, which is recognised by them.
const UUID: [usize; 5] = [8, 4, 4, 4, 12];

/// Returns the length that stands for all lengths of its bucket: 1–2, 3–4, 5–8, 9–16, 17–32 and
/// more. It is the largest of the bucket.
pub(crate) fn bucketed(length: usize) -> usize {
    length.next_power_of_two().clamp(2, 64)
}

impl Run {
    /// Returns the runs of a code with bucketed lengths. A group between separators is one run, or
    /// two if letters are followed by digits or digits by letters. Where in a group letters and
    /// digits alternate is not kept: in a random code nearly every such order is unique.
    pub(crate) fn coarse(pattern: &Pattern) -> Vec<Run> {
        if pattern.is_hexadecimal() && pattern.groups() == UUID {
            let letters = hexadecimal(pattern.slots());
            let groups = UUID.iter().map(|length| Run::Of(letters, *length));
            let mut runs: Vec<Run> = groups.flat_map(|group| [group, Run::Separator('-')]).collect();
            runs.pop();
            return runs;
        }
        let mut runs = Vec::new();
        let mut groups = 0;
        for part in pattern.slots().chunk_by(|a, b| is_sign(a) == is_sign(b)) {
            match part.first() {
                // Several separators in a row become one.
                Some(Slot::Sign(sign)) => runs.push(Run::Separator(*sign)),
                Some(_) if groups < MOST_RUNS => {
                    groups += 1;
                    push_group(part, pattern.is_hexadecimal(), &mut runs);
                }
                _ => {
                    // The separator before the part that is cut off.
                    runs.pop();
                    break;
                }
            }
        }
        trimmed(runs)
    }

    /// Returns the runs with bucketed lengths.
    pub(crate) fn bucket(runs: Vec<Run>) -> Vec<Run> {
        let bucket = |run| match run {
            Run::Of(alphabet, length) => Run::Of(alphabet, bucketed(length)),
            separator => separator,
        };
        // Between the runs are separators.
        trimmed(runs.into_iter().take(2 * MOST_RUNS - 1).map(bucket).collect())
    }
}

/// Removes blanks at the ends.
fn trimmed(mut runs: Vec<Run>) -> Vec<Run> {
    let is_blank = |run: Option<&Run>| run == Some(&Run::Separator(' '));
    while is_blank(runs.last()) {
        runs.pop();
    }
    let blanks = runs.iter().take_while(|run| is_blank(Some(*run))).count();
    runs.drain(..blanks);
    runs
}

fn is_sign(slot: &Slot) -> bool {
    matches!(slot, Slot::Sign(_))
}

fn hexadecimal(slots: &[Slot]) -> Alphabet {
    match slots.contains(&Slot::Upper) && !slots.contains(&Slot::Lower) {
        true => Alphabet::UpperHexadecimal,
        false => Alphabet::Hexadecimal,
    }
}

fn push_group(group: &[Slot], is_hexadecimal: bool, runs: &mut Vec<Run>) {
    let run = |slots: &[Slot]| {
        let alphabet = if is_hexadecimal { hexadecimal(slots) } else { Alphabet::of_slots(slots) };
        Run::Of(alphabet, bucketed(slots.len()))
    };
    let is_digit = |slot: &Slot| *slot == Slot::Digit;
    let classes: Vec<&[Slot]> = group.chunk_by(|a, b| is_digit(a) == is_digit(b)).collect();
    match classes.as_slice() {
        [first, second] if !is_hexadecimal => runs.extend([run(first), run(second)]),
        _ => runs.push(run(group)),
    }
}

impl Alphabet {
    fn of_slots(slots: &[Slot]) -> Self {
        let has = |slot: Slot| slots.contains(&slot);
        match (has(Slot::Lower), has(Slot::Upper), has(Slot::Digit)) {
            (false, false, _) => Alphabet::Digits,
            (true, false, false) => Alphabet::Lower,
            (false, true, false) => Alphabet::Upper,
            (true, true, false) if slots.iter().skip(1).all(|slot| *slot == Slot::Lower) => Alphabet::Capital,
            (true, true, false) => Alphabet::Letters,
            (true, false, true) => Alphabet::LowerAndDigits,
            (false, true, true) => Alphabet::UpperAndDigits,
            (true, true, true) => Alphabet::LettersAndDigits,
        }
    }

    /// Returns its characters; for [`Alphabet::Capital`], those after the first.
    pub(crate) fn letters(self) -> &'static [u8] {
        match self {
            Alphabet::Digits => b"0123456789",
            Alphabet::Hexadecimal => b"0123456789abcdef",
            Alphabet::UpperHexadecimal => b"0123456789ABCDEF",
            Alphabet::Lower | Alphabet::Capital => b"abcdefghijklmnopqrstuvwxyz",
            Alphabet::Upper => b"ABCDEFGHIJKLMNOPQRSTUVWXYZ",
            Alphabet::Letters => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
            Alphabet::LowerAndDigits => b"abcdefghijklmnopqrstuvwxyz0123456789",
            Alphabet::UpperAndDigits => b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
            Alphabet::LettersAndDigits => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
            Alphabet::Base64 => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(text: &str) -> Vec<Run> {
        Run::coarse(&Pattern::or_hexadecimal(text, "@@-######"))
    }

    #[test]
    fn codes_keep_alphabets_and_rough_lengths() {
        use Alphabet::{Capital, Digits, LettersAndDigits, Upper};
        assert_eq!(runs("dQw4w9WgXcQ"), [Run::Of(LettersAndDigits, 16)]);
        assert_eq!(runs("dQw4w9WgXcQ"), runs("a1B2c3D4e5F6g7H8"));
        assert_eq!(
            runs("INV-20–7"),
            [
                Run::Of(Upper, 4),
                Run::Separator('-'),
                Run::Of(Digits, 2),
                Run::Separator('-'),
                Run::Of(Digits, 2)
            ]
        );
        assert_eq!(runs("AB123456"), [Run::Of(Upper, 2), Run::Of(Digits, 8)]);
        assert_eq!(runs("Ward"), [Run::Of(Capital, 4)]);
        assert_eq!(runs("A--7"), runs("B- 9"));
        assert_eq!(runs("🦊 12"), [Run::Of(Digits, 2)]);
    }

    #[test]
    fn a_uuid_is_a_uuid_whatever_its_digits() {
        let uuid = runs("123e4567-e89b-42d3-a456-426614174000");
        assert_eq!(uuid, runs("aaaaaaaa-1111-4222-8333-bbbbbbbbbbb1"));
        assert_eq!(uuid.len(), 9);
        assert_eq!(runs("0a1b2c3d4e5f6a7b"), [Run::Of(Alphabet::Hexadecimal, 16)]);
    }

    #[test]
    fn buckets_double() {
        assert_eq!(
            [1, 2, 3, 4, 5, 8, 9, 16, 17, 32, 33, 999].map(bucketed),
            [2, 2, 4, 4, 8, 8, 16, 16, 32, 32, 64, 64]
        );
        assert_eq!(runs(&"7-".repeat(40)).len(), 2 * MOST_RUNS - 1);
    }
}
