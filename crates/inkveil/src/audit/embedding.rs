//! Texts that become vectors: the path of `vector embed`, with and without noise.

use inkveil_privacy::audit::Finding;
use inkveil_privacy::{Epsilon, Grid, Neighbours};
use inkveil_rows::{JobFile, RecordOptions};
use inkveil_vector::{Bound, VectorVeil};

use super::lab::Lab;
use super::laws::{Law, aside};
use super::outputs::{Form, Vectors, bounded, dot, unit};
use super::planting::write_rows;
use crate::encoder::Encoder;
use crate::error::{Error, ErrorKind};
use crate::release::{Account, EmbedRelease, KeyChoice, Silent};
use crate::{VectorNoise, Veil};

/// The name of the path.
pub(super) const PATH: &str = "vectors/embed";

/// Two texts of different meanings.
const TEXTS: [&str; 2] = ["The garden is small.", "Trains leave every hour."];
/// The budget of a vector. The noise is then about as long as the vector.
const EPSILON: f64 = 300.0;
/// The seed of releases that must not share noise. It is no secret.
const SEED: KeyChoice = KeyChoice::InsecureSeed(1);

struct Embedding<'l> {
    lab: &'l Lab<'l>,
    encoder: Encoder,
}

pub(super) fn audit(lab: &Lab<'_>, pack: &str) -> Result<(), Error> {
    let embedding = Embedding { lab, encoder: Encoder::open(pack)? };
    embedding.noised()?;
    embedding.repeated()?;
    embedding.without_noise()
}

impl Embedding<'_> {
    fn dim(&self) -> usize {
        self.encoder.model.width()
    }

    fn about(&self, what: &str) -> String {
        format!("length 1, npy f32, n = {}: {what}", self.dim())
    }

    fn veil(&self) -> Result<VectorVeil, Error> {
        let veil = Veil::vectors(Epsilon::new(EPSILON)?).noise(VectorNoise::Round).bound(Bound::Unit);
        veil.build(self.dim())
    }

    /// Embeds a file of equal texts.
    fn release(
        &self,
        text: &str,
        rows: usize,
        veil: Option<&VectorVeil>,
        key: Option<KeyChoice>,
    ) -> Result<Vectors, Error> {
        let folder = self.lab.folder()?;
        let [input, output] = ["in.jsonl", "out.npy"].map(|name| folder.join(name));
        write_rows(&input, &[text].repeat(rows))?;
        let release = EmbedRelease {
            input: JobFile::new(input, None)?,
            content: None,
            options: RecordOptions::default(),
            encoder: &self.encoder,
            veil,
            output: output.clone(),
            key: key.unwrap_or_else(|| self.lab.key()),
            account: Account::none(),
            overwrite: false,
            resume: false,
        };
        let released = release.run(&Silent, self.lab.cancel())?;
        let grid = veil.map_or(Ok(Grid::WITHOUT_NOISE), VectorVeil::grid)?;
        let vectors = Vectors::written(Form::NpySingle, self.dim(), &output, &released, grid)?;
        if vectors.rows().len() != rows {
            return Err(ErrorKind::Bug("a release has another number of vectors than its input").into());
        }
        self.lab.remove(&folder)?;
        Ok(vectors)
    }

    /// The vector of a text after its bound.
    fn vector(&self, text: &str) -> Result<Vec<f64>, Error> {
        let rows = self.encoder.encode(&[text], self.lab.cancel(), |_| ())?;
        let row: Vec<f64> = rows.iter().map(|value| f64::from(*value)).collect();
        Ok(bounded(Bound::Unit, &row))
    }

    /// The length and the direction of the noise, the grid, and what the receipt states.
    fn noised(&self) -> Result<(), Error> {
        let (veil, rows) = (self.veil()?, self.lab.samples(400, 4000));
        let law = Law::Elliptical { epsilon: EPSILON, diagonal: vec![1.0; self.dim()] };
        let released = self.release(TEXTS[0], rows, Some(&veil), None)?;
        let x = self.vector(TEXTS[0])?;
        let (sizes, directions) = (law.sizes(self.dim()), law.directions(self.dim()));
        let sample = released.rows().map(|y| law.size(y, &x)).collect();
        let about = self.about("length of the noise");
        self.lab.found(Finding::distribution_of(PATH, about, sample, |r| sizes.at(r))?)?;
        let sample = released.rows().filter_map(|y| law.direction(y, &x)).collect();
        let about = self.about("direction of the noise");
        self.lab.found(Finding::distribution_of(PATH, about, sample, |t| directions.at(t))?)?;
        let numbers = (rows * self.dim()) as u64;
        self.exact("numbers off the grid", released.off_grid(), numbers)?;
        let receipt = &released.receipt;
        let group = receipt.groups().first().ok_or(ErrorKind::Bug("a receipt has no group"))?;
        let compared = group.guarantees().iter().all(|one| one.neighbours() == Neighbours::Any);
        let claims = [
            (receipt.verify().is_empty(), "receipt consistent"),
            (receipt.release_sha256() == Some(released.sha256.as_str()), "receipt of these bytes"),
            (receipt.count() == rows as u64, "receipt counts all rows"),
            (group.slack().is_some_and(|slack| !slack.is_none()), "slack of the sampler stated"),
            (compared, "any two vectors compared"),
        ];
        claims.into_iter().try_for_each(|(holds, what)| self.exact(what, u64::from(!holds), 1))
    }

    /// With one seed, a retry repeats its bytes, and another text gets other noise.
    fn repeated(&self) -> Result<(), Error> {
        const ROWS: usize = 64;
        let veil = self.veil()?;
        let of = |text: &str| self.release(text, ROWS, Some(&veil), Some(SEED));
        let (first, again, other) = (of(TEXTS[0])?, of(TEXTS[0])?, of(TEXTS[1])?);
        self.exact("a retry repeats its bytes", u64::from(first.sha256 != again.sha256), 1)?;
        let [x, z] = [self.vector(TEXTS[0])?, self.vector(TEXTS[1])?];
        // Two independent directions in 384 dimensions have a cosine of about 0.05.
        let shares = |(y, w): (&[f64], &[f64])| dot(&unit(&aside(y, &x)), &unit(&aside(w, &z))) > 0.5;
        let shared = first.rows().zip(other.rows()).filter(|rows| shares(*rows)).count() as u64;
        self.exact("noise that two vectors share", shared, ROWS as u64)
    }

    /// Vectors without noise are rounded, and their receipt promises nothing.
    fn without_noise(&self) -> Result<(), Error> {
        const ROWS: usize = 32;
        let released = self.release(TEXTS[0], ROWS, None, None)?;
        let numbers = (ROWS * self.dim()) as u64;
        self.exact("without noise, numbers off the grid", released.off_grid(), numbers)?;
        let groups = released.receipt.groups();
        let infinite = groups.iter().all(|group| group.epsilon().is_infinite()) && !groups.is_empty();
        self.exact("without noise, the receipt states ε = ∞", u64::from(!infinite), 1)
    }

    fn exact(&self, what: &str, wrong: u64, of: u64) -> Result<(), Error> {
        self.lab.found(Finding::exact(PATH, self.about(what), wrong, of))
    }
}
