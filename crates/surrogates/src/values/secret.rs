//! Passwords, keys and tokens.

use crate::generator::Generator;
use crate::letters::{capitalised, plain};
use crate::lists::List;
use crate::shape::{Alphabet, Run, SecretForm};

const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const WITH_SIGNS: &[u8] = b"ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789!@#$%^&*_-+=?";
const URL_SAFE: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";

impl Generator {
    pub(crate) fn password(&mut self) -> String {
        let word = plain(&self.entry(List::CompanyWords));
        let other = plain(&self.entry(List::Streets));
        let name = self.person().given.replace(' ', "");
        let number = self.dice.fill_one(&["%", "%#", "%##", "19%#", "20##", "123", "1234", "007"]);
        let sign = self.dice.one_of(&["!", "@", "#", "$", "*", "?", "!!", "_", ".", "&"]);
        let length = self.dice.between(8, 20) as usize;
        match self.dice.below(20) {
            0..5 => self.dice.string_of(WITH_SIGNS, length),
            5..8 => self.dice.string_of(LETTERS, length),
            8 => format!("{name}{number}{sign}"),
            9 => format!("{name}{sign}{number}"),
            10 => format!("{word}{number}"),
            11 => format!("{}{}{number}{sign}", capitalised(&word), capitalised(&other)),
            12 => format!("{word}-{other}-{}-{number}", plain(&self.entry(List::CompanyFields))),
            13 => format!("{}{sign}{other}", word.replace('a', "@").replace('o', "0").replace('e', "3")),
            14 => {
                self.dice
                    .one_of(&[
                        "hunter", "letmein", "qwerty", "dragon", "welcome", "iloveyou", "sunshine", "admin",
                    ])
                    .to_owned()
                    + &number
            }
            15 => format!("P{}ssw0rd{number}{sign}", self.dice.one_of(&["a", "@", "4"])),
            16 => format!("{word} {other} {}", plain(&self.entry(List::JobAreas))),
            17 => self.dice.fill("&&&&&&-&&&&&&-&&&&&#"),
            18 => self.dice.fill("#########"),
            _ => format!("{}_{number}", self.username()),
        }
    }

    /// Draws a password of random characters.
    pub(crate) fn password_of(&mut self, length: usize) -> String {
        self.dice.string_of(WITH_SIGNS, length)
    }

    /// Draws a code of these runs.
    pub(crate) fn runs_like(&mut self, runs: &[Run]) -> String {
        let run = |run: &Run| match run {
            Run::Of(Alphabet::Capital, length) => {
                capitalised(&self.dice.string_of(Alphabet::Lower.letters(), *length))
            }
            Run::Of(alphabet, length) => self.dice.string_of(alphabet.letters(), *length),
            Run::Separator(separator) => separator.to_string(),
        };
        runs.iter().map(run).collect()
    }

    /// Draws a key with the same runs of characters.
    pub(crate) fn secret_like(&mut self, form: &SecretForm) -> String {
        match form {
            SecretForm::Runs(runs) => self.runs_like(runs),
            SecretForm::Pem => {
                let lines: Vec<String> = (0..4).map(|_| self.dice.string_of(LETTERS, 64)).collect();
                // Joined at run time for the same reason as the prefixes below.
                let label = ["PRIVATE", "KEY"].join(" ");
                format!("-----BEGIN {label}-----\n{}\n-----END {label}-----", lines.join("\n"))
            }
        }
    }

    pub(crate) fn api_key(&mut self) -> String {
        let mut draw = |alphabet: &[u8], length| self.dice.string_of(alphabet, length);
        let (long, code) = (draw(LETTERS, 48), draw(b"0123456789abcdef", 64));
        let (head, body, tail) = (draw(URL_SAFE, 36), draw(URL_SAFE, 64), draw(URL_SAFE, 43));
        let upper = draw(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16);
        // Prefixes are joined at run time, so that secret scanners do not report this file.
        let joined = |parts: &[&str]| parts.concat();
        match self.dice.below(16) {
            0 => joined(&["sk", "-", &long]),
            1 => joined(&["sk", "-proj-", &body]),
            2 => joined(&["sk", "_live_", &long[..24]]),
            3 => joined(&["pk", "_test_", &long[..24]]),
            4 => joined(&["gh", "p_", &long[..36]]),
            5 => joined(&["github", "_pat_", &long[..22], "_", &body[..59]]),
            6 => joined(&["AK", "IA", &upper]),
            7 => joined(&["AI", "za", &body[..35]]),
            8 => joined(&["xox", "b-", &self.dice.fill("############-############-"), &long[..24]]),
            9 => joined(&["gl", "pat-", &body[..20]]),
            10 => joined(&["hf", "_", &long[..34]]),
            11 => joined(&["ey", "J", &head, ".ey", "J", &body, ".", &tail]),
            12 => code[..32].to_owned(),
            13 => code,
            14 => joined(&["SG", ".", &body[..22], ".", &tail]),
            _ => long[..40].to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::SecretForm;
    use crate::testing::generator;

    #[test]
    fn keys_and_passwords_have_a_minimum_length() {
        let mut generator = generator(1);
        for _ in 0..300 {
            assert!(generator.api_key().len() >= 20);
            assert!(generator.password().chars().count() >= 4);
        }
    }

    #[test]
    fn surrogates_have_the_same_runs() {
        let mut generator = generator(2);
        for text in
            ["ab_live_X7a9Q2mZx9TbW4cY", "eyJhbGciOiJI.eyJzdWIiOiIx.SflKxwRJSMeKKF", "0123456789abcdef"]
        {
            let SecretForm::Runs(runs) = SecretForm::of(text) else { unreachable!() };
            let key = generator.secret_like(&SecretForm::Runs(runs.clone()));
            assert_eq!(key.len(), text.len());
            let separators =
                |text: &str| text.chars().map(|c| if c.is_alphanumeric() { 'x' } else { c }).collect();
            let (drawn, given): (String, String) = (separators(&key), separators(text));
            assert_eq!(drawn, given);
        }
        assert!(generator.secret_like(&SecretForm::Pem).ends_with("-----"));
        assert_eq!(generator.password_of(12).len(), 12);
    }
}
