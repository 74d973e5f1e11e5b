//! The generator that draws values.

use std::sync::Arc;

use inkveil_detect::Kind;

use crate::dice::Dice;
use crate::lists::{List, Lists};

/// A part of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValuePart {
    /// The text; never empty.
    pub text: String,
    /// The kind of the part; `None` for separators and for values that are not sensitive.
    pub kind: Option<Kind>,
}

impl ValuePart {
    pub(crate) fn of(text: String, kind: Kind) -> Self {
        ValuePart { text, kind: Some(kind) }
    }

    pub(crate) fn plain(text: impl Into<String>) -> Self {
        ValuePart { text: text.into(), kind: None }
    }
}

/// Draws values by placeholder name.
///
/// The same lists and the same random words give the same values.
///
/// ```
/// use std::path::Path;
/// use std::sync::Arc;
///
/// use inkveil_detect::Kind;
/// use inkveil_surrogates::{Generator, Lists};
///
/// let lists = Lists::open(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/lists")))?;
/// let mut counter = 0_u64;
/// let mut generator = Generator::new(Arc::new(lists), move || {
///     counter += 1;
///     counter.wrapping_mul(0x9e37_79b9_7f4a_7c15) // for an example; use a real generator
/// });
/// let parts = generator.value("{email}").unwrap_or_default();
/// assert!(parts[0].text.contains('@'));
/// assert_eq!(parts[0].kind, Some(Kind::Email));
/// assert!(generator.value("{no such thing}").is_none());
/// # Ok::<(), inkveil_surrogates::Error>(())
/// ```
pub struct Generator {
    pub(crate) lists: Arc<Lists>,
    pub(crate) dice: Dice,
}

/// The number of draws after which [`Generator::until`] gives up.
const TRIES: usize = 512;

impl Generator {
    /// Draws from these lists with these random words, which must be uniform over 64 bits.
    pub fn new(lists: Arc<Lists>, words: impl FnMut() -> u64 + Send + 'static) -> Self {
        Generator { lists, dice: Dice::new(words) }
    }

    /// Draws until a value is accepted, which samples from the accepted values without bias. Returns
    /// `None` after many rejected draws.
    pub(crate) fn until(
        &mut self,
        draw: impl Fn(&mut Generator) -> String,
        accept: impl Fn(&str) -> bool,
    ) -> Option<String> {
        (0..TRIES).map(|_| draw(self)).find(|value| accept(value))
    }

    /// Returns one of the entries, all equally likely.
    pub(crate) fn entry(&mut self, list: List) -> String {
        self.dice.pick(self.lists.of(list)).map_or_else(String::new, |entry| entry.text.clone())
    }

    /// Returns one of the entries, more often one near the front, because lists start with common
    /// entries.
    pub(crate) fn common_entry(&mut self, list: List) -> String {
        self.dice.pick_common(self.lists.of(list)).map_or_else(String::new, |entry| entry.text.clone())
    }
}
