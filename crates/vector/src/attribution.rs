//! The white-box variant (SPARSE-WB): the dimensions that a given attacker uses.

use inkveil_nn::Mlp;

use crate::Error;

/// Returns the importance of each dimension for an attacker: the mean size of its integrated
/// gradients (Sundararajan et al., 2017), along straight lines from the mean of all rows to each
/// row, in `steps` steps. `answers` are the correct outputs for each row, such as the sensitive
/// words in its text. Rows without an answer are skipped. The result is scaled like a mask: the
/// largest value is 1.
///
/// # Errors
/// If the rows do not fit the attacker, or no row has an answer.
pub fn attribution(
    attacker: &Mlp,
    rows: &[f32],
    answers: &[Vec<usize>],
    steps: usize,
) -> Result<Vec<f32>, Error> {
    let dim = attacker.inputs();
    if rows.len() != answers.len() * dim || rows.is_empty() {
        return Err(Error::shape(format!(
            "{} numbers do not make {} rows of {dim} dimensions, as the attacker needs",
            rows.len(),
            answers.len()
        )));
    }
    if steps == 0 {
        return Err(Error::setting("integrated gradients need at least one step"));
    }
    let mut mean = vec![0.0_f32; dim];
    let share = 1.0 / answers.len() as f32;
    rows.chunks_exact(dim).for_each(|row| mean.iter_mut().zip(row).for_each(|(m, x)| *m += x * share));
    let mut totals = vec![0.0_f64; dim];
    let mut line = Vec::with_capacity(steps * dim);
    for (row, answers) in rows.chunks_exact(dim).zip(answers) {
        if answers.is_empty() {
            continue;
        }
        line.clear();
        for step in 0..steps {
            // Midpoints give the smallest error for few points.
            let at = (step as f32 + 0.5) / steps as f32;
            line.extend(row.iter().zip(&mean).map(|(x, m)| m + at * (x - m)));
        }
        for &answer in answers {
            let gradients = attacker.input_gradients(&line, answer)?;
            for (dimension, total) in totals.iter_mut().enumerate() {
                let slope: f32 = gradients.iter().skip(dimension).step_by(dim).sum();
                *total += f64::from((slope / steps as f32 * (row[dimension] - mean[dimension])).abs());
            }
        }
    }
    let largest = totals.iter().copied().fold(0.0, f64::max);
    if largest <= 0.0 {
        return Err(Error::too_few("no row has an answer for the attacker"));
    }
    Ok(totals.into_iter().map(|total| (total / largest) as f32).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use inkveil_nn::MlpTraining;

    #[test]
    fn the_only_dimension_that_an_attacker_uses_is_found() {
        let rows: Vec<f32> =
            (0..64_u32).flat_map(|i| [(i * 7 % 64) as f32 / 64.0, (i % 2) as f32 - 0.5, 0.3]).collect();
        let targets: Vec<f32> = (0..64).map(|i| (i % 2) as f32).collect();
        let mut training = MlpTraining::new(Mlp::new(&[3, 8, 1], 2).unwrap(), 0.02);
        for _ in 0..300 {
            training.step(&rows, &targets).unwrap();
        }
        let answers: Vec<Vec<usize>> = (0..64).map(|i| if i % 2 == 1 { vec![0] } else { vec![] }).collect();
        let found = attribution(training.mlp(), &rows, &answers, 8).unwrap();
        assert_eq!(found[1], 1.0);
        assert!(found[0] < 0.3 && found[2] < 0.05, "{found:?}");
        assert!(attribution(training.mlp(), &rows, &answers[1..], 8).is_err());
        assert!(attribution(training.mlp(), &rows, &vec![vec![]; 64], 8).is_err());
    }
}
