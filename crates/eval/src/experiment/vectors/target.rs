//! What a mask is for, where it is not for all that is sensitive.

use super::corpus::Corpus;
use crate::attack::Findings;
use crate::metrics::Bootstrap;
use crate::{Error, Mention};

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Target {
    /// All words of a group.
    Group(String),
    /// The commonest word of a group.
    Word(String),
}

impl Target {
    pub(super) fn name(&self) -> String {
        match self {
            Self::Group(group) => group.clone(),
            Self::Word(group) => format!("one of {group}"),
        }
    }

    fn group(&self) -> &str {
        let (Self::Group(group) | Self::Word(group)) = self;
        group
    }

    /// The words that it is for.
    fn words(&self, corpus: &Corpus) -> Result<Vec<usize>, Error> {
        let words = match self {
            Self::Group(group) => corpus.of_group(group),
            Self::Word(group) => corpus.commonest(group).into_iter().collect(),
        };
        match words.is_empty() {
            true => Err(Error::argument(format!(
                "no word of the group {:?} is frequent enough; lower min-count",
                self.group()
            ))),
            false => Ok(words),
        }
    }

    /// Whether a mention is what the mask hides.
    pub(super) fn hides(&self, corpus: &Corpus) -> Result<impl Fn(&Mention) -> bool + use<>, Error> {
        let words = self.words(corpus)?;
        Ok(move |mention: &Mention| mention.word.is_some_and(|word| words.contains(&word)))
    }

    /// How much less is read of the word or group itself, of the rest of its group, and of other groups, as shares of what is read from clear
    /// vectors.
    pub(super) fn changes(
        &self,
        corpus: &Corpus,
        before: &Findings,
        after: &Findings,
    ) -> Result<Vec<(&'static str, f64)>, Error> {
        let (aimed, group) = (self.words(corpus)?, corpus.of_group(self.group()));
        let sides: [(&str, &dyn Fn(usize) -> bool); 3] = [
            ("change-target", &|word| aimed.contains(&word)),
            ("change-group", &|word| group.contains(&word) && !aimed.contains(&word)),
            ("change-others", &|word| !group.contains(&word)),
        ];
        Ok(sides.into_iter().filter_map(|(name, side)| Some((name, change(before, after, side)?))).collect())
    }
}

/// None if nothing is read before.
fn change(before: &Findings, after: &Findings, chosen: &dyn Fn(usize) -> bool) -> Option<f64> {
    let leakage = |findings: &Findings| Some(findings.exposure(&Bootstrap::default(), chosen)?.leakage.mean);
    let (before, after) = (leakage(before)?, leakage(after)?);
    (before > 0.0).then(|| after / before - 1.0)
}
