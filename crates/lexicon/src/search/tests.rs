use super::*;
use inkveil_privacy::{Kappa, NoiseAddress, NoiseKey, Purpose, Vmf, perturb_rows};
use proptest::prelude::*;

const BACKENDS: [Backend; 3] = [Backend::Int8, Backend::Bf16, Backend::F32];

/// The definition: scores every row in `f64`; best score first, then lowest index.
fn brute_force(rows: &[f32], dim: usize, allowed: &[u32], query: &[f32], k: usize) -> Vec<u32> {
    let score = |id: u32| {
        let row = &rows[id as usize * dim..][..dim];
        // Adding zero turns a negative zero into a positive one.
        row.iter().zip(query).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum::<f64>() + 0.0
    };
    let mut all: Vec<(f64, u32)> = allowed.iter().map(|&id| (score(id), id)).collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    all.truncate(k);
    all.into_iter().map(|(_, id)| id).collect()
}

fn ids(found: &[Match]) -> Vec<u32> {
    found.iter().map(|m| m.id).collect()
}

fn normals(count: usize, seed: u64) -> Vec<f32> {
    let mut stream = NoiseKey::insecure_from_seed(seed)
        .stream(NoiseAddress::record(0).purpose(Purpose::named("test")), &());
    (0..count).map(|_| stream.normal() as f32).collect()
}

fn unit_rows(rows: usize, dim: usize, seed: u64) -> Vec<f32> {
    let mut values = normals(rows * dim, seed);
    for row in values.chunks_mut(dim) {
        let length = row.iter().map(|x| x * x).sum::<f32>().sqrt();
        row.iter_mut().for_each(|x| *x /= length);
    }
    values
}

/// Compares every backend with the definition.
fn assert_exact(rows: Vec<f32>, dim: usize, allowed: &[u32], queries: &[f32], k: usize) {
    let rows = Arc::new(rows);
    for backend in BACKENDS {
        let search = Search::with_backend(rows.clone(), dim, allowed, backend).unwrap();
        let found = search.nearest_k(queries, k).unwrap();
        assert_eq!(found.len(), queries.len() / dim);
        for (query, found) in queries.chunks(dim).zip(&found) {
            assert_eq!(ids(found), brute_force(&rows, dim, allowed, query, k), "{backend:?}");
        }
    }
}

#[test]
fn noisy_queries_match_brute_force() {
    let (rows, dim) = (3000, 96);
    let table = unit_rows(rows, dim, 1);
    let allowed: Vec<u32> = (0..rows as u32).filter(|id| id % 7 != 0).collect();
    for (i, kappa) in [20.0, 100.0, 400.0].into_iter().enumerate() {
        let mut queries = table[..300 * dim].to_vec();
        let mechanism = Vmf::new(dim, Kappa::new(kappa).unwrap()).unwrap();
        let key = NoiseKey::insecure_from_seed(i as u64);
        perturb_rows(&mechanism, &mut queries, NoiseAddress::record(0), &key).unwrap();
        assert_exact(table.clone(), dim, &allowed, &queries, 1);
    }
    assert_exact(table, dim, &allowed, &normals(100 * dim, 9), 10);
}

#[test]
fn duplicates_give_the_lowest_index() {
    let dim = 24;
    let one = unit_rows(1, dim, 3);
    let table: Vec<f32> = one.iter().copied().cycle().take(dim * 1500).collect();
    let allowed: Vec<u32> = (5..1500).rev().collect();
    let rows = Arc::new(table);
    for backend in BACKENDS {
        let search = Search::with_backend(rows.clone(), dim, &allowed, backend).unwrap();
        assert_eq!(search.nearest(&one).unwrap()[0].id, 5);
        assert_eq!(ids(&search.nearest_k(&one, 3).unwrap()[0]), [5, 6, 7]);
    }
}

#[test]
fn near_ties_are_resolved_exactly() {
    // Rows that differ only in the last bits of one coordinate: no fast product can distinguish
    // them.
    let dim = 40;
    let one = unit_rows(1, dim, 4);
    let mut table: Vec<f32> = one.iter().copied().cycle().take(dim * 700).collect();
    for (i, row) in table.chunks_mut(dim).enumerate() {
        row[17] = f32::from_bits(row[17].to_bits() + (i as u32 * 37) % 64);
    }
    let allowed: Vec<u32> = (0..700).collect();
    assert_exact(table, dim, &allowed, &one, 5);
}

#[test]
fn extreme_queries_and_uneven_rows_match_brute_force() {
    let dim = 48;
    let mut table = unit_rows(900, dim, 5);
    // A few very large coordinates make 8-bit rows coarse.
    table.chunks_mut(dim).for_each(|row| row[0] = 30.0 * (1.0 + row[1]));
    let allowed: Vec<u32> = (0..900).collect();
    for size in [1e-42, 1e-30, 1.0, 1e30] {
        let queries: Vec<f32> = normals(40 * dim, 6).iter().map(|x| x * size).collect();
        assert_exact(table.clone(), dim, &allowed, &queries, 2);
    }
    assert_exact(table.clone(), dim, &allowed, &vec![0.0; dim], 3);
    let chosen = Search::new(Arc::new(table), dim, &allowed).unwrap().backend().unwrap();
    assert_ne!(chosen, Backend::Int8, "8 bits are too coarse for these rows");
}

#[test]
fn few_queries_do_not_pack_the_table() {
    let (rows, dim) = (2000, 32);
    let table = unit_rows(rows, dim, 7);
    let allowed: Vec<u32> = (0..rows as u32).collect();
    let search = Search::new(Arc::new(table.clone()), dim, &allowed).unwrap();
    let few = search.nearest(&table[..3 * dim]).unwrap();
    assert!(search.packed.get().is_none());
    let many = search.nearest(&table[..WORTH_PACKING * dim]).unwrap();
    assert!(search.packed.get().is_some());
    assert_eq!(ids(&few), ids(&many)[..3]);
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let (rows, dim) = (2100, 32);
    let table = Arc::new(unit_rows(rows, dim, 8));
    let allowed: Vec<u32> = (0..rows as u32).collect();
    let queries = normals(300 * dim, 10);
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let search = Search::with_backend(table.clone(), dim, &allowed, Backend::Int8).unwrap();
        pool.install(|| {
            (search.nearest_k(&queries, 4).unwrap(), search.nearest_k(&queries[..dim], 4).unwrap())
        })
    };
    let one = with(1);
    assert_eq!(one, with(3));
    assert_eq!(one, with(16));
}

#[test]
fn wrong_arguments_are_refused() {
    let rows: Arc<Vec<f32>> = Arc::new(vec![1.0, 0.0, 0.0, 1.0]);
    let refused = |dim, allowed: &[u32]| Search::new(rows.clone(), dim, allowed).unwrap_err().to_string();
    assert!(refused(3, &[0]).contains("whole rows"));
    assert!(refused(0, &[0]).contains("whole rows"));
    assert!(refused(2, &[2]).contains("only 2 rows"));
    assert!(refused(2, &[]).contains("released"));
    assert!(Search::new(Arc::new(vec![f32::NAN]), 1, &[0]).is_err());
    let too_long = Search::with_backend(Arc::new(vec![1e30]), 1, &[0], Backend::Int8).unwrap();
    assert!(too_long.nearest(&[1.0]).is_err());

    let search = Search::new(rows, 2, &[0, 1]).unwrap();
    assert!(search.nearest(&[1.0]).is_err());
    let error = search.nearest(&[1.0, 2.0, f32::INFINITY, 0.0]).unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::NotFinite { query: 1 });
    assert_eq!(search.nearest(&[]).unwrap(), []);
    assert_eq!(search.nearest_k(&[1.0, 1.0], 0).unwrap(), [vec![]]);
    assert_eq!(ids(&search.nearest_k(&[1.0, 2.0], 9).unwrap()[0]), [1, 0]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_table_and_query_match_brute_force(
        (dim, rows, queries) in (1..70_usize, 1..40_usize, 1..5_usize).prop_flat_map(|(dim, rows, queries)| {
            // Few distinct values, so that there are ties; some tables with a wide range.
            let value = prop_oneof![-3..=3_i8, Just(0_i8), Just(120_i8)].prop_map(f32::from);
            let values = |count| proptest::collection::vec(value.clone(), count);
            (Just(dim), values(rows * dim), values(queries * dim))
        }),
        k in 1..6_usize,
    ) {
        let allowed: Vec<u32> = (0..(rows.len() / dim) as u32).collect();
        assert_exact(rows, dim, &allowed, &queries, k);
    }
}
