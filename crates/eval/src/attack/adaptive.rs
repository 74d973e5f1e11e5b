//! An attacker who knows some of the released texts.

use inkveil_nn::SplitMix;

use super::author::{AuthorAttack, AuthorAttacker, AuthorGuesses, AuthorSettings};
use super::views::Views;
use crate::Error;

/// An attacker who knows originals of each author and the authors of half of the released texts:
/// the adaptive attacker of STAMP-R (Appendix A).
///
/// It trains on both and attacks the other half; then the halves are swapped. So every released
/// text is attacked once, and never by an attacker who has seen it.
///
/// ```
/// use inkveil_eval::attack::{AdaptiveAttack, AuthorAttacker, Views};
///
/// // The style of two authors in originals and in released texts: rewriting has swapped the signs.
/// let style = |sign: f32| (1, [0.9, 1.1, 1.0, -1.0, -0.9, -1.1].map(|x| sign * x).to_vec());
/// let sentence = (1, vec![0.0; 6]);
/// let known = Views::new(vec!["a text"; 6], style(1.0), sentence.clone())?;
/// let released = Views::new(vec!["a text"; 6], style(-5.0), sentence)?;
/// let authors = ["ann", "ann", "ann", "bob", "bob", "bob"];
/// let guesses = AdaptiveAttack { seed: 1 }.identify(AuthorAttacker::StyleLogistic, (&known, &authors), (&released, &authors))?;
/// assert_eq!(guesses.all().len(), 6);
/// # Ok::<(), inkveil_eval::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AdaptiveAttack {
    /// Determines the halves.
    pub seed: u64,
}

impl AdaptiveAttack {
    /// Returns the guesses for the released texts, in order. Both arguments are texts with their
    /// authors.
    ///
    /// # Errors
    /// If the numbers of texts and authors differ, there are fewer than two released texts, an
    /// author has no originals, or as [`AuthorAttack::train`].
    pub fn identify<L: Ord + Clone>(
        &self,
        attacker: AuthorAttacker,
        known: (&Views<'_>, &[L]),
        released: (&Views<'_>, &[L]),
    ) -> Result<AuthorGuesses, Error> {
        let ((known, known_authors), (released, authors)) = (known, released);
        if released.len() != authors.len() || released.len() < 2 {
            return Err(Error::argument(format!(
                "{} released texts have {} authors; each of two or more texts needs one",
                released.len(),
                authors.len()
            )));
        }
        // Then both halves number the authors in the same way.
        if authors.iter().any(|author| !known_authors.contains(author)) {
            return Err(Error::argument("an author of a released text has no originals; leave the text out"));
        }
        let of = |texts: &[usize]| -> Vec<L> { texts.iter().map(|&text| authors[text].clone()).collect() };
        let (first, second) = self.halves(released.len());
        let mut guesses = vec![None; released.len()];
        for (seen, tested) in [(&first, &second), (&second, &first)] {
            let training = known.followed_by(&released.chosen(seen))?;
            let training_authors = [known_authors, &of(seen)].concat();
            let attack = AuthorAttack::train(
                &AuthorSettings::of(attacker),
                &training.evidence(attacker),
                &training_authors,
            )?;
            let found = attack.identify(&released.chosen(tested).evidence(attacker), &of(tested))?;
            for (&text, &guess) in tested.iter().zip(found.all()) {
                guesses[text] = Some(guess);
            }
        }
        Ok(guesses.into_iter().flatten().collect())
    }

    fn halves(self, count: usize) -> (Vec<usize>, Vec<usize>) {
        let mut first: Vec<usize> = (0..count).collect();
        SplitMix::named(self.seed, "adaptive", &[]).shuffle(&mut first);
        let second = first.split_off(count / 2);
        (first, second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNT: usize = 40;

    /// Style vectors of two authors by a text's author (1 or −1) and its number.
    fn views(style: impl Fn(f32, usize) -> [f32; 2]) -> (Views<'static>, Vec<usize>) {
        let authors: Vec<usize> = (0..COUNT).map(|i| i % 2).collect();
        let side = |author: usize| if author == 0 { 1.0 } else { -1.0 };
        let style = authors.iter().enumerate().flat_map(|(i, &author)| style(side(author), i)).collect();
        (Views::new(vec!["x"; COUNT], (2, style), (1, vec![0.0; COUNT])).unwrap(), authors)
    }

    /// The first number identifies the author, the second does not.
    fn originals() -> (Views<'static>, Vec<usize>) {
        views(|side, i| [side, if i % 4 < 2 { 1.0 } else { -1.0 }])
    }

    #[test]
    fn the_attacker_trains_on_released_texts() {
        let (known, authors) = originals();
        // The sign of the first number is swapped, so originals mislead. The second number
        // identifies the author.
        let (released, _) = views(|side, _| [-side, 3.0 * side]);
        let settings = AuthorSettings::of(AuthorAttacker::StyleLogistic);
        let naive =
            AuthorAttack::train(&settings, &known.evidence(AuthorAttacker::StyleLogistic), &authors).unwrap();
        let naive = naive.identify(&released.evidence(AuthorAttacker::StyleLogistic), &authors).unwrap();
        let adaptive = AdaptiveAttack { seed: 1 }
            .identify(AuthorAttacker::StyleLogistic, (&known, &authors), (&released, &authors))
            .unwrap();
        assert!(naive.macro_f1().unwrap() < 0.1);
        assert_eq!(adaptive.macro_f1(), Some(1.0));
        let truths: Vec<usize> = adaptive.all().iter().map(|guess| guess.author).collect();
        assert_eq!(truths, authors, "in the order of the texts");
    }

    #[test]
    fn halves_are_disjoint_and_depend_on_the_seed() {
        let (first, second) = AdaptiveAttack { seed: 1 }.halves(9);
        let mut all = [first.as_slice(), &second].concat();
        all.sort_unstable();
        assert_eq!(all, (0..9).collect::<Vec<_>>());
        assert_eq!((first.len(), second.len()), (4, 5));
        assert_eq!(AdaptiveAttack { seed: 1 }.halves(9), (first.clone(), second));
        assert_ne!(AdaptiveAttack { seed: 2 }.halves(9).0, first);
    }

    #[test]
    fn invalid_arguments_are_refused() {
        let (known, authors) = originals();
        let identify = |released: &Views<'_>, theirs: &[usize]| {
            AdaptiveAttack { seed: 1 }
                .identify(AuthorAttacker::StyleLogistic, (&known, &authors), (released, theirs))
                .is_err()
        };
        assert!(identify(&known, &authors[1..]));
        assert!(identify(&known.chosen(&[0]), &[0]));
        assert!(identify(&known.chosen(&[0, 1]), &[0, 7]));
    }
}
