//! The vector veil: vectors in, noisy vectors and a receipt out.

use std::fmt;

use inkveil_nn::EncoderNote;
use inkveil_privacy::{
    Calibration, Epsilon, ErasedGuarantee, ErasedLaplace, Grid, GridRows, GroupBudget, Guarantee, LaplaceL2,
    Mahalanobis, Metric, NoiseAddress, NoiseKey, Purkayastha, Real, Receipt, ReleaseKind, Unit,
    VectorMechanism, release_rows,
};
use rayon::prelude::*;

use crate::{After, Bound, Eraser, Error, Mask, noise_variances, sigma, union};

/// A Euclidean ε this many times the budget is no protection in some direction.
const ABSURD: f64 = 20.0;
/// A mask that is open in more dimensions than this concentrates nothing.
const NEARLY_ALL: f64 = 0.9;

/// A veil over vectors: a bound, noise, and an operation after it.
///
/// ```
/// use inkveil_privacy::{Epsilon, NoiseKey};
/// use inkveil_vector::{Bound, VectorVeil};
///
/// let veil = VectorVeil::round(3, Epsilon::new(50.0)?)?.bound(Bound::Unit)?;
/// let mut rows = [0.6_f32, 0.0, 0.8, 1.0, 0.0, 0.0]; // two vectors
/// let key = NoiseKey::fresh()?;
/// veil.apply(&mut rows, 0, &key)?;
/// let receipt = veil.receipt(2, None, &key)?;
/// assert!(receipt.render().contains("euclidean"));
/// # Ok::<(), inkveil_vector::Error>(())
/// ```
pub struct VectorVeil {
    noise: Box<dyn VectorMechanism>,
    epsilon: Epsilon,
    bound: Bound,
    after: After,
    calibration: Option<Calibration>,
    equivalent: Option<Guarantee>,
    /// The variance of the noise in each dimension; none if it is not known.
    variances: Option<Vec<f64>>,
    parameters: Vec<(String, String)>,
    not_covered: Vec<String>,
    /// Whose statistics shrink noisy vectors.
    shrunk_by: String,
    warnings: Vec<String>,
    /// What was measured before the release: a name, the value for clear vectors, and the value.
    measured: Vec<(String, Option<f64>, f64)>,
    notes: Vec<String>,
    /// The largest distance of two inputs in the erased metric, for noise after erasure.
    erased_diameter: Option<f64>,
    encoder: Option<EncoderNote>,
}

impl VectorVeil {
    /// Returns a veil with any noise. `epsilon` is the total cost of one vector.
    pub fn of(noise: Box<dyn VectorMechanism>, epsilon: Epsilon) -> Self {
        Self {
            noise,
            epsilon,
            bound: Bound::AsIs,
            after: After::AsIs,
            calibration: None,
            equivalent: None,
            variances: None,
            parameters: Vec::new(),
            not_covered: Vec::new(),
            shrunk_by: String::new(),
            warnings: Vec::new(),
            measured: Vec::new(),
            notes: Vec::new(),
            erased_diameter: None,
            encoder: None,
        }
    }

    /// Returns a veil with elliptical noise (SPARSE): wide where the diagonal of Σ is large.
    /// [`sigma`](crate::sigma) makes the diagonal from a mask.
    ///
    /// # Errors
    /// If ε is 0, or an entry is not positive.
    pub fn elliptical(epsilon: Epsilon, diagonal: Vec<f64>) -> Result<Self, Error> {
        let variances = noise_variances(epsilon.get(), &diagonal);
        let noise = Mahalanobis::diagonal(epsilon, diagonal)?;
        let equivalent = noise.euclidean()?;
        let veil = Self::of(Box::new(noise), epsilon).equivalent(equivalent);
        Ok(Self { variances: Some(variances), ..veil })
    }

    /// Returns a veil with elliptical noise where the concepts of masks lie. It has a
    /// [floor](sigma), and noisy vectors are shrunk.
    ///
    /// # Errors
    /// If there is no mask, masks belong to different encoders, or a number is out of range.
    pub fn masked(epsilon: Epsilon, masks: &[Mask], floor: f64) -> Result<Self, Error> {
        let first = of_one_encoder(masks)?;
        if let Some(mask) = masks.iter().find(|mask| !mask.has_gates()) {
            return Err(Error::setting(format!(
                "the mask of {:?} erases and has no gates for noise to follow",
                mask.note.concept
            )));
        }
        let gates: Vec<&[f32]> = masks.iter().map(|mask| mask.gates.as_slice()).collect();
        let names = concept_names(masks);
        let mean_squares: Vec<f64> = first.mean_squares.iter().map(|&square| square.into()).collect();
        let mut veil = Self::elliptical(epsilon, sigma(&union(&gates)?, floor)?)?
            .parameter("concepts", names.join(", "))
            .parameter("floor", floor)
            .encoder(first.note.encoder.clone())
            .naming_corpora(masks, "the size of the noise in each dimension");
        let union = union(&gates)?;
        let open = union.iter().filter(|gate| **gate > 0.0).count() as f64 / union.len().max(1) as f64;
        if open > NEARLY_ALL {
            veil.warnings.push(format!(
                "the masks cover {:.0} % of the dimensions, so their noise is nearly the same in all directions",
                100.0 * open
            ));
        }
        if let Some(equivalent) = veil.equivalent {
            let factor = equivalent.epsilon().get() / epsilon.get();
            if factor > ABSURD && !epsilon.is_infinite() {
                veil.warnings.push(format!(
                    "in Euclidean distance ε is {} ({factor:.0} times the budget): some directions have next to no \
                     noise, and whatever lies in them is released; a floor above 0 bounds this",
                    equivalent.epsilon()
                ));
            }
        }
        veil.shrink_after(&mean_squares, &first.note.corpus.described())
    }

    /// Returns a veil that erases the concepts of masks and adds round noise to what is left, in the
    /// first `axes` principal axes (all by default). What is left has length 1, unless it is shorter
    /// than `shortest`.
    ///
    /// # Errors
    /// If there is no mask, a mask has no eraser, masks belong to different encoders, or a number is out
    /// of range.
    pub fn erased(
        epsilon: Epsilon,
        masks: &[Mask],
        axes: Option<usize>,
        shortest: f64,
    ) -> Result<Self, Error> {
        let first = of_one_encoder(masks)?;
        let erasers = masks.iter().map(|mask| {
            mask.eraser
                .as_ref()
                .ok_or_else(|| Error::setting(format!("the mask of {:?} has no eraser", mask.note.concept)))
        });
        let erasers = erasers.collect::<Result<Vec<&Eraser>, Error>>()?;
        let noise = ErasedLaplace::new(epsilon, Eraser::erasure(&erasers, axes, shortest)?)?;
        let guarantee = noise.guarantee()?;
        let axes = noise.erasure().axes();
        let mut veil = Self::of(Box::new(noise), epsilon)
            .equivalent(guarantee.euclidean)
            .parameter("concepts", concept_names(masks).join(", "))
            .parameter("erased directions", guarantee.erased_directions)
            .parameter("axes", axes)
            .parameter("shortest", shortest)
            .parameter("loss inside the erased span", format!("{:.1e}", guarantee.inside_span.get()))
            .encoder(first.note.encoder.clone())
            .naming_corpora(masks, "the directions that are erased");
        for what in ErasedGuarantee::NOT_PROMISED {
            veil = veil.not_covered(what);
        }
        Ok(Self { erased_diameter: Some(guarantee.diameter), ..veil })
    }

    /// Names the corpora of masks, and what a corpus that is not public may lose.
    fn naming_corpora(mut self, masks: &[Mask], through: &str) -> Self {
        for (mask, name) in masks.iter().zip(concept_names(masks)) {
            let corpus = &mask.note.corpus;
            self = self.parameter(format!("corpus of the mask of {name}"), corpus.described());
            if !corpus.public {
                self = self.not_covered(format!(
                    "the texts that the mask of {name} was learnt from: they were not declared public, and {through} reveals \
                     something about them"
                ));
            }
        }
        self
    }

    /// Returns what a user should know before the release, such as a direction without noise.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Returns a veil with round noise (LapMech): the same in every direction.
    ///
    /// # Errors
    /// If ε is 0.
    pub fn round(dim: usize, epsilon: Epsilon) -> Result<Self, Error> {
        let variances = noise_variances(epsilon.get(), &vec![1.0; dim]);
        let veil = Self::of(Box::new(LaplaceL2::new(dim, epsilon)?), epsilon);
        Ok(Self { variances: Some(variances), ..veil })
    }

    /// Returns a veil with noise that turns directions (PurMech). Lengths are dropped.
    ///
    /// # Errors
    /// If there are fewer than two dimensions.
    pub fn directional(dim: usize, epsilon: Epsilon) -> Result<Self, Error> {
        Ok(Self::of(Box::new(Purkayastha::new(dim, epsilon)?), epsilon))
    }

    /// Bounds vectors before noise is added.
    ///
    /// # Errors
    /// If the length is not positive.
    pub fn bound(mut self, bound: Bound) -> Result<Self, Error> {
        self.bound = bound.check()?;
        Ok(self)
    }

    /// Leaves noisy vectors unchanged.
    pub fn as_is_after(mut self) -> Self {
        self.after = After::AsIs;
        self
    }

    /// Scales noisy vectors to length 1.
    pub fn unit_after(mut self) -> Self {
        self.after = After::Unit;
        self
    }

    /// Shrinks noisy dimensions, given the mean square of each dimension over other vectors than the
    /// released ones. `whose` says which, for the receipt: the factors reveal something about them.
    ///
    /// # Errors
    /// If the dimension differs, a value is negative or not finite, or the variance of the noise is
    /// not known.
    pub fn shrink_after(mut self, mean_squares: &[f64], whose: &str) -> Result<Self, Error> {
        let noise = self
            .variances
            .as_ref()
            .ok_or_else(|| Error::setting("only additive noise (round or elliptical) can be shrunk"))?;
        if mean_squares.len() != noise.len() {
            return Err(Error::shape(format!(
                "there are mean squares of {} dimensions, but vectors of {}",
                mean_squares.len(),
                noise.len()
            )));
        }
        // Encoders have dimensions that are always 0. Such a dimension holds only noise after the
        // release.
        if !mean_squares.iter().all(|v| *v >= 0.0 && v.is_finite()) {
            return Err(Error::setting("mean squares must be 0 or more"));
        }
        self.after = After::shrink(mean_squares, noise);
        self.shrunk_by = whose.to_owned();
        Ok(self)
    }

    /// Records the calibration of directional noise, for the receipt.
    pub fn calibrated(mut self, calibration: Calibration) -> Self {
        self.calibration = Some(calibration);
        self
    }

    /// Records an equivalent guarantee in another metric, for the receipt.
    pub fn equivalent(mut self, guarantee: Guarantee) -> Self {
        self.equivalent = Some(guarantee);
        self
    }

    /// Records another public parameter, for the receipt.
    pub fn parameter(mut self, name: impl Into<String>, value: impl ToString) -> Self {
        self.parameters.push((name.into(), value.to_string()));
        self
    }

    /// Records something that the guarantee does not cover, for the receipt.
    pub fn not_covered(mut self, what: impl Into<String>) -> Self {
        self.not_covered.push(what.into());
        self
    }

    /// Records a measurement, for the receipt. It is no part of the guarantee.
    pub(crate) fn measured(mut self, name: impl Into<String>, clear: Option<f64>, value: f64) -> Self {
        self.measured.push((name.into(), clear, value));
        self
    }

    /// Records a note, for the receipt.
    pub(crate) fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Records what a user should know before the release.
    pub(crate) fn warning(mut self, warning: impl Into<String>) -> Self {
        self.warnings.push(warning.into());
        self
    }

    /// Records the encoder that made the vectors. Distances are measured in its space.
    pub fn encoder(mut self, encoder: EncoderNote) -> Self {
        self.encoder = Some(encoder);
        self
    }

    /// Returns whether the encoder is known.
    pub fn has_encoder(&self) -> bool {
        self.encoder.is_some()
    }

    /// Returns the space that distances are measured in. Equal names are equal spaces.
    fn space(&self) -> String {
        let encoder = match &self.encoder {
            None => "an unnamed encoder".to_owned(),
            Some(EncoderNote { name, sha256: None }) => name.escape_debug().to_string(),
            // The checksum identifies it, whatever its folder is called.
            Some(EncoderNote { sha256: Some(sha256), .. }) => {
                format!("encoder {}", sha256.chars().take(16).collect::<String>().escape_debug())
            }
        };
        // Vectors of length 1 have other distances than those they are made from.
        let scaled = if self.bound == Bound::Unit { ", scaled to length 1" } else { "" };
        format!("vectors of {encoder}, dimension {}{scaled}", self.dim())
    }

    /// Returns the dimension of the vectors.
    pub fn dim(&self) -> usize {
        self.noise.dim()
    }

    /// Returns the budget of each vector.
    pub fn epsilon(&self) -> Epsilon {
        self.epsilon
    }

    /// Returns the noise.
    pub fn noise(&self) -> &dyn VectorMechanism {
        self.noise.as_ref()
    }

    /// Veils rows in place. Row i is record `first` + i. The noise follows from the key, the record
    /// and the row: a retry repeats it, and another row gets fresh noise.
    ///
    /// # Errors
    /// As [`release_rows`]. The rows are zero then.
    pub fn apply<'r, T: Real>(
        &self,
        rows: &'r mut [T],
        first: u64,
        key: &NoiseKey,
    ) -> Result<GridRows<'r, T>, Error> {
        self.each_row(rows, self.bound != Bound::AsIs, |row| self.bound.apply(row));
        let released = release_rows(self.noise.as_ref(), rows, NoiseAddress::record(first), key)?;
        match &self.after {
            After::AsIs => Ok(released),
            after => Ok(released.then(self.grid()?, |row| after.apply(row))?),
        }
    }

    /// Returns the grid of the released numbers.
    ///
    /// # Errors
    /// If the grid would be too fine.
    pub fn grid(&self) -> Result<Grid, Error> {
        Ok(self.after.grid(self.noise.grid(), self.dim())?)
    }

    fn each_row<T: Real>(&self, rows: &mut [T], needed: bool, change: impl Fn(&mut [f64]) + Sync) {
        if !needed {
            return;
        }
        let work = |wide: &mut Vec<f64>, row: &mut [T]| {
            wide.iter_mut().zip(row.iter()).for_each(|(w, x)| *w = x.widen());
            change(wide);
            row.iter_mut().zip(wide.iter()).for_each(|(x, w)| *x = T::narrow(*w));
        };
        let rows = rows.par_chunks_exact_mut(self.dim()).with_min_len(8);
        rows.for_each_init(|| vec![0.0; self.dim()], work);
    }

    /// Returns the largest distance of two bounded vectors, in the first metric of the guarantee
    /// for which the bound implies one.
    fn diameter(&self) -> Option<(Metric, f64)> {
        if let Some(diameter) = self.erased_diameter {
            return Some((Metric::Erased, diameter));
        }
        let length = self.bound.length()?;
        let (metric, diameter) = self.noise.guarantees().iter().find_map(|guarantee| {
            let diameter = match guarantee.metric() {
                Metric::Euclidean => 2.0 * length,
                // ‖z‖₁ ≤ √n·‖z‖₂.
                Metric::Manhattan => 2.0 * length * (self.dim() as f64).sqrt(),
                Metric::Mahalanobis if !self.epsilon.is_infinite() => {
                    2.0 * length * self.equivalent?.epsilon().get() / self.epsilon.get()
                }
                // Lengths lie between 0 and the bound.
                Metric::Radial => length,
                _ => return None,
            };
            Some((guarantee.metric(), diameter))
        })?;
        // The guarantee is about vectors that are snapped to the grid.
        Some((metric, diameter + self.added(metric).unwrap_or(0.0)))
    }

    /// Returns by how much snapping to the grid can lengthen a distance, unless the guarantee
    /// already includes it.
    fn added(&self, metric: Metric) -> Option<f64> {
        let per_unit = |g: &Guarantee| g.within().is_none() && g.metric() == metric;
        self.noise.guarantees().iter().any(per_unit).then(|| self.noise.added_distance(metric))?
    }

    /// Returns the receipt of a release of this many vectors; `sha256` is the checksum of their
    /// file.
    ///
    /// # Errors
    /// If the sum of the budgets overflows.
    pub fn receipt(&self, vectors: u64, sha256: Option<&str>, key: &NoiseKey) -> Result<Receipt, Error> {
        let guarantees = self.noise.guarantees();
        let metrics: Vec<Metric> = guarantees.iter().map(Guarantee::metric).collect();
        let zcdp = self.noise.zcdp().map(|budget| budget.rho());
        let mut group =
            GroupBudget::new("all", vectors, self.epsilon, guarantees).slack(self.noise.slack()).zcdp(zcdp);
        group = group.with_certainty();
        if let Some((metric, diameter)) = self.diameter() {
            group = group.diameter(metric, diameter);
        }
        if let Some(equivalent) = self.equivalent {
            group = group.equivalent(equivalent);
        }
        let mut receipt = Receipt::builder(ReleaseKind::Vectors, self.noise.name(), Unit::Vector, key)
            .space(self.space())
            .parameter("dimension", self.dim())
            .group(group);
        if let Some(sha256) = sha256 {
            receipt = receipt.sha256(sha256);
        }
        if let Some(calibration) = self.calibration {
            receipt = receipt.calibration(calibration);
        }
        for (name, value) in &self.parameters {
            receipt = receipt.parameter(name, value);
        }
        receipt = match self.bound {
            Bound::AsIs => receipt,
            Bound::Clip(clip) => receipt.parameter("clip", clip).treatment(
                "vectors longer than the clip",
                "shortened to the clip before noise was added",
                None,
            ),
            Bound::Unit => {
                receipt.treatment("lengths of vectors", "scaled to 1 before noise was added", None)
            }
        };
        receipt = match self.after {
            After::AsIs => receipt,
            After::Unit => receipt.treatment("noisy vectors", "scaled to length 1", None),
            After::Shrink(_) => receipt.treatment(
                "noisy vectors",
                &format!(
                    "each dimension multiplied by its share of signal; the shares come from the corpus {}",
                    self.shrunk_by
                ),
                None,
            ),
        };
        let added = metrics.iter().filter_map(|metric| self.added(*metric)).reduce(f64::max);
        let grid = self.grid()?;
        receipt = match self.noise.guarantees().iter().all(|guarantee| guarantee.epsilon().is_infinite()) {
            false => receipt.grid(grid, added),
            true => receipt.note(&format!("ε is inf: no noise was added; numbers are multiples of {grid}")),
        };
        if self.erased_diameter.is_some() {
            receipt = receipt
                .treatment(
                    "directions that tell the words of the concepts apart",
                    "erased; two vectors that differ only in them are released alike",
                    None,
                )
                .treatment(
                    "what is left",
                    "brought to length 1, in public axes, before noise was added",
                    None,
                )
                .note("erased distance: how far apart two vectors are in what is left of them, at most 2");
        }
        for (name, clear, value) in &self.measured {
            receipt = receipt.measured(name, *clear, *value);
        }
        for note in &self.notes {
            receipt = receipt.note(note);
        }
        for warning in &self.warnings {
            receipt = receipt.note(&format!("warning: {warning}"));
        }
        let spherical =
            metrics.iter().any(|m| matches!(m, Metric::Chordal | Metric::Angular | Metric::Discrete));
        if spherical && !metrics.contains(&Metric::Radial) {
            receipt =
                receipt.treatment("lengths of vectors", "discarded; only directions are released", None);
        }
        for what in &self.not_covered {
            receipt = receipt.not_covered(what);
        }
        let receipt = receipt
            .not_covered("the number and order of the rows")
            .not_covered(
                "everything else in the file: ids, texts, other vectors and other columns are copied unchanged",
            )
            .not_covered("several vectors about the same person: their budgets add up");
        Ok(receipt.build()?)
    }
}

/// Returns the first of masks that all belong to one encoder.
fn of_one_encoder(masks: &[Mask]) -> Result<&Mask, Error> {
    let first = masks.first().ok_or_else(|| Error::setting("there is no mask"))?;
    match masks.iter().find(|mask| !mask.note.encoder.is(&first.note.encoder)) {
        None => Ok(first),
        Some(other) => Err(Error::setting(format!(
            "masks of the encoders {:?} and {:?} cannot be combined: their dimensions have different meanings",
            first.note.encoder.name, other.note.encoder.name
        ))),
    }
}

fn concept_names(masks: &[Mask]) -> Vec<String> {
    masks.iter().map(|mask| mask.note.concept.escape_debug().to_string()).collect()
}

impl fmt::Debug for VectorVeil {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VectorVeil({}, dimension {})", self.noise.name(), self.dim())
    }
}
