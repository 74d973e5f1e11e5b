//! Forms of keys, tokens and passwords.

use super::runs::{Alphabet, Run};

/// The form of a key or token: runs of characters between separators.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum SecretForm {
    Runs(Vec<Run>),
    /// A PEM key with its first and last line.
    Pem,
}

/// The number of characters after which a key is cut.
const LONGEST: usize = 128;
/// Shorter runs may have only letters up to f by chance.
const SHORTEST_HEXADECIMAL: usize = 8;

const SEPARATORS: [char; 5] = ['-', '_', '.', ':', ' '];

impl SecretForm {
    pub(crate) fn of(text: &str) -> Self {
        if text.contains("-----BEGIN") {
            return SecretForm::Pem;
        }
        let text: String = text.trim().chars().take(LONGEST).collect();
        let mut runs = Vec::new();
        for run in text.split_inclusive(SEPARATORS) {
            let body = run.trim_end_matches(SEPARATORS);
            let length = body.chars().count();
            if length > 0 {
                runs.push(Run::Of(Alphabet::of(body), length));
            }
            runs.extend(run.chars().next_back().filter(|c| SEPARATORS.contains(c)).map(Run::Separator));
        }
        match runs.iter().any(|run| matches!(run, Run::Of(..))) {
            true => SecretForm::Runs(runs),
            false => SecretForm::Runs(vec![Run::Of(Alphabet::LettersAndDigits, 32)]),
        }
    }

    /// Keeps the rough length of each run.
    pub(crate) fn coarse(self) -> Self {
        match self {
            SecretForm::Runs(runs) => SecretForm::Runs(Run::bucket(runs)),
            SecretForm::Pem => SecretForm::Pem,
        }
    }
}

impl Alphabet {
    fn of(run: &str) -> Self {
        let has = |test: fn(&char) -> bool| run.chars().any(|c| test(&c));
        let digits = has(char::is_ascii_digit);
        let (lower, upper) = (has(|c| c.is_lowercase()), has(|c| c.is_uppercase()));
        let hexadecimal = run.len() >= SHORTEST_HEXADECIMAL && run.bytes().all(|b| b.is_ascii_hexdigit());
        if run.chars().any(|c| !c.is_ascii_alphanumeric()) {
            return Alphabet::Base64;
        }
        match (lower, upper, digits) {
            (false, false, _) => Alphabet::Digits,
            (true, false, true) if hexadecimal => Alphabet::Hexadecimal,
            (false, true, true) if hexadecimal => Alphabet::UpperHexadecimal,
            (true, false, false) => Alphabet::Lower,
            (false, true, false) => Alphabet::Upper,
            (true, false, true) => Alphabet::LowerAndDigits,
            (false, true, true) => Alphabet::UpperAndDigits,
            (true, true, _) => Alphabet::LettersAndDigits,
        }
    }
}

/// The length of a password whose length is not kept.
pub(crate) const PASSWORD: usize = 12;

/// Returns the length of a password, limited to usual lengths.
///
/// The positions of letters, digits and signs are not kept, because they help to guess the password.
pub(crate) fn password_length(text: &str) -> usize {
    text.trim().chars().count().clamp(8, 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_between_separators() {
        use Alphabet::{Base64, Digits, Hexadecimal, LettersAndDigits, Lower};
        let form = |text| SecretForm::of(text);
        let runs = |runs: &[Run]| SecretForm::Runs(runs.to_vec());
        assert_eq!(
            form("ab_live_X7a9Q2"),
            runs(&[
                Run::Of(Lower, 2),
                Run::Separator('_'),
                Run::Of(Lower, 4),
                Run::Separator('_'),
                Run::Of(LettersAndDigits, 6)
            ])
        );
        assert_eq!(form("0123456789abcdef"), runs(&[Run::Of(Hexadecimal, 16)]));
        assert_eq!(form("1234"), runs(&[Run::Of(Digits, 4)]));
        assert_eq!(form("aB/9=="), runs(&[Run::Of(Base64, 6)]));
        assert_eq!(form("a🦊b"), form("x+y"));
        assert_eq!(form("a1b2.C3"), form("z9y8.D4"));
        assert_eq!(form(" --- "), form(""));
        assert_eq!(form("-----BEGIN PRIVATE KEY-----"), SecretForm::Pem);
        assert_eq!(form(&"a".repeat(1000)), runs(&[Run::Of(Lower, LONGEST)]));
    }

    #[test]
    fn only_the_length_of_a_password_is_kept() {
        assert_eq!(["", "hunter22!", &"x".repeat(99)].map(password_length), [8, 9, 32]);
    }
}
