//! Ages of people.

use crate::kind::Kind;
use crate::rules::letters::digits;
use crate::rules::rule::{Edges, Rule, Verdict};
use inkveil_notation::NUMBER_WORDS;

const UNIT: &str = r"(?i:years?|yrs?\.?|months?|weeks?|days?)";

pub(super) fn rules() -> Vec<Rule> {
    let [ones, teens, tens] =
        [&NUMBER_WORDS[..9], &NUMBER_WORDS[9..19], &NUMBER_WORDS[19..]].map(|words| words.join("|"));
    vec![
        Rule::new("age", Kind::Age, "An age in years, months, weeks or days.", 0.85)
            .shape(format!(r"[0-9]{{1,3}}[ -]{UNIT}[ -](?i:old|of age)"))
            .shape(r"[0-9]{1,3}[ -]?(?i:y/o|yo|y\.o\.?)")
            .shape(r"[0-9]{1,3} (?i:Jahre alt|años de edad|anni di età|anos de idade|jaar oud)")
            .shape_at(
                NUMBER_WORDS,
                format!(
                    r"(?i:(?:(?:{tens})(?:[ -](?:{ones}))?|{teens}|{ones}))[ -]{UNIT}[ -](?i:old|of age)"
                ),
            )
            .checked("plausible age", lived, 0.9)
            .edges(Edges::Word),
        Rule::new("age-labelled", Kind::Age, "An age after a word such as aged.", 0.85)
            .led(
                &["age", "aged", "turned", "turning", "alter", "edad", "âge", "età", "idade", "leeftijd"],
                r#"(?i)(?:\s+(?:of|is|was|at))?["']?\s*[:=]?\s*["']?([0-9]{1,3})"#,
            )
            .checked("plausible age", lived, 0.88)
            .edges(Edges::Strict),
        Rule::new("age-decade", Kind::Age, "An age as a decade, such as 40s.", 0.75)
            .led(
                &["her", "his", "their", "my", "mid", "late", "early"],
                r"(?i)(?:[ -](?:mid|late|early))?[ -]([2-9]0s)",
            )
            .edges(Edges::Word),
        Rule::new("age-of-someone", Kind::Age, "An age after a name, between commas.", 0.0)
            .shape("[0-9]{2}")
            .only_near(
                ["year-old", "years old", "patient", "male", "female", "man", "woman", "boy", "girl"],
                0.55,
            )
            .within(12)
            .filtered(lived)
            .edges(Edges::Strict),
    ]
}

fn lived(text: &str) -> Verdict {
    match digits(text).fold(0u32, |number, digit| number.saturating_mul(10).saturating_add(digit)) {
        0..=125 => Verdict::Valid,
        // Ages of babies are in days and weeks.
        126..=730 if text.contains("day") || text.contains("week") => Verdict::Unsure,
        _ => Verdict::Invalid,
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{finds, ignores};

    #[test]
    fn age() {
        finds(
            "age",
            &[
                "she is [[47 years old]].",
                "a [[47-year-old]] man",
                "[[47 y/o]] woman",
                "a [[3-month-old]] baby",
                "[[forty-seven years old]]",
                "[[62 years of age]]",
                "pt [[47yo]] male",
                "a [[Nine-Year-Old]] girl",
            ],
        );
        ignores(
            "age",
            &["47 years", "200 years old", "3 months ago", "47 old", "years old", "yo 47", "a 12-year plan"],
        );
    }

    #[test]
    fn labelled() {
        finds(
            "age-labelled",
            &["aged [[47]]", "Age: [[47]]", "at the age of [[9]],", "\"age\": [[31]]", "she turned [[30]]"],
        );
        ignores("age-labelled", &["age 1990", "ages 3", "page 47", "age group", "aged 47.5", "aged 3-5"]);
        finds(
            "age-decade",
            &[
                "in her [[40s]]",
                "in his late [[60s]].",
                "mid-[[30s]]",
                "in their early [[20s]]",
                "my [[50s]]",
            ],
        );
        ignores("age-decade", &["the 80s", "her 4os", "his 1980s", "in her 45s", "late 2020s"]);
        finds(
            "age-of-someone",
            &[
                "patient, [[47]], male",
                "a woman, [[35]]",
                "man ([[52]])",
                "female [[61]]",
                "the boy, [[12]],",
            ],
        );
        ignores(
            "age-of-someone",
            &["47", "a man of 1947", "woman 3", "a woman in a room with 47", "man 47-50"],
        );
    }
}
