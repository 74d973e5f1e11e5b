//! What is said about a text: numbers where they mean something, and otherwise why not.

use inkveil_style::features::{Habit, Profile, habits, sentence};
use inkveil_style::language::{English, Language, Script, language};
use inkveil_style::{Link, MemoryGeometry, Risk, SameAuthor};
use serde_json::{Value, json};

use super::inputs::Input;

/// Fewer words show nothing.
const LEAST_WORDS: usize = 10;
/// With fewer, chance shows as much as habit.
const FEW_WORDS: usize = 60;

/// What can be said about a text.
pub(super) enum Answer {
    Measured(Box<Measured>),
    /// It has so few words.
    TooShort(usize),
    NotEnglish(Language),
}

pub(super) struct Measured {
    pub(super) words: usize,
    pub(super) risk: Risk,
    pub(super) habits: Vec<Habit>,
    pub(super) link: Option<Link>,
    pub(super) vector: Vec<f32>,
}

/// Why a text is not measured, if it is not: told before anything is computed.
pub(super) fn refusal(input: &Input) -> Option<Answer> {
    let words = Profile::of(&input.text).words();
    let language = language(&input.text);
    match language.english {
        English::No if language.script != Script::Latin || words >= LEAST_WORDS => {
            Some(Answer::NotEnglish(language))
        }
        _ if words < LEAST_WORDS => Some(Answer::TooShort(words)),
        _ => None,
    }
}

/// What a text is compared with.
pub(super) struct Scale<'a> {
    pub(super) geometry: &'a MemoryGeometry<'a>,
    pub(super) same: Option<&'a SameAuthor>,
    pub(super) earlier: &'a [Vec<f32>],
    pub(super) habits: usize,
}

impl Scale<'_> {
    pub(super) fn measure(&self, input: &Input, vector: Vec<f32>) -> anyhow::Result<Answer> {
        let profile = Profile::of(&input.text);
        let population = self.geometry.memory().population();
        let habits = population.map_or(Vec::new(), |all| habits(&input.text, &profile, all, self.habits));
        let link = match self.earlier {
            [] => None,
            earlier => Some(Link::of(self.geometry, &vector, earlier, self.same)?),
        };
        let risk = Risk::of(self.geometry, &vector, self.same)?;
        Ok(Answer::Measured(Box::new(Measured { words: profile.words(), risk, habits, link, vector })))
    }
}

impl Answer {
    /// A word for tables and programs.
    pub(super) fn status(&self) -> &'static str {
        match self {
            Self::Measured(measured) if measured.risk.outlier => "outlier",
            Self::Measured(_) => "inlier",
            Self::TooShort(_) => "too-short",
            Self::NotEnglish(_) => "not-english",
        }
    }

    pub(super) fn to_json(&self, input: &Input) -> Value {
        let mut value = json!({ "file": input.name, "status": self.status() });
        let more = match self {
            Self::Measured(measured) => measured.to_json(&input.text),
            Self::TooShort(words) => json!({ "words": words }),
            Self::NotEnglish(language) => json!({ "script": language.script.to_string() }),
        };
        if let (Value::Object(value), Value::Object(more)) = (&mut value, more) {
            value.extend(more);
        }
        value
    }

    /// The answer for a person.
    pub(super) fn in_words(&self, text: &str) -> String {
        match self {
            Self::Measured(measured) => measured.in_words(text),
            Self::TooShort(words) => format!(
                "Too short to tell: {words} {}. Style shows from about {FEW_WORDS} words on.\n",
                if *words == 1 { "word" } else { "words" }
            ),
            Self::NotEnglish(language) if language.script == Script::Latin => {
                "This does not look like English, and English is all that this encoder and its memory know. Nothing was measured.\n".into()
            }
            Self::NotEnglish(language) => format!(
                "This is written in another script ({}), and English is all that this encoder and its memory know. Nothing was measured.\n",
                language.script
            ),
        }
    }
}

impl Measured {
    /// A caution, if the text is short.
    pub(super) fn caution(&self) -> Option<String> {
        (self.words < FEW_WORDS).then(|| {
            format!("Only {} words: chance shows here as much as habit. Ask again with more.", self.words)
        })
    }

    /// The verdict in one line.
    pub(super) fn verdict(&self) -> &'static str {
        match (self.risk.outlier, self.risk.percentile) {
            (true, _) => "stands out",
            (_, percentile) if percentile >= 80.0 => "unusual",
            (_, percentile) if percentile >= 40.0 => "ordinary",
            _ => "very common",
        }
    }

    pub(super) fn lines(&self) -> Vec<(&'static str, String)> {
        let risk = &self.risk;
        let mut lines = vec![
            ("risk", format!("{:.2} of 1: {}", risk.score, self.verdict())),
            (
                "unusual",
                format!("more than {:.0} % of the {} texts in the memory", risk.percentile, risk.seen),
            ),
            ("alike", format!("{} writers could pass for you, by this encoder", risk.one_in())),
            (
                "outlier",
                format!(
                    "{} (mean distance {:.3}, outliers lie beyond {:.3})",
                    if risk.outlier { "yes" } else { "no" },
                    risk.mean_distance,
                    risk.tau
                ),
            ),
        ];
        if let Some(link) = &self.link {
            let likely = match (link.probability, link.among_hundred) {
                (Some(even), Some(hundred)) => format!(
                    "{:.0} % likely yours if it is that or a stranger's, {:.0} % if you are one of a hundred suspects; ",
                    100.0 * even,
                    100.0 * hundred
                ),
                _ => String::new(),
            };
            lines.push((
                "linked",
                format!(
                    "{likely}{:.0} % of other texts are nearer to your earlier ones",
                    100.0 * link.nearer
                ),
            ));
        }
        lines
    }

    fn in_words(&self, text: &str) -> String {
        let mut out = String::new();
        for (name, line) in self.lines() {
            out.push_str(&format!("{name:<9} {line}\n"));
        }
        if let Some(caution) = self.caution() {
            out.push_str(&format!("{:<9} {caution}\n", "caution"));
        }
        if !self.habits.is_empty() {
            out.push_str("\nWhat gives it away:\n");
        }
        for habit in &self.habits {
            out.push_str(&format!("  {}\n", sentence(habit)));
            if let Some(example) = quote(text, habit) {
                out.push_str(&format!("      “{example}”\n"));
            }
        }
        out
    }

    fn to_json(&self, text: &str) -> Value {
        let habit = |habit: &Habit| {
            json!({
                "name": habit.feature().name,
                "value": habit.value,
                "percentile": habit.percentile,
                "sentence": sentence(habit),
                "example": quote(text, habit),
            })
        };
        json!({
            "words": self.words,
            "score": self.risk.score,
            "percentile": self.risk.percentile,
            "outlier": self.risk.outlier,
            "mean_distance": self.risk.mean_distance,
            "tau": self.risk.tau,
            "surprise": self.risk.surprise,
            "alike": self.risk.alike,
            "one_in": self.risk.one_in().to_string(),
            "link": self.link,
            "caution": self.caution(),
            "habits": self.habits.iter().map(habit).collect::<Vec<_>>(),
        })
    }
}

/// The place in the text that shows a habit, on one line.
pub(super) fn quote(text: &str, habit: &Habit) -> Option<String> {
    let found = text.get(habit.example.clone()?)?;
    let shown = found.chars().map(|c| match c {
        '\n' => '⏎',
        c if c.is_control() => '\u{fffd}',
        c => c,
    });
    Some(shown.collect())
}
