//! The baseline of the paper's published code: Laplace noise in every coordinate of the model's
//! vector, with a scale that covers the whole table (Δ₁ = Σⱼ maxⱼ − minⱼ). It can be decoded as in
//! the paper or as in its code.

use std::fmt;
use std::sync::{Arc, OnceLock};

use inkveil_lexicon::{Lexicon, Search};
use inkveil_privacy::{Epsilon, Guarantee, Metric, Unit, VectorMechanism};

use super::directions::{Noise, nearest};
use super::interface::{TokenGuarantee, unit_of};
use super::name::MechanismName;
use crate::Error;
use crate::choice::choice;

choice! {
    /// How the entry nearest to a noisy vector is found.
    NearestBy "way to find the nearest word" {
        /// By cosine, as in the paper.
        #[default]
        Cosine "cosine",
        /// By Euclidean distance to the vectors of the model, as in the published code.
        Euclidean "euclidean",
    }
}

pub(super) struct LaplaceL1 {
    dimension: usize,
    nearest_by: NearestBy,
    /// Δ₁: the largest possible Manhattan distance of two rows.
    spread: f64,
    unit: Unit,
    /// Rows for the search by distance: argmin ‖y − t‖ is argmax (y, 1)·(t, −‖t‖²/2).
    longer: OnceLock<Search>,
}

impl LaplaceL1 {
    pub(super) fn new(lexicon: &Lexicon, nearest_by: NearestBy) -> Result<Self, Error> {
        let dimension = lexicon.table().dimension();
        let mut range = vec![(f32::INFINITY, f32::NEG_INFINITY); dimension];
        let mut row = Vec::with_capacity(dimension);
        for id in lexicon.inputs() {
            row.clear();
            as_in_model(lexicon, id, &mut row);
            range.iter_mut().zip(&row).for_each(|(range, x)| *range = (range.0.min(*x), range.1.max(*x)));
        }
        let spread: f64 = range.iter().map(|(least, most)| f64::from(*most) - f64::from(*least)).sum();
        // Rounded up by more than the rounding errors of the rows and of the sum.
        let spread = spread * (1.0 + 1e-6);
        Ok(Self { dimension, nearest_by, spread, unit: unit_of(lexicon), longer: OnceLock::new() })
    }

    fn longer(&self, lexicon: &Lexicon) -> Result<&Search, Error> {
        if let Some(search) = self.longer.get() {
            return Ok(search);
        }
        let width = self.dimension + 1;
        let mut rows = Vec::with_capacity(lexicon.table().rows() * width);
        for id in 0..u32::try_from(lexicon.table().rows()).unwrap_or(u32::MAX) {
            let start = rows.len();
            as_in_model(lexicon, id, &mut rows);
            rows.resize(start + self.dimension, 0.0);
            let square: f64 = rows[start..].iter().map(|x| f64::from(*x) * f64::from(*x)).sum();
            rows.push((-square / 2.0) as f32);
        }
        let search = Search::new(Arc::new(rows), width, lexicon.allowed())?;
        Ok(self.longer.get_or_init(|| search))
    }
}

/// Appends the row of an entry with its length in the model.
fn as_in_model(lexicon: &Lexicon, id: u32, out: &mut Vec<f32>) {
    let length = lexicon.table().length(id).unwrap_or(0.0);
    out.extend(lexicon.row(id).unwrap_or_default().iter().map(|x| x * length));
}

impl Noise for LaplaceL1 {
    fn name(&self) -> MechanismName {
        MechanismName::LaplaceL1
    }

    fn at(&self, epsilon: Epsilon) -> Result<Box<dyn VectorMechanism>, Error> {
        Ok(Box::new(inkveil_privacy::LaplaceL1::with_sensitivity(self.dimension, epsilon, self.spread)?))
    }

    fn guarantee(&self, epsilon: Epsilon, _: &dyn VectorMechanism) -> Result<TokenGuarantee, Error> {
        // Any two entries are within Δ₁, so the guarantee holds for all of them: it is pure.
        let guarantees = vec![Guarantee::new(Metric::Discrete, epsilon, self.unit)];
        Ok(TokenGuarantee { guarantees, ..TokenGuarantee::default() })
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        vec![
            ("nearest by", self.nearest_by.name().to_owned()),
            ("sensitivity", format!("{:.3}", self.spread)),
        ]
    }

    fn vector(&self, lexicon: &Lexicon, id: u32, out: &mut Vec<f32>) {
        as_in_model(lexicon, id, out);
    }

    fn decode(&self, lexicon: &Lexicon, rows: &[f32]) -> Result<Vec<u32>, Error> {
        match self.nearest_by {
            NearestBy::Cosine => nearest(lexicon.search()?, rows),
            NearestBy::Euclidean => {
                let rows = rows.chunks(self.dimension).flat_map(|row| row.iter().copied().chain([1.0]));
                nearest(self.longer(lexicon)?, &rows.collect::<Vec<f32>>())
            }
        }
    }
}

impl fmt::Debug for LaplaceL1 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LaplaceL1({}, sensitivity {:.3})", self.nearest_by.name(), self.spread)
    }
}
