//! An attacker who has seen some of what was released.

use inkveil_nn::SplitMix;

use super::{Attacker, AuthorAttack, AuthorSettings, Guesses, Views};
use crate::Error;

/// An attacker who knows originals of each author, and who wrote half of the released texts: the adaptive attacker of STAMP-R (its Appendix A).
///
/// It learns from both together and is tested on the other half; then the halves change places, so that every released text is tested once and
/// none by an attacker who has seen it.
///
/// ```
/// use inkveil_eval::attack::{Adaptive, Attacker, Views};
///
/// // The style of two authors, in originals and in what was released: a rewriter has swapped their signs.
/// let style = |sign: f32| (1, [0.9, 1.1, 1.0, -1.0, -0.9, -1.1].map(|x| sign * x).to_vec());
/// let sentence = (1, vec![0.0; 6]);
/// let known = Views::new(vec!["a text"; 6], style(1.0), sentence.clone())?;
/// let released = Views::new(vec!["a text"; 6], style(-5.0), sentence)?;
/// let authors = ["ann", "ann", "ann", "bob", "bob", "bob"];
/// let guesses = Adaptive { seed: 1 }.identify(Attacker::StyleLogistic, (&known, &authors), (&released, &authors))?;
/// assert_eq!(guesses.all().len(), 6);
/// # Ok::<(), inkveil_eval::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Adaptive {
    /// Decides which texts are in which half.
    pub seed: u64,
}

impl Adaptive {
    /// What the attacker makes of the released texts, in their order. Both are texts with the author of each.
    ///
    /// # Errors
    /// If texts and authors are not equally many, there are fewer than two released texts, one is of an author of whom no original is known,
    /// or as [`AuthorAttack::train`].
    pub fn identify<L: Ord + Clone>(
        &self,
        attacker: Attacker,
        known: (&Views<'_>, &[L]),
        released: (&Views<'_>, &[L]),
    ) -> Result<Guesses, Error> {
        let ((known, known_authors), (released, authors)) = (known, released);
        if released.len() != authors.len() || released.len() < 2 {
            return Err(Error::argument(format!(
                "{} released texts have {} authors; give one to each of two or more texts",
                released.len(),
                authors.len()
            )));
        }
        // Then both halves number the authors alike.
        if authors.iter().any(|author| !known_authors.contains(author)) {
            return Err(Error::argument("a text is of an author of whom no original is known; leave it out"));
        }
        let of = |texts: &[usize]| -> Vec<L> { texts.iter().map(|&text| authors[text].clone()).collect() };
        let (first, second) = self.halves(released.len());
        let mut guesses = vec![None; released.len()];
        for (seen, tested) in [(&first, &second), (&second, &first)] {
            let learnt = known.followed_by(&released.chosen(seen))?;
            let learnt_authors = [known_authors, &of(seen)].concat();
            let attack = AuthorAttack::train(
                &AuthorSettings::of(attacker),
                &learnt.evidence(attacker),
                &learnt_authors,
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

    /// The first number tells who wrote it, the second nothing.
    fn originals() -> (Views<'static>, Vec<usize>) {
        views(|side, i| [side, if i % 4 < 2 { 1.0 } else { -1.0 }])
    }

    #[test]
    fn what_was_released_is_learnt_from() {
        let (known, authors) = originals();
        // The first number is turned round: originals mislead. The second tells who wrote it.
        let (released, _) = views(|side, _| [-side, 3.0 * side]);
        let settings = AuthorSettings::of(Attacker::StyleLogistic);
        let naive =
            AuthorAttack::train(&settings, &known.evidence(Attacker::StyleLogistic), &authors).unwrap();
        let naive = naive.identify(&released.evidence(Attacker::StyleLogistic), &authors).unwrap();
        let adaptive = Adaptive { seed: 1 }
            .identify(Attacker::StyleLogistic, (&known, &authors), (&released, &authors))
            .unwrap();
        assert!(naive.macro_f1().unwrap() < 0.1);
        assert_eq!(adaptive.macro_f1(), Some(1.0));
        let truths: Vec<usize> = adaptive.all().iter().map(|guess| guess.author).collect();
        assert_eq!(truths, authors, "in the order of the texts");
    }

    #[test]
    fn halves_share_nothing_and_follow_from_the_seed() {
        let (first, second) = Adaptive { seed: 1 }.halves(9);
        let mut all = [first.as_slice(), &second].concat();
        all.sort_unstable();
        assert_eq!(all, (0..9).collect::<Vec<_>>());
        assert_eq!((first.len(), second.len()), (4, 5));
        assert_eq!(Adaptive { seed: 1 }.halves(9), (first.clone(), second));
        assert_ne!(Adaptive { seed: 2 }.halves(9).0, first);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let (known, authors) = originals();
        let identify = |released: &Views<'_>, theirs: &[usize]| {
            Adaptive { seed: 1 }
                .identify(Attacker::StyleLogistic, (&known, &authors), (released, theirs))
                .is_err()
        };
        assert!(identify(&known, &authors[1..]));
        assert!(identify(&known.chosen(&[0]), &[0]));
        assert!(identify(&known.chosen(&[0, 1]), &[0, 7]));
    }
}
