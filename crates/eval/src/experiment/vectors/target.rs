//! The effect of a mask on its target and on other words.

use super::corpus::Corpus;
use super::treatment::Target;
use crate::attack::WordFindings;
use crate::metrics::Bootstrap;
use crate::{Error, Mention};

impl Target {
    fn group(&self) -> &str {
        let (Self::Group(group) | Self::Word(group)) = self;
        group
    }

    /// The words of the target.
    fn words(&self, corpus: &Corpus) -> Result<Vec<usize>, Error> {
        let words = match self {
            Self::Group(group) => corpus.of_group(group),
            Self::Word(group) => corpus.most_frequent(group).into_iter().collect(),
        };
        match words.is_empty() {
            true => Err(Error::argument(format!(
                "no word of the group {:?} is frequent enough; lower min-count",
                self.group()
            ))),
            false => Ok(words),
        }
    }

    /// Whether a mention belongs to the target.
    pub(super) fn hides(&self, corpus: &Corpus) -> Result<impl Fn(&Mention) -> bool + use<>, Error> {
        let words = self.words(corpus)?;
        Ok(move |mention: &Mention| mention.word.is_some_and(|word| words.contains(&word)))
    }

    /// The change of leakage relative to clear vectors: of the target, of the rest of its group,
    /// and of other groups.
    pub(super) fn changes(
        &self,
        corpus: &Corpus,
        before: &WordFindings,
        after: &WordFindings,
    ) -> Result<Vec<(&'static str, f64)>, Error> {
        let (target, group) = (self.words(corpus)?, corpus.of_group(self.group()));
        let sides: [(&str, &dyn Fn(usize) -> bool); 3] = [
            ("change-target", &|word| target.contains(&word)),
            ("change-group", &|word| group.contains(&word) && !target.contains(&word)),
            ("change-others", &|word| !group.contains(&word)),
        ];
        Ok(sides.into_iter().filter_map(|(name, side)| Some((name, change(before, after, side)?))).collect())
    }
}

/// The relative change of leakage; none if there is no leakage before.
fn change(before: &WordFindings, after: &WordFindings, chosen: &dyn Fn(usize) -> bool) -> Option<f64> {
    let leakage =
        |findings: &WordFindings| Some(findings.exposure(&Bootstrap::default(), chosen)?.leakage.mean);
    let (before, after) = (leakage(before)?, leakage(after)?);
    (before > 0.0).then(|| after / before - 1.0)
}
