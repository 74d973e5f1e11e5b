//! Trains the scorer: a logistic regression on doubtful pairs of generated documents.

use inkveil_entities::{FEATURES, Features, Judge, Resolver, Scorer};
use inkveil_surrogates::Lists;

use super::GeneratedArgs;
use super::documents::{Document, document};
use super::gold;

const STEPS: usize = 4000;
const RATE: f64 = 0.5;
/// Keeps weights of features that never occur near zero.
const DECAY: f64 = 1e-4;
/// A wrong merge is worse than a missed one, so pairs of different people count more.
const DIFFERENT: f64 = 3.0;

/// Answers with the truth and records each pair.
struct Teacher<'d> {
    labels: &'d [Option<usize>],
    pairs: &'d mut Vec<(Features, bool)>,
}

impl Judge for Teacher<'_> {
    fn probability(&mut self, span: usize, of: &[usize], features: &Features) -> f64 {
        let same = of.iter().any(|other| self.labels[*other] == self.labels[span]);
        self.pairs.push((*features, same));
        f64::from(u8::from(same))
    }
}

pub(super) fn run(args: &GeneratedArgs, lists: &Lists) -> anyhow::Result<()> {
    let mut documents: Vec<Document> =
        (0..args.documents).map(|number| document(lists, args.seed, number, false)).collect();
    if let Some(file) = &args.gold {
        // Every second document. The others measure.
        documents.extend(gold::read(file)?.into_iter().step_by(2));
    }
    let mut pairs = Vec::new();
    for document in &documents {
        let mut teacher = Teacher { labels: &document.labels, pairs: &mut pairs };
        Resolver::default().resolve_with(&document.text, &document.spans, &mut teacher);
    }
    let weights = fitted(&pairs);
    let scorer = Scorer::with_weights(weights);
    let right = pairs.iter().filter(|(features, same)| (scorer.score(features) >= 0.5) == *same).count();
    let same = pairs.iter().filter(|(_, same)| *same).count();
    println!("{} doubtful pairs, {same} of the same person; {right} decided right", pairs.len());
    let weights: Vec<String> = weights.iter().map(|weight| format!("{weight:.3}")).collect();
    println!("[{}]", weights.join(", "));
    Ok(())
}

/// Fits the weights by gradient descent on all pairs.
fn fitted(pairs: &[(Features, bool)]) -> [f64; FEATURES] {
    let mut weights = [0.0; FEATURES];
    for _ in 0..STEPS {
        let scorer = Scorer::with_weights(weights);
        let mut gradient = [0.0; FEATURES];
        for (features, same) in pairs {
            let weight = if *same { 1.0 } else { DIFFERENT };
            let error = (scorer.score(features) - f64::from(u8::from(*same))) * weight;
            gradient.iter_mut().zip(features.0).for_each(|(sum, feature)| *sum += error * feature);
        }
        for (weight, sum) in weights.iter_mut().zip(gradient) {
            *weight -= RATE * (sum / pairs.len().max(1) as f64 + DECAY * *weight);
        }
    }
    weights
}
