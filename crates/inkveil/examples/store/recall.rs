//! The share of search results that noise keeps.

/// Returns the places of the `k` vectors nearest to a query by cosine, from vectors without noise.
pub(crate) fn nearest(vectors: &[Vec<f32>], query: &[f32], k: u32) -> Vec<u64> {
    let mut places: Vec<(f32, u64)> =
        (0..).zip(vectors).map(|(place, vector)| (cosine(vector, query), place)).collect();
    places.sort_by(|a, b| b.0.total_cmp(&a.0));
    places.into_iter().take(k as usize).map(|(_, place)| place).collect()
}

/// Returns the share of the wanted places that were found.
pub(crate) fn recall(wanted: &[u64], found: &[u64]) -> f64 {
    let both = wanted.iter().filter(|place| found.contains(place)).count();
    both as f64 / wanted.len().max(1) as f64
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f32>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}
