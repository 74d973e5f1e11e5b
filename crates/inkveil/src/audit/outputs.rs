//! Vectors through the release pipeline, and what came out.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use half::f16;
use inkveil_files::{Input, Output, Sha256Sum};
use inkveil_privacy::{Grid, GridRows, Metric, Receipt};
use inkveil_vector::{Bound, VectorVeil};
use inkveil_vectors_io::{NewVectors, ReadOptions, VectorFormat, VectorReader};

use super::lab::Lab;
use crate::error::{Error, ErrorKind};
use crate::release::{Account, KeyChoice, MemoryVectors, ReleasedVectors, Silent, VectorRelease};

/// Where vectors are: in a file, in a pipe, or in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    NpyHalf,
    NpySingle,
    NpyDouble,
    Jsonl,
    Parquet,
    Safetensors,
    /// JSON lines in a pipe.
    Pipe,
    /// A list of a program.
    List,
}

impl Form {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::NpyHalf => "npy f16",
            Self::NpySingle => "npy f32",
            Self::NpyDouble => "npy f64",
            Self::Jsonl => "jsonl",
            Self::Parquet => "parquet",
            Self::Safetensors => "safetensors",
            Self::Pipe => "jsonl in a pipe",
            Self::List => "a list",
        }
    }

    /// Whether vectors are in memory, so that there are no bytes to name on a receipt.
    pub(super) fn is_memory(self) -> bool {
        self == Self::List
    }

    fn format(self) -> VectorFormat {
        match self {
            Self::NpyHalf | Self::NpySingle | Self::NpyDouble | Self::List => VectorFormat::Npy,
            Self::Jsonl | Self::Pipe => VectorFormat::Jsonl,
            Self::Parquet => VectorFormat::Parquet,
            Self::Safetensors => VectorFormat::Safetensors,
        }
    }

    /// A number as this file stores it.
    pub(super) fn stored(self, x: f64) -> f64 {
        match self {
            Self::NpyHalf => f16::from_f64(x).to_f64(),
            Self::NpySingle | Self::Parquet | Self::Safetensors | Self::List => f64::from(x as f32),
            Self::NpyDouble | Self::Jsonl | Self::Pipe => x,
        }
    }

    /// Writes a file of equal rows.
    fn write(self, path: &Path, row: &[f64], rows: usize) -> Result<(), Error> {
        if self == Self::Parquet {
            let output = Output::file(path, true)?;
            let mut file = NewVectors::create(self.format(), row.len(), rows as u64, output)?;
            let mut values: Vec<f32> = row.iter().map(|x| *x as f32).collect();
            let values = GridRows::without_noise(&mut values, row.len())?;
            (0..rows).try_for_each(|_| file.write(&["a"], &values))?;
            return Ok(file.finish()?.commit()?);
        }
        std::fs::write(path, self.bytes(row, rows)).map_err(|cause| Error::write(path, cause))
    }

    /// The bytes of a file of equal rows.
    fn bytes(self, row: &[f64], rows: usize) -> Vec<u8> {
        let repeat = |one: Vec<u8>| one.repeat(rows);
        let single = || repeat(row.iter().flat_map(|x| (*x as f32).to_le_bytes()).collect());
        let npy = |descr: &str, data: Vec<u8>| {
            let mut header =
                format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({rows}, {}), }}", row.len());
            let padded = (10 + header.len() + 1).next_multiple_of(64) - 10;
            header.push_str(&" ".repeat(padded - 1 - header.len()));
            header.push('\n');
            let length = (header.len() as u16).to_le_bytes();
            [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), &data].concat()
        };
        match self {
            Self::NpyHalf => {
                npy("<f2", repeat(row.iter().flat_map(|x| f16::from_f64(*x).to_le_bytes()).collect()))
            }
            Self::NpySingle | Self::List => npy("<f4", single()),
            Self::NpyDouble => npy("<f8", repeat(row.iter().flat_map(|x| x.to_le_bytes()).collect())),
            Self::Jsonl | Self::Pipe => {
                let numbers: Vec<String> = row.iter().map(|x| format!("{x:?}")).collect();
                repeat(format!("{{\"id\": 1, \"embedding\": [{}]}}\n", numbers.join(", ")).into_bytes())
            }
            Self::Safetensors => {
                let (dim, end) = (row.len(), rows * row.len() * 4);
                let header = format!(
                    "{{\"v\":{{\"dtype\":\"F32\",\"shape\":[{rows},{dim}],\"data_offsets\":[0,{end}]}}}}"
                );
                let length = (header.len() as u64).to_le_bytes();
                [&length[..], header.as_bytes(), &single()].concat()
            }
            // A library writes it.
            Self::Parquet => Vec::new(),
        }
    }
}

/// What a release of vectors gave away.
pub(super) struct Vectors {
    dim: usize,
    values: Vec<f64>,
    /// The size of each row in the file, where rows have lines of their own.
    sizes: Vec<u64>,
    /// The checksum of the file.
    pub(super) sha256: String,
    pub(super) receipt: Receipt,
    grid: Grid,
    added: f64,
}

impl Vectors {
    /// Releases equal rows and reads what came out.
    pub(super) fn release(
        lab: &Lab<'_>,
        form: Form,
        row: &[f64],
        rows: usize,
        key: Option<KeyChoice>,
        account: &Account,
        veil: impl FnOnce(usize) -> Result<VectorVeil, Error>,
    ) -> Result<Self, Error> {
        let folder = lab.folder()?;
        let key = key.unwrap_or_else(|| lab.key());
        let mut grid = Grid::WITHOUT_NOISE;
        let veil = |dim: usize| {
            let veil = veil(dim)?;
            grid = veil.grid()?;
            Ok::<_, Error>(veil)
        };
        let vectors = match form {
            Form::Pipe => {
                let (input, out) = (Input::from_bytes(form.bytes(row, rows)), SharedBytes::default());
                let mut release = VectorRelease::pipe(form.format());
                (release.account, release.key) = (account.clone(), key);
                let output = Output::writer(Box::new(out.clone()));
                let released = release.between(input, output, veil, &Silent, lab.cancel())?;
                let (bytes, json) = (out.bytes(), released.receipt.to_json());
                Self::read(form, row.len(), Input::from_bytes(bytes.clone()), &bytes, &json, grid)?
            }
            Form::List => {
                let mut values: Vec<f32> = row.iter().map(|x| *x as f32).collect::<Vec<f32>>().repeat(rows);
                let (veil, key) = (veil(row.len())?, key.key()?);
                let memory = MemoryVectors::open(veil, key, account, "canaries")?;
                let receipt = memory.release(&mut values, None, &Silent, lab.cancel())?;
                let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
                let values = values.iter().map(|value| f64::from(*value)).collect();
                Self::of(row.len(), values, &bytes, &receipt.to_json(), grid)?
            }
            _ => {
                let [input, output] =
                    ["in", "out"].map(|name| folder.join(format!("{name}.{}", form.format())));
                form.write(&input, row, rows)?;
                let mut release = VectorRelease::file(&input, &output)?;
                (release.account, release.key) = (account.clone(), key);
                let released = release.run(veil, &Silent, lab.cancel())?;
                Self::written(form, row.len(), &output, &released, grid)?
            }
        };
        if vectors.values.len() != rows * row.len() {
            return Err(ErrorKind::Bug("a release has another number of vectors than its input").into());
        }
        lab.remove(&folder)?;
        Ok(vectors)
    }

    /// Reads the files of a release.
    pub(super) fn written(
        form: Form,
        dim: usize,
        output: &Path,
        released: &ReleasedVectors,
        grid: Grid,
    ) -> Result<Self, Error> {
        let path = released.receipt_file.as_deref();
        let json = read(path.ok_or(ErrorKind::Bug("a release into a file left no receipt"))?)?;
        let json = String::from_utf8(json).map_err(|_| ErrorKind::Bug("a receipt is not text"))?;
        Self::read(form, dim, Input::path(output), &read(output)?, &json, grid)
    }

    /// Reads released vectors, and their bytes.
    fn read(
        form: Form,
        dim: usize,
        input: Input,
        bytes: &[u8],
        json: &str,
        grid: Grid,
    ) -> Result<Self, Error> {
        let mut reader = VectorReader::open(input, form.format(), &ReadOptions::default())?;
        let mut values = Vec::new();
        while let Some(batch) = reader.next_batch()? {
            values.extend_from_slice(batch.values());
        }
        let mut vectors = Self::of(dim, values, bytes, json, grid)?;
        if form.format() == VectorFormat::Jsonl {
            let lines = bytes.split_inclusive(|byte| *byte == b'\n');
            vectors.sizes = lines.map(|line| line.len() as u64).collect();
        }
        Ok(vectors)
    }

    /// The grid is that of the receipt, or the given one if it states none.
    fn of(dim: usize, values: Vec<f64>, bytes: &[u8], json: &str, grid: Grid) -> Result<Self, Error> {
        let receipt = Receipt::from_json(json)?;
        let note = serde_json::from_str::<serde_json::Value>(json).unwrap_or_default()["grid"].clone();
        let grid = serde_json::from_value(note["step"].clone()).unwrap_or(grid);
        let added = note["added_distance"].as_f64().unwrap_or(0.0);
        let sha256 = Sha256Sum::of(bytes).to_string();
        Ok(Self { dim, values, sizes: Vec::new(), sha256, receipt, grid, added })
    }

    pub(super) fn rows(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.values.chunks_exact(self.dim)
    }

    /// How many numbers are not on the grid of the receipt.
    pub(super) fn off_grid(&self) -> u64 {
        self.values.iter().filter(|value| !self.grid.contains(**value)).count() as u64
    }

    /// What the bytes of each row show beside its place: the zeros at the end of two numbers in
    /// steps of the grid, the last three bits of one, and the size of its line. Few categories
    /// each, so that each has many samples.
    pub(super) fn low_bits(&self) -> Vec<Vec<u64>> {
        let steps = |value: &f64| (value / self.grid.step()).abs() as u64;
        let zeros = |value: &f64| u64::from(steps(value).trailing_zeros().min(3));
        let two = self.rows().map(|row| row.iter().take(2).fold(0, |sum, value| sum * 4 + zeros(value)));
        let last = self.rows().map(|row| row.first().map_or(0, |value| steps(value) % 8));
        let mut views = vec![two.collect(), last.collect()];
        if !self.sizes.is_empty() {
            views.push(self.sizes.clone());
        }
        views
    }

    /// A checksum of all numbers of each row.
    pub(super) fn whole_rows(&self) -> Vec<u64> {
        let hash = |row: &[f64]| {
            row.iter().fold(14_695_981_039_346_656_037_u64, |hash, value| {
                (hash ^ value.to_bits()).wrapping_mul(1_099_511_628_211)
            })
        };
        self.rows().map(hash).collect()
    }

    /// The loss and the failure probability that the receipt states for two rows, which are `erased`
    /// apart in what an eraser leaves of them.
    pub(super) fn claimed(&self, x: &[f64], other: &[f64], erased: Option<f64>) -> Result<(f64, f64), Error> {
        let group = self.receipt.groups().first().ok_or(ErrorKind::Bug("a receipt has no group"))?;
        let (mut loss, mut delta) = (0.0, 0.0);
        for guarantee in group.guarantees() {
            // A Mahalanobis distance needs Σ, which a receipt does not hold.
            let guarantee = match guarantee.metric() {
                Metric::Mahalanobis => {
                    group.equivalents().iter().find(|one| one.metric() == Metric::Euclidean)
                }
                _ => Some(guarantee),
            };
            let guarantee = guarantee.ok_or(ErrorKind::Bug("a receipt states no euclidean guarantee"))?;
            if guarantee.metric() == Metric::Erased {
                let distance = erased.ok_or(ErrorKind::Bug("an erased distance is not known"))?;
                loss += guarantee.loss(distance + self.added)?.get();
                continue;
            }
            let directions = matches!(guarantee.metric(), Metric::Chordal | Metric::Angular);
            let [x, other] = [x, other].map(|row| if directions { unit(row) } else { row.to_vec() });
            let distance = guarantee.metric().between(&x, &other).unwrap_or(f64::INFINITY);
            let snapped = if guarantee.within().is_some() { distance } else { distance + self.added };
            loss += guarantee.loss(snapped)?.get();
            delta += guarantee.delta().unwrap_or(0.0);
        }
        if let Some(slack) = group.slack() {
            (loss, delta) = (loss + slack.epsilon().get(), delta + slack.delta());
        }
        Ok((loss, delta))
    }
}

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    std::fs::read(path).map_err(|cause| Error::write(path, cause))
}

/// What a pipe carries.
#[derive(Debug, Clone, Default)]
struct SharedBytes(Arc<Mutex<Vec<u8>>>);

impl SharedBytes {
    fn bytes(&self) -> Vec<u8> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl io::Write for SharedBytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A row after its bound.
pub(super) fn bounded(bound: Bound, row: &[f64]) -> Vec<f64> {
    let length = norm(row);
    match bound {
        Bound::Unit => unit(row),
        Bound::Clip(most) if length > most => row.iter().map(|x| x * most / length).collect(),
        Bound::Clip(_) | Bound::AsIs => row.to_vec(),
    }
}

pub(super) fn unit(row: &[f64]) -> Vec<f64> {
    let length = norm(row);
    row.iter().map(|x| x / length).collect()
}

pub(super) fn norm(row: &[f64]) -> f64 {
    dot(row, row).sqrt()
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
