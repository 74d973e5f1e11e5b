//! All cells of the tables. What has no value (a set without labels, a method without training texts) is null.

use inkveil_eval::metrics::Estimate;
use serde::Serialize;

#[derive(Serialize)]
pub(crate) struct Report {
    pub(crate) encoder: String,
    pub(crate) radius: f64,
    pub(crate) seed: u64,
    pub(crate) datasets: Vec<SetReport>,
}

#[derive(Serialize)]
pub(crate) struct SetReport {
    pub(crate) name: String,
    pub(crate) train: usize,
    pub(crate) test: usize,
    pub(crate) authors: usize,
    pub(crate) prototypes: usize,
    pub(crate) tau: f64,
    pub(crate) outliers: usize,
    /// Of the originals.
    pub(crate) before: Gradient,
    pub(crate) methods: Vec<MethodReport>,
}

/// Success of the author classifier by the risk of the original.
#[derive(Serialize, Default)]
pub(crate) struct Gradient {
    pub(crate) rho: Option<Estimate>,
    pub(crate) quintiles: Vec<f64>,
}

#[derive(Serialize)]
pub(crate) struct MethodReport {
    pub(crate) method: String,
    pub(crate) attacks: Vec<AttackReport>,
    pub(crate) utility: Option<UtilityReport>,
    pub(crate) outliers: Stratum,
    pub(crate) inliers: Stratum,
    pub(crate) after: Gradient,
    pub(crate) quality: Quality,
}

/// Macro F1 of an attacker by what it learnt from.
#[derive(Serialize)]
pub(crate) struct AttackReport {
    pub(crate) attacker: &'static str,
    pub(crate) originals: Option<Estimate>,
    pub(crate) rewrites: Option<Estimate>,
    pub(crate) adaptive: Option<Estimate>,
}

/// Macro F1 of the classifier by what it learnt from.
#[derive(Serialize)]
pub(crate) struct UtilityReport {
    pub(crate) originals: Option<Estimate>,
    pub(crate) rewrites: Option<Estimate>,
}

/// Texts that were outliers, or texts that were not.
#[derive(Serialize)]
pub(crate) struct Stratum {
    pub(crate) texts: usize,
    pub(crate) author_f1: Option<Estimate>,
    pub(crate) displacement: Option<f64>,
    pub(crate) approach: Option<f64>,
    /// The share that are outliers after it.
    pub(crate) still_outliers: Option<f64>,
}

#[derive(Serialize)]
pub(crate) struct Quality {
    pub(crate) bert_score: Option<Estimate>,
    pub(crate) entity_match: Option<Estimate>,
    pub(crate) texts_with_entities: usize,
    pub(crate) exposure: Linkage,
    pub(crate) membership: Linkage,
    pub(crate) outlier_similarity: Option<f64>,
    pub(crate) self_bleu: Option<f64>,
    pub(crate) type_token_ratio: Option<f64>,
    pub(crate) type_token_ratio_of_all: Option<f64>,
    pub(crate) length_ratio: Option<f64>,
    pub(crate) unchanged: f64,
}

#[derive(Serialize)]
pub(crate) struct Linkage {
    pub(crate) vectors: Option<f64>,
    pub(crate) ngrams: Option<f64>,
}

impl Linkage {
    /// The better of both attackers, which is what counts.
    pub(crate) fn stronger(&self) -> Option<f64> {
        self.vectors.into_iter().chain(self.ngrams).max_by(f64::total_cmp)
    }
}

impl MethodReport {
    pub(crate) fn attack(&self, attacker: &str) -> Option<&AttackReport> {
        self.attacks.iter().find(|attack| attack.attacker == attacker)
    }

    /// The most that any attacker finds, whatever it learnt from.
    pub(crate) fn strongest(&self) -> Option<Estimate> {
        best(self.attacks.iter().flat_map(|attack| [attack.originals, attack.rewrites, attack.adaptive]))
    }
}

/// The estimate with the highest mean of those that there are.
pub(crate) fn best(estimates: impl IntoIterator<Item = Option<Estimate>>) -> Option<Estimate> {
    estimates.into_iter().flatten().max_by(|a, b| a.mean.total_cmp(&b.mean))
}
