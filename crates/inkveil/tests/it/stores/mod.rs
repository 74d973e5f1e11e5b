//! Embed, veil, insert, search: the code of the example `store` with real stores, and what happens to rows when a store stops.

#[path = "../../../examples/store/kept_key.rs"]
mod kept_key;
#[path = "../../../examples/store/postgres.rs"]
mod postgres;
#[path = "../../../examples/store/recall.rs"]
mod recall;
#[path = "../../../examples/store/release.rs"]
mod release;
#[path = "../../../examples/store/sqlite.rs"]
mod sqlite;
#[path = "../../../examples/store/store.rs"]
mod store;

mod keeping_keys;
mod on_postgres;
mod on_sqlite;
mod resuming;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::OnceLock;

use inkveil::{Epsilon, NoiseKey, VectorVeil, Veil};
use inkveil_nn::SentenceEncoder;

use release::{Release, ReleaseError};
use store::{Store, StoreError};

const TEXTS: &str = include_str!("../../../examples/store/texts.txt");
const QUERIES: [&str; 4] = [
    "The loaf needs more water and a hotter oven.",
    "There is no train tonight, and the bus is late.",
    "The rent is too high for a flat without heating.",
    "When are apple trees cut?",
];
const NEAREST: u32 = 5;

struct Embedded {
    texts: Vec<Vec<f32>>,
    queries: Vec<Vec<f32>>,
}

/// The texts and queries as vectors of the default pack, which is opened once.
fn embedded() -> &'static Embedded {
    static EMBEDDED: OnceLock<Embedded> = OnceLock::new();
    EMBEDDED.get_or_init(|| {
        let pack = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/en"));
        let encoder = SentenceEncoder::open(pack).unwrap();
        let texts: Vec<&str> = TEXTS.lines().collect();
        Embedded { texts: encoder.encode(&texts).unwrap(), queries: encoder.encode(&QUERIES).unwrap() }
    })
}

fn dim() -> usize {
    embedded().texts[0].len()
}

fn all_ids() -> BTreeSet<u64> {
    (0..embedded().texts.len() as u64).collect()
}

fn veil(epsilon: f64) -> VectorVeil {
    Veil::vectors(Epsilon::new(epsilon).unwrap()).build(dim()).unwrap()
}

/// Stores all texts that are not there yet, with the noise of a seed.
fn release(store: &mut dyn Store, epsilon: f64, seed: u64) -> Result<(), ReleaseError> {
    let key = NoiseKey::insecure_from_seed(seed);
    Release { vectors: &embedded().texts, veil: &veil(epsilon), key: &key }.store_missing(store)
}

/// The mean recall of veiled queries.
fn mean_recall(store: &mut dyn Store, epsilon: f64, seed: u64) -> f64 {
    let Embedded { texts, queries } = embedded();
    let mut sent = queries.concat();
    veil(epsilon).apply(&mut sent, 0, &NoiseKey::insecure_from_seed(seed)).unwrap();
    let recalls = queries.iter().zip(sent.chunks_exact(dim())).map(|(plain, sent)| {
        recall::recall(&recall::nearest(texts, plain, NEAREST), &store.nearest(sent, NEAREST).unwrap())
    });
    recalls.sum::<f64>() / queries.len() as f64
}

/// What stands in for an insert: it gets the insert's number, counted from 1, and the insert itself.
type OnInsert<'a> =
    &'a mut dyn FnMut(usize, &mut dyn FnMut() -> Result<(), StoreError>) -> Result<(), StoreError>;

/// A store to which something happens, and what was sent to it.
struct Eventful<'a> {
    store: &'a mut dyn Store,
    on_insert: OnInsert<'a>,
    sent: Vec<(Vec<u64>, Vec<f32>)>,
}

impl<'a> Eventful<'a> {
    fn new(store: &'a mut dyn Store, on_insert: OnInsert<'a>) -> Self {
        Self { store, on_insert, sent: Vec::new() }
    }
}

impl Store for Eventful<'_> {
    fn insert(&mut self, ids: &[u64], rows: &[f32]) -> Result<(), StoreError> {
        self.sent.push((ids.to_vec(), rows.to_vec()));
        (self.on_insert)(self.sent.len(), &mut || self.store.insert(ids, rows))
    }

    fn ids(&mut self) -> Result<BTreeSet<u64>, StoreError> {
        self.store.ids()
    }

    fn nearest(&mut self, query: &[f32], k: u32) -> Result<Vec<u64>, StoreError> {
        self.store.nearest(query, k)
    }
}
