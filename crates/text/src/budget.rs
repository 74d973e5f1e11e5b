//! The budget of each group.

use std::fmt;
use std::str::FromStr;

use inkveil_detect::Tier;
use inkveil_privacy::Epsilon;
use inkveil_settings::UnknownName;

use crate::{AtZero, Consistency, Error, Group, Links};

/// The budget of a unit of each group.
///
/// ```
/// use inkveil_text::{Budgets, Group};
///
/// let budgets = Budgets::from_base(25.0)?; // 2 : 1 : 4 : 3
/// assert_eq!(budgets.of(Group::Needed).get(), 100.0);
/// assert_eq!("50,0,100,inf".parse::<Budgets>()?.of(Group::Neither).get(), f64::INFINITY);
/// # Ok::<(), inkveil_text::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Budgets([Epsilon; 4]);

impl Budgets {
    /// The ratio of the paper. Sensitive words get the smallest budgets, and needed words the
    /// largest.
    pub const RATIO: [f64; 4] = [2.0, 1.0, 4.0, 3.0];

    /// Returns one budget for each group, in the order of their numbers. 0 and ∞ are valid.
    pub fn new(budgets: [Epsilon; 4]) -> Self {
        Self(budgets)
    }

    /// Returns a base budget times 2 : 1 : 4 : 3.
    ///
    /// # Errors
    /// If the base is negative, not a number, or too large to be multiplied.
    pub fn from_base(base: f64) -> Result<Self, Error> {
        let base = Epsilon::new(base)?;
        let [a, b, c, d] = Self::RATIO.map(|factor| base.checked_mul(factor));
        Ok(Self([a?, b?, c?, d?]))
    }

    /// Returns the same budget for all groups: the baseline that STAMP is compared with.
    pub fn uniform(budget: Epsilon) -> Self {
        Self([budget; 4])
    }

    /// Returns whether every budget is infinite. Then nothing changes.
    pub fn keep_all(&self) -> bool {
        self.0.iter().all(|budget| budget.is_infinite())
    }

    /// Returns the budget of each unit of a group.
    pub fn of(&self, group: Group) -> Epsilon {
        self.0[group as usize]
    }
}

impl fmt::Display for Budgets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d] = self.0.map(Epsilon::readable);
        write!(f, "{a}, {b}, {c}, {d}")
    }
}

impl FromStr for Budgets {
    type Err = Error;

    /// Reads four budgets separated by commas. `inf` keeps a group unchanged.
    fn from_str(text: &str) -> Result<Self, Error> {
        let wrong = || Error::setting("write four budgets such as 50,0,100,inf: one for each group");
        let parts: Vec<Epsilon> = text
            .split(',')
            .map(|part| match part.trim() {
                "inf" | "∞" => Ok(Epsilon::INFINITE),
                number => Ok(Epsilon::new(number.parse().map_err(|_| wrong())?)?),
            })
            .collect::<Result<_, Error>>()?;
        Ok(Self(parts.try_into().map_err(|_| wrong())?))
    }
}

/// Settings for a purpose: the budgets, the way to replace, the scope of consistent replacements and
/// the tier of detection. [`TextSettings::of`](crate::TextSettings::of) has all of them.
///
/// The budgets of `strict` are targets of survival: the probability that a word of a group survives
/// unchanged. The curves of the pack give the ε for the lexicon and mechanism in use. The rows of the
/// paper are fixed numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Preset {
    /// One text that a person sends, for example a prompt. What is sensitive becomes a surrogate, with
    /// one identity for each person, and dates and amounts move together. All other words are kept.
    #[default]
    Prompt,
    /// Many texts. Surrogates are the same in all of them, and detection is fast.
    Corpus,
    /// What is sensitive becomes a numbered placeholder. All other words are kept.
    Placeholders,
    /// What is sensitive becomes a placeholder. About every third of the other words changes.
    Strict,
    /// A row of the paper's Table 1, 1 to 5.
    Paper(PaperRow),
}

/// A row of the paper's Table 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PaperRow(u8);

impl PaperRow {
    /// Returns the budgets of the row. They start at {150, 50, 450, 350} and rise in steps of 50.
    pub fn budgets(self) -> Result<Budgets, Error> {
        let step = 50.0 * (f64::from(self.0) - 1.0);
        let [a, b, c, d] = [150.0, 50.0, 450.0, 350.0].map(|first| Epsilon::new(first + step));
        Ok(Budgets([a?, b?, c?, d?]))
    }
}

/// The target of survival of a group.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Goal {
    /// Replaced independently of the original: ε = 0.
    Replaced,
    /// At least this probability.
    AtLeast(f64),
    /// Always kept: ε = ∞.
    Kept,
    /// This budget, whatever its survival.
    Exactly(Epsilon),
}

impl Preset {
    /// All presets.
    pub const ALL: [Preset; 9] = [
        Preset::Prompt,
        Preset::Corpus,
        Preset::Placeholders,
        Preset::Strict,
        Preset::Paper(PaperRow(1)),
        Preset::Paper(PaperRow(2)),
        Preset::Paper(PaperRow(3)),
        Preset::Paper(PaperRow(4)),
        Preset::Paper(PaperRow(5)),
    ];

    /// Returns its name: `prompt`, `corpus`, `placeholders`, `strict`, `paper-1` to `paper-5`.
    pub fn name(self) -> &'static str {
        match self {
            Preset::Prompt => "prompt",
            Preset::Corpus => "corpus",
            Preset::Placeholders => "placeholders",
            Preset::Strict => "strict",
            Preset::Paper(PaperRow(row)) => {
                ["paper-1", "paper-2", "paper-3", "paper-4", "paper-5"][usize::from(row - 1).min(4)]
            }
        }
    }

    /// Returns the way to replace, the scope of consistent replacements, their links, and the tier of
    /// detection.
    pub(crate) fn replacements(self) -> (AtZero, Consistency, Links, Tier) {
        match self {
            Preset::Prompt => (AtZero::Surrogate, Consistency::Document, Links::All, Tier::Accurate),
            Preset::Corpus => (AtZero::Surrogate, Consistency::Job, Links::Names, Tier::Fast),
            Preset::Placeholders => (AtZero::Mask, Consistency::Document, Links::Names, Tier::Accurate),
            Preset::Strict => (AtZero::Mask, Consistency::None, Links::Names, Tier::Accurate),
            Preset::Paper(_) => (AtZero::Mask, Consistency::None, Links::Names, Tier::Fast),
        }
    }

    /// Whether sensitive words are replaced independently of what they are.
    pub(crate) fn replaces_sensitive(self) -> bool {
        self.goals().is_ok_and(|[needed, other, ..]| needed == Goal::Replaced && other == Goal::Replaced)
    }

    /// Returns the target of each group.
    pub(crate) fn goals(self) -> Result<[Goal; 4], Error> {
        use Goal::{AtLeast, Exactly, Kept, Replaced};
        Ok(match self {
            Preset::Prompt | Preset::Corpus | Preset::Placeholders => [Replaced, Replaced, Kept, Kept],
            Preset::Strict => [Replaced, Replaced, AtLeast(0.9), AtLeast(0.65)],
            Preset::Paper(row) => row.budgets()?.0.map(Exactly),
        })
    }
}

impl FromStr for Preset {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        let found = Self::ALL.into_iter().find(|preset| preset.name() == name);
        found.ok_or_else(|| UnknownName::new("preset", name, Self::ALL.iter().map(|preset| preset.name())))
    }
}

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
