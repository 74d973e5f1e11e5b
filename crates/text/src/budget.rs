//! How much each group may give away.

use std::fmt;
use std::str::FromStr;

use inkveil_privacy::Epsilon;
use inkveil_settings::UnknownName;

use crate::{Error, Group};

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
    /// The ratio of the paper: sensitive words get least, words that the task needs get most.
    pub const RATIO: [f64; 4] = [2.0, 1.0, 4.0, 3.0];

    /// One budget for each group, in the order of their numbers; 0 and ∞ are budgets like others.
    pub fn new(budgets: [Epsilon; 4]) -> Self {
        Self(budgets)
    }

    /// A base budget times 2 : 1 : 4 : 3.
    ///
    /// # Errors
    /// If the base is negative, not a number, or too large to be multiplied.
    pub fn from_base(base: f64) -> Result<Self, Error> {
        let base = Epsilon::new(base)?;
        let [a, b, c, d] = Self::RATIO.map(|factor| base.checked_mul(factor));
        Ok(Self([a?, b?, c?, d?]))
    }

    /// The same budget for all: the baseline that STAMP is compared with.
    pub fn uniform(budget: Epsilon) -> Self {
        Self([budget; 4])
    }

    /// Whether every budget is infinite: then nothing changes.
    pub fn keep_all(&self) -> bool {
        self.0.iter().all(|budget| budget.is_infinite())
    }

    /// The budget of each unit of a group.
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

    /// Four budgets with commas between them; `inf` keeps a group as it is.
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

/// Budgets with a name.
///
/// The three for every day are shares of survival: they name how often a word of a group may come out as it was, and the curves of the
/// pack say which ε that is for the lexicon and mechanism at hand. The rows of the paper are plain numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Preset {
    /// Nothing sensitive comes through; every third of the other words changes.
    Strict,
    /// What is sensitive is replaced, or noised if the task needs it; other words rarely change.
    #[default]
    Balanced,
    /// Sensitive words are noised; all others stay.
    Light,
    /// A row of the paper's Table 1, 1 to 5.
    Paper(PaperRow),
}

/// A row of the paper's Table 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PaperRow(u8);

impl PaperRow {
    /// The budgets of the row: from {150, 50, 450, 350} up in steps of 50.
    pub fn budgets(self) -> Result<Budgets, Error> {
        let step = 50.0 * (f64::from(self.0) - 1.0);
        let [a, b, c, d] = [150.0, 50.0, 450.0, 350.0].map(|first| Epsilon::new(first + step));
        Ok(Budgets([a?, b?, c?, d?]))
    }
}

/// How often a word of a group may come out as it was.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Goal {
    /// Replaced without looking at it: ε = 0.
    Replaced,
    /// At most this often.
    AtMost(f64),
    /// At least this often.
    AtLeast(f64),
    /// Always: ε = ∞.
    Kept,
    /// This budget, however often that may be.
    Exactly(Epsilon),
}

impl Preset {
    /// All presets.
    pub const ALL: [Preset; 8] = [
        Preset::Strict,
        Preset::Balanced,
        Preset::Light,
        Preset::Paper(PaperRow(1)),
        Preset::Paper(PaperRow(2)),
        Preset::Paper(PaperRow(3)),
        Preset::Paper(PaperRow(4)),
        Preset::Paper(PaperRow(5)),
    ];

    /// Its name: `strict`, `balanced`, `light`, `paper-1` to `paper-5`.
    pub fn name(self) -> &'static str {
        match self {
            Preset::Strict => "strict",
            Preset::Balanced => "balanced",
            Preset::Light => "light",
            Preset::Paper(PaperRow(row)) => {
                ["paper-1", "paper-2", "paper-3", "paper-4", "paper-5"][usize::from(row - 1).min(4)]
            }
        }
    }

    /// What the preset asks of each group.
    pub(crate) fn goals(self) -> Result<[Goal; 4], Error> {
        use Goal::{AtLeast, AtMost, Exactly, Kept, Replaced};
        Ok(match self {
            Preset::Strict => [Replaced, Replaced, AtLeast(0.9), AtLeast(0.65)],
            Preset::Balanced => [AtMost(0.1), Replaced, AtLeast(0.99), AtLeast(0.9)],
            Preset::Light => [AtMost(0.5), AtMost(0.1), Kept, Kept],
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
