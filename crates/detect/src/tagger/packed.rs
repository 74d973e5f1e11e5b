//! The network of the fast tagger for inference: the weights of [`WordNet`](super::net::WordNet), packed
//! for this processor.

use inkveil_nn::Weights;
use inkveil_nn::cpu::{PackedLinear, PackedNorm, PackedTable, Precision, gelu};

use super::decode::softmax;
use super::features::{DENSE, Features, PART_ROWS, PARTS, SHAPE_ROWS, WORD_ROWS};
use super::labels::LABELS;
use super::net::{STEPS, TABLE_WIDTH, WIDTH};

const INPUTS: usize = 3 * TABLE_WIDTH + DENSE;

/// Computes the same as `WordNet`, without the parts for training.
pub(super) struct PackedNet {
    words: PackedTable,
    parts: PackedTable,
    shapes: PackedTable,
    input: PackedLinear,
    layers: Vec<Layer>,
    output: PackedLinear,
}

struct Layer {
    map: PackedLinear,
    norm: PackedNorm,
    step: usize,
}

/// Buffers of one thread, reused for all groups.
#[derive(Default)]
pub(super) struct Buffers {
    words: Vec<f32>,
    parts: Vec<f32>,
    shapes: Vec<f32>,
    /// Rows side by side, as input of a linear map.
    wide: Vec<f32>,
    states: Vec<f32>,
    changes: Vec<f32>,
    probabilities: Vec<f32>,
}

impl PackedNet {
    pub(super) fn open(weights: &Weights, precision: Precision) -> Result<Self, inkveil_nn::Error> {
        let table =
            |name: &str, rows| PackedTable::open(weights, &format!("{name}.weight"), [rows, TABLE_WIDTH]);
        let linear = |name: &str, shape| PackedLinear::open(weights, name, shape, precision);
        let layer = |(n, &step)| {
            let map = linear(&format!("layer.{n}.map"), [WIDTH, 3 * WIDTH])?;
            let norm = PackedNorm::open(weights, &format!("layer.{n}.norm"), WIDTH, 1e-5)?;
            Ok(Layer { map, norm, step })
        };
        Ok(PackedNet {
            words: table("words", WORD_ROWS)?,
            parts: table("parts", PART_ROWS)?,
            shapes: table("shapes", SHAPE_ROWS)?,
            input: linear("input", [WIDTH, INPUTS])?,
            layers: STEPS.iter().enumerate().map(layer).collect::<Result<_, inkveil_nn::Error>>()?,
            output: linear("output", [LABELS, WIDTH])?,
        })
    }

    /// Returns the probabilities of all labels, a row of [`LABELS`] for each word.
    pub(super) fn probabilities<'r>(
        &self,
        features: &Features,
        buffers: &'r mut Buffers,
    ) -> Result<&'r [f32], inkveil_nn::Error> {
        buffers.fit(features.len());
        self.embed(features, buffers)?;
        for layer in &self.layers {
            layer.apply(buffers)?;
            clear_gaps(&mut buffers.states, features);
        }
        self.output.forward(&buffers.states, &mut buffers.probabilities)?;
        buffers.probabilities.chunks_exact_mut(LABELS).for_each(softmax);
        Ok(&buffers.probabilities)
    }

    /// Embeds words without context.
    fn embed(&self, features: &Features, buffers: &mut Buffers) -> Result<(), inkveil_nn::Error> {
        self.words.sums(&features.words, 1, &mut buffers.words)?;
        self.parts.sums(&features.parts, PARTS, &mut buffers.parts)?;
        self.shapes.sums(&features.shapes, 1, &mut buffers.shapes)?;
        let tables = [&buffers.words, &buffers.parts, &buffers.shapes];
        let wide = &mut buffers.wide[..features.len() * INPUTS];
        for (row, wide) in wide.chunks_exact_mut(INPUTS).enumerate() {
            let (embedded, dense) = wide.split_at_mut(3 * TABLE_WIDTH);
            for (out, table) in embedded.chunks_exact_mut(TABLE_WIDTH).zip(tables) {
                out.copy_from_slice(&table[row * TABLE_WIDTH..][..TABLE_WIDTH]);
            }
            dense.copy_from_slice(&features.dense[row * DENSE..][..DENSE]);
        }
        self.input.forward(wide, &mut buffers.states)?;
        gelu(&mut buffers.states);
        clear_gaps(&mut buffers.states, features);
        Ok(())
    }
}

impl Layer {
    /// Combines every word with the words `step` before and after it.
    fn apply(&self, buffers: &mut Buffers) -> Result<(), inkveil_nn::Error> {
        let states = &buffers.states;
        let state = |row: Option<usize>| row.and_then(|row| states.get(row * WIDTH..(row + 1) * WIDTH));
        let wide = &mut buffers.wide[..states.len() * 3];
        for (row, wide) in wide.chunks_exact_mut(3 * WIDTH).enumerate() {
            let seen = [row.checked_sub(self.step), Some(row), row.checked_add(self.step)];
            for (out, row) in wide.chunks_exact_mut(WIDTH).zip(seen) {
                match state(row) {
                    Some(state) => out.copy_from_slice(state),
                    None => out.fill(0.0),
                }
            }
        }
        self.map.forward(wide, &mut buffers.changes)?;
        gelu(&mut buffers.changes);
        self.norm.add(&mut buffers.states, &mut buffers.changes)
    }
}

impl Buffers {
    fn fit(&mut self, rows: usize) {
        for table in [&mut self.words, &mut self.parts, &mut self.shapes] {
            table.resize(rows * TABLE_WIDTH, 0.0);
        }
        self.wide.resize(rows * INPUTS.max(3 * WIDTH), 0.0);
        self.states.resize(rows * WIDTH, 0.0);
        self.changes.resize(rows * WIDTH, 0.0);
        self.probabilities.resize(rows * LABELS, 0.0);
    }
}

/// Clears the rows between texts, so that texts do not influence each other.
fn clear_gaps(states: &mut [f32], features: &Features) {
    for (state, &keep) in states.chunks_exact_mut(WIDTH).zip(&features.keep) {
        if keep == 0.0 {
            state.fill(0.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::OnceLock;

    use inkveil_nn::layers;
    use inkveil_nn::{Device, Scope, quantise};

    use super::*;
    use crate::gazetteer::{EntryFlags, Gazetteer};
    use crate::tagger::net::{REACH, WordNet};
    use crate::tagger::words::words;

    /// Returns random weights in 8 bits, in the format of trained ones.
    fn random_weights() -> Weights {
        static MADE: OnceLock<Weights> = OnceLock::new();
        MADE.get_or_init(make_weights).clone()
    }

    fn make_weights() -> Weights {
        let folder = tempfile::tempdir().unwrap();
        let (rough, small) =
            (folder.path().join("rough.safetensors"), folder.path().join("small.safetensors"));
        let scope = Scope::trainable(None, &Device::Cpu, 5);
        WordNet::new(&scope).unwrap();
        inkveil_nn::train::save_weights(&rough, &scope.variables()).unwrap();
        quantise(&Weights::open(&rough).unwrap(), &small, &mut |_, _| ()).unwrap();
        Weights::from_bytes(std::fs::read(&small).unwrap()).unwrap()
    }

    /// Returns the features of texts with gaps between them.
    fn features(texts: &[&str]) -> Features {
        let gazetteer = Gazetteer::build([("Lima", EntryFlags::CITY), ("Rosa", EntryFlags::GIVEN)]).unwrap();
        let mut features = Features::default();
        for text in texts {
            features.push(text, &words(text), &gazetteer, || false);
            features.push_gap(REACH);
        }
        features
    }

    fn long() -> String {
        (0..400).map(|n| format!("Rosa {n} wrote from Lima, ")).collect()
    }

    fn probabilities(net: &PackedNet, features: &Features) -> Vec<f32> {
        net.probabilities(features, &mut Buffers::default()).unwrap().to_vec()
    }

    #[test]
    fn packed_and_trained_networks_agree() {
        let weights = random_weights();
        let trained = WordNet::new(&Scope::frozen(&weights, &Device::Cpu)).unwrap();
        let long = long();
        let features = features(&["", "Rosa", "Call Dr. O'Neil\nat 12:30!", &long]);
        let wanted = layers::softmax(&trained.forward(&features).unwrap()).unwrap();
        let wanted = wanted.flatten_all().unwrap().to_vec1::<f32>().unwrap();
        for (precision, close) in [(Precision::F32, 1e-4), (Precision::Bf16, 2e-2), (Precision::Int8, 3e-2)] {
            let found = probabilities(&PackedNet::open(&weights, precision).unwrap(), &features);
            assert_eq!(found.len(), wanted.len());
            let worst = found.iter().zip(&wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(worst < close, "{precision:?}: {worst}");
        }
    }

    #[test]
    fn texts_do_not_influence_each_other() {
        let weights = random_weights();
        let long = long();
        let texts = ["One line.", "", "Rosa\n\nand Lima", &long, "7"];
        for (precision, close) in [(Precision::F32, 1e-5), (Precision::Bf16, 0.0), (Precision::Int8, 0.0)] {
            let net = PackedNet::open(&weights, precision).unwrap();
            let together = probabilities(&net, &features(&texts));
            let alone = texts.iter().flat_map(|text| probabilities(&net, &features(&[text])));
            let pairs: Vec<(f32, f32)> = together.iter().copied().zip(alone).collect();
            assert_eq!(pairs.len(), together.len());
            assert!(pairs.iter().all(|(a, b)| (a - b).abs() <= close), "{precision:?}");
        }
    }

    #[test]
    fn buffers_can_be_reused() {
        let net = PackedNet::open(&random_weights(), Precision::fastest()).unwrap();
        let (short, long) = (features(&["Rosa was here"]), features(&[&long()]));
        let mut buffers = Buffers::default();
        let first = net.probabilities(&short, &mut buffers).unwrap().to_vec();
        net.probabilities(&long, &mut buffers).unwrap();
        assert_eq!(net.probabilities(&short, &mut buffers).unwrap(), first);
        assert!(net.probabilities(&Features::default(), &mut buffers).unwrap().is_empty());
    }
}
