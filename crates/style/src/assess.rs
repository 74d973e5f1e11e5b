//! The assessment of a text's style: its risk and habits, or why they cannot be measured.

use serde_json::{Value, json};

use crate::features::{Habit, Profile, habits, sentence};
use crate::language::{English, Language, Script, language};
use crate::{Error, Link, MemoryGeometry, Risk, SameAuthor, StyleEncoder};

/// With fewer words a text is not assessed.
const LEAST_WORDS: usize = 10;
/// With fewer words chance has as much effect as habit.
const FEW_WORDS: usize = 60;

/// The assessment of a text's style.
pub enum StyleAssessment {
    /// The style was measured.
    Measured(Box<MeasuredStyle>),
    /// The text has too few words; this is their number.
    TooShort(usize),
    /// The text is not English.
    NotEnglish(Language),
}

/// The measured style of a text.
pub struct MeasuredStyle {
    /// The number of words.
    pub words: usize,
    /// The risk.
    pub risk: Risk,
    /// The habits by which it stands out, strongest first.
    pub habits: Vec<Habit>,
    /// How well it can be linked to earlier texts, if there are any.
    pub link: Option<Link>,
    /// The style vector.
    pub vector: Vec<f32>,
}

/// Assesses texts against a memory.
#[derive(Clone, Copy)]
pub struct StyleAssessor<'a> {
    /// The encoder of the memory.
    pub encoder: &'a StyleEncoder,
    /// The geometry of the memory.
    pub geometry: &'a MemoryGeometry<'a>,
    /// The vectors of earlier texts by the same author.
    pub earlier: &'a [Vec<f32>],
    /// The largest number of habits.
    pub habits: usize,
}

impl StyleAssessor<'_> {
    /// Assesses texts, in order. `progress` receives the number of texts that are encoded and returns whether to
    /// continue. Only texts that can be measured are encoded.
    ///
    /// # Errors
    /// If the encoder fails, or `progress` returned false.
    pub fn assess(
        &self,
        texts: &[&str],
        progress: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Vec<StyleAssessment>, Error> {
        let refused: Vec<Option<StyleAssessment>> = texts.iter().map(|text| refusal(text)).collect();
        let measured = texts.iter().zip(&refused).filter(|(_, refused)| refused.is_none());
        let measured: Vec<&str> = measured.map(|(text, _)| *text).collect();
        let mut vectors = self.encoder.encode_with(&measured, progress)?.into_iter();
        let assessed = texts.iter().zip(refused).map(|(text, refused)| match refused {
            Some(refused) => Ok(refused),
            None => self.measure(text, vectors.next().unwrap_or_default()),
        });
        assessed.collect()
    }

    fn measure(&self, text: &str, vector: Vec<f32>) -> Result<StyleAssessment, Error> {
        let same: Option<&SameAuthor> = self.encoder.card().map(|card| &card.same_author);
        let profile = Profile::of(text);
        let population = self.geometry.memory().population();
        let habits = population.map_or(Vec::new(), |all| habits(text, &profile, all, self.habits));
        let link = match self.earlier {
            [] => None,
            earlier => Some(Link::of(self.geometry, &vector, earlier, same)?),
        };
        let risk = Risk::of(self.geometry, &vector, same)?;
        let words = profile.words();
        Ok(StyleAssessment::Measured(Box::new(MeasuredStyle { words, risk, habits, link, vector })))
    }
}

/// Returns why a text cannot be measured, before anything is computed.
fn refusal(text: &str) -> Option<StyleAssessment> {
    let words = Profile::of(text).words();
    let language = language(text);
    match language.english {
        English::No if language.script != Script::Latin || words >= LEAST_WORDS => {
            Some(StyleAssessment::NotEnglish(language))
        }
        _ if words < LEAST_WORDS => Some(StyleAssessment::TooShort(words)),
        _ => None,
    }
}

impl StyleAssessment {
    /// Returns a stable name for programs: `outlier`, `inlier`, `too-short` or `not-english`.
    pub fn status(&self) -> &'static str {
        match self {
            Self::Measured(measured) if measured.risk.outlier => "outlier",
            Self::Measured(_) => "inlier",
            Self::TooShort(_) => "too-short",
            Self::NotEnglish(_) => "not-english",
        }
    }

    /// Returns the assessment as JSON. **Private**: it quotes the text, which must be the one that was assessed.
    pub fn to_json(&self, text: &str) -> Value {
        let mut value = json!({ "status": self.status() });
        let more = match self {
            Self::Measured(measured) => measured.to_json(text),
            Self::TooShort(words) => json!({ "words": words }),
            Self::NotEnglish(language) => json!({ "script": language.script.to_string() }),
        };
        if let (Value::Object(value), Value::Object(more)) = (&mut value, more) {
            value.extend(more);
        }
        value
    }

    /// Returns the assessment in words. **Private**: it quotes the text, which must be the one that was assessed.
    pub fn in_words(&self, text: &str) -> String {
        match self {
            Self::Measured(measured) => measured.in_words(text),
            Self::TooShort(words) => format!(
                "Too short to assess: {words} {}. Style can be recognised from about {FEW_WORDS} words on.\n",
                if *words == 1 { "word" } else { "words" }
            ),
            Self::NotEnglish(language) if language.script == Script::Latin => {
                "This does not look like English. The encoder and its memory know only English, so nothing was measured.\n".into()
            }
            Self::NotEnglish(language) => format!(
                "This is written in another script ({}). The encoder and its memory know only English, so nothing was measured.\n",
                language.script
            ),
        }
    }
}

impl MeasuredStyle {
    /// Returns a caution if the text is short.
    pub fn caution(&self) -> Option<String> {
        (self.words < FEW_WORDS).then(|| {
            format!(
                "The text has only {} words, so chance has as much effect as habit. Use a longer text.",
                self.words
            )
        })
    }

    /// Returns the verdict in one or two words.
    pub fn verdict(&self) -> &'static str {
        match (self.risk.outlier, self.risk.percentile) {
            (true, _) => "stands out",
            (_, percentile) if percentile >= 80.0 => "unusual",
            (_, percentile) if percentile >= 40.0 => "ordinary",
            _ => "very common",
        }
    }

    /// Returns the measures as lines for people, each with a name.
    pub fn lines(&self) -> Vec<(&'static str, String)> {
        let risk = &self.risk;
        let mut lines = vec![
            ("risk", format!("{:.2} of 1: {}", risk.score, self.verdict())),
            (
                "unusual",
                format!(
                    "more unusual than {:.0} % of the {} texts in the memory",
                    risk.percentile, risk.seen
                ),
            ),
            ("alike", format!("this encoder takes {} writers for you", risk.one_in())),
            (
                "outlier",
                format!(
                    "{} (mean distance {:.3}; outliers lie above {:.3})",
                    if risk.outlier { "yes" } else { "no" },
                    risk.mean_distance,
                    risk.tau
                ),
            ),
        ];
        if let Some(link) = &self.link {
            let likely = match (link.probability, link.among_hundred) {
                (Some(even), Some(hundred)) => format!(
                    "{:.0} % likely yours if there is one other suspect, {:.0} % if there are 99 others; ",
                    100.0 * even,
                    100.0 * hundred
                ),
                _ => String::new(),
            };
            let nearer = 100.0 * link.nearer;
            lines.push((
                "linked",
                format!("{likely}{nearer:.0} % of other texts are nearer to your earlier ones"),
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
            out.push_str("\nHabits that identify it:\n");
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

/// Returns the place in the text that shows a habit, on one line. **Private**: it quotes the text.
pub fn quote(text: &str, habit: &Habit) -> Option<String> {
    let found = text.get(habit.example.clone()?)?;
    let shown = found.chars().map(|c| match c {
        '\n' => '⏎',
        c if c.is_control() => '\u{fffd}',
        c => c,
    });
    Some(shown.collect())
}
