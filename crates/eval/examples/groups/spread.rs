//! Means and deviations over seeds.

pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// In percent, with the deviation if there is one.
pub(crate) fn spread(values: &[f64]) -> String {
    let mean = mean(values);
    match values.len() {
        0 => "–".to_owned(),
        1 => format!("{:.1}", 100.0 * mean),
        count => {
            let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
            format!("{:.1} ± {:.1}", 100.0 * mean, 100.0 * (squares / (count - 1) as f64).sqrt())
        }
    }
}
