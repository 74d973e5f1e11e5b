//! How released texts read: which words survive, how usual their order is, and what an attacker finds
//! who sees the noisy vectors.

use std::sync::Arc;

use inkveil_privacy::NoiseKey;
use inkveil_text::{TextVeil, Treatment, Veiled};

use super::attackers::{Attackers, is_secret};
use super::measure::channel_use;
use super::prepared::PreparedSet;
use crate::Error;
use crate::metrics::ValueSum;

/// The classes of noised words that are not sensitive.
const CLASSES: [&str; 3] = ["ordinary", "function", "capitalised"];

/// The survival of noised words that are not sensitive, by class.
#[derive(Default)]
pub(super) struct Survivals([Vec<ValueSum>; 3]);

impl Survivals {
    /// Counts a text.
    pub(super) fn add(&mut self, veiled: &Veiled<'_>) {
        let mut counts = [ValueSum::default(); 3];
        let text = veiled.plan().text();
        for (index, unit) in veiled.plan().units().iter().enumerate() {
            if unit.treatment != Treatment::Noise || unit.group.is_sensitive() {
                continue;
            }
            let word = text.get(unit.range.clone()).unwrap_or_default();
            let class = match word.starts_with(char::is_uppercase) {
                _ if inkveil_style::is_function_word(&word.to_lowercase()) => 1,
                true => 2,
                false => 0,
            };
            counts[class].sum += f64::from(u8::from(veiled.survived(index)));
            counts[class].count += 1;
        }
        self.0.iter_mut().zip(counts).for_each(|(all, count)| all.push(count));
    }

    /// The measures, by name.
    pub(super) fn measures(&self) -> impl Iterator<Item = (String, &[ValueSum])> {
        let each = CLASSES.iter().zip(&self.0);
        each.map(|(class, counts)| (format!("survived-{class}"), counts.as_slice()))
    }
}

/// The surprise of each released text in nats for each word, under trigrams that no decoder has seen.
pub(super) fn surprise(
    released: &[&str],
    set: &PreparedSet<'_>,
    veil: &TextVeil,
    attackers: &mut Attackers,
) -> Result<Vec<ValueSum>, Error> {
    let lexicon = veil.lexicon();
    let (space, language) = (attackers.space(lexicon), attackers.language(&set.name, lexicon, &set.others)?);
    let mut all = Vec::with_capacity(released.len());
    for text in released {
        let alignment = lexicon.align(text)?;
        let mut sum = ValueSum::default();
        let mut context = [None, None];
        for unit in alignment.units() {
            let word = unit.id().and_then(|id| space.number(id));
            if let Some(word) = word {
                sum.sum -= f64::from(language.log_probability(context, word));
                sum.count += 1;
            }
            context = [context[1], word];
        }
        all.push(sum);
    }
    Ok(all)
}

/// How many sensitive words an attacker finds who sees the noisy vectors, knows which budgets are those
/// of sensitive words, and decodes jointly with a prior from training texts of the same set.
pub(super) fn found_in_vectors(
    texts: &[Veiled<'_>],
    set: &PreparedSet<'_>,
    veil: &TextVeil,
    key: &NoiseKey,
    attackers: &mut Attackers,
) -> Result<Option<Vec<ValueSum>>, Error> {
    let Some(likely) = attackers.originals(&set.name, veil.lexicon(), &set.others)? else { return Ok(None) };
    let space = attackers.space(veil.lexicon());
    let sensitive = attackers.sensitive(&set.name, veil, &set.others)?;
    let mut all = Vec::with_capacity(texts.len());
    for (record, veiled) in (0..).zip(texts) {
        let plan = veiled.plan();
        let Some(mut observed) = veil.observe(plan, record, key, &likely)? else { return Ok(None) };
        let noised: Vec<_> = plan
            .units()
            .iter()
            .filter(|unit| unit.treatment == Treatment::Noise && unit.id.is_some())
            .collect();
        for (seen, unit) in observed.iter_mut().zip(&noised) {
            let by = channel_use(veil.budgets(), unit.epsilon);
            for (id, log) in &mut seen.likely {
                *log += space.number(*id).map_or(0.0, |word| sensitive.log_probability(word, by));
            }
        }
        let guesses = veil.decode(plan, &observed, likely.prior());
        let mut sum = ValueSum::default();
        for (unit, guess) in noised.iter().zip(guesses).filter(|(unit, _)| is_secret(unit)) {
            sum.sum += f64::from(u8::from(unit.id == Some(guess)));
        }
        // Words that were replaced count too: no vector shows them.
        sum.count = u32::try_from(plan.units().iter().filter(|unit| is_secret(unit)).count()).unwrap_or(0);
        all.push(sum);
    }
    Ok(Some(all))
}

/// What an attacker knows who decodes as the veil does.
pub(super) type Originals = Arc<inkveil_text::mechanism::LikelyOriginals>;
