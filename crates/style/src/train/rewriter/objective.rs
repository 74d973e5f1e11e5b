//! The loss of group-relative policy optimisation.

use inkveil_nn::{Error, Tensor};

/// The limits of a step of a policy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Leash {
    /// Ratios of probabilities are clipped to 1 ± this.
    pub clip: f64,
    /// The weight of the divergence from the reference.
    pub divergence: f64,
}

impl Default for Leash {
    fn default() -> Self {
        Self { clip: 0.2, divergence: 0.04 }
    }
}

/// The loss of some tokens.
#[derive(Debug)]
pub struct Objective {
    /// The loss, one number with gradients.
    pub loss: Tensor,
    /// The divergence from the reference, weighted like the loss.
    pub divergence: f64,
    /// The share of tokens whose ratio was clipped.
    pub clipped: f64,
}

/// Returns the advantages of a group: how much more each earned than the mean, in standard
/// deviations. If all earned the same, they are 0.
///
/// ```
/// use inkveil_style::train::advantages;
///
/// assert_eq!(advantages(&[1.0, 3.0]), [-1.0, 1.0]);
/// assert_eq!(advantages(&[2.0, 2.0]), [0.0, 0.0]);
/// ```
pub fn advantages(rewards: &[f64]) -> Vec<f64> {
    let count = rewards.len().max(1) as f64;
    let mean = rewards.iter().sum::<f64>() / count;
    let deviation = (rewards.iter().map(|reward| (reward - mean).powi(2)).sum::<f64>() / count).sqrt();
    rewards.iter().map(|reward| if deviation > 1e-9 { (reward - mean) / deviation } else { 0.0 }).collect()
}

/// Returns −Σ w·(min(r·A, clip(r)·A) − β·D) over tokens. r is the ratio of a token's probability
/// now to that at sampling, A the advantage of its text, w its weight, and D the divergence from
/// the reference, estimated without bias as exp(q) − q − 1 with q = log(reference / policy).
///
/// `now`, `drawn` and `reference` hold log-probabilities. Only `now` has gradients.
///
/// # Errors
/// If the lengths differ.
pub fn grpo_objective(
    now: &Tensor,
    drawn: &Tensor,
    reference: &Tensor,
    advantages: &[f32],
    weights: &[f32],
    leash: &Leash,
) -> Result<Objective, Error> {
    let advantages = Tensor::new(advantages, now.device())?;
    let weights = Tensor::new(weights, now.device())?;
    let ratio = (now - drawn.detach())?.exp()?;
    let limited = ratio.clamp(1.0 - leash.clip, 1.0 + leash.clip)?;
    let gain = (&ratio * &advantages)?.minimum(&(&limited * &advantages)?)?;
    let q = (reference.detach() - now)?;
    let divergence = ((q.exp()? - &q)? - 1.0)?;
    let loss = ((&divergence * leash.divergence)? - gain)?;
    let scalar = |tensor: Tensor| -> Result<f64, Error> {
        Ok(f64::from(tensor.detach().sum_all()?.to_scalar::<f32>()?))
    };
    let outside = (ratio.detach() - limited.detach())?.abs()?.gt(0.0)?;
    Ok(Objective {
        loss: (&loss * &weights)?.sum_all()?,
        divergence: scalar((&divergence * &weights)?)?,
        clipped: scalar(outside.to_dtype(inkveil_nn::DType::F32)?)? / now.elem_count().max(1) as f64,
    })
}

#[cfg(test)]
mod tests {
    use inkveil_nn::layers::log_softmax;
    use inkveil_nn::train::Gradients;
    use inkveil_nn::{Device, Init, Scope};

    use super::*;

    const FREE: Leash = Leash { clip: 10.0, divergence: 0.0 };

    fn tensor(values: &[f32]) -> Tensor {
        Tensor::new(values, &Device::Cpu).unwrap()
    }

    /// Returns the gradient of the objective by three logits from which tokens are sampled.
    fn gradient(
        tokens: &[u32],
        advantages: &[f32],
        shift: f32,
        reference: &[f32],
        leash: &Leash,
    ) -> Vec<f32> {
        let scope = Scope::trainable(None, &Device::Cpu, 1);
        let logits = scope.get("logits", &[3], Init::Normal { std: 1.0 }).unwrap();
        let all = log_softmax(&logits).unwrap();
        let now = all.index_select(&Tensor::new(tokens, &Device::Cpu).unwrap(), 0).unwrap();
        let drawn = (now.detach() - f64::from(shift)).unwrap();
        let weights = vec![1.0 / tokens.len() as f32; tokens.len()];
        let objective =
            grpo_objective(&now, &drawn, &tensor(reference), advantages, &weights, leash).unwrap();
        let mut gradients = Gradients::new(scope.variables());
        gradients.add(&objective.loss, 1.0).unwrap();
        gradients.get("logits").unwrap().to_vec1().unwrap()
    }

    fn probabilities() -> Vec<f32> {
        let scope = Scope::trainable(None, &Device::Cpu, 1);
        let logits = scope.get("logits", &[3], Init::Normal { std: 1.0 }).unwrap();
        log_softmax(&logits).unwrap().exp().unwrap().to_vec1().unwrap()
    }

    fn close(found: &[f32], wanted: &[f32]) {
        assert!(found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-6), "{found:?} {wanted:?}");
    }

    #[test]
    fn the_gradient_equals_that_computed_by_hand() {
        let p = probabilities();
        let (tokens, advantages) = ([0, 2, 2], [1.5, -0.5, 0.25]);
        // d(log p_t)/d(logit_j) = [t = j] − p_j, and the ratio is 1 if nothing has changed: −Σ
        // w·A·([t = j] − p_j).
        let wanted: Vec<f32> = (0..3)
            .map(|j| {
                let terms = tokens.iter().zip(advantages);
                -terms.map(|(&t, a)| a * (f32::from(u8::from(t == j)) - p[j as usize]) / 3.0).sum::<f32>()
            })
            .collect();
        close(&gradient(&tokens, &advantages, 0.0, &[0.0; 3], &FREE), &wanted);
        // If the policy has changed since sampling, the ratio is a factor.
        let ratio = 0.3f32.exp();
        let moved: Vec<f32> = wanted.iter().map(|x| x * ratio).collect();
        close(&gradient(&tokens, &advantages, 0.3, &[0.0; 3], &FREE), &moved);
    }

    #[test]
    fn clipping_stops_only_changes_beyond_the_limit() {
        let leash = Leash { clip: 0.2, divergence: 0.0 };
        let far = 0.5; // the ratio is e^.5 = 1.65, or e^−.5 = .61
        assert_eq!(gradient(&[1], &[1.0], far, &[0.0], &leash), [0.0; 3]);
        assert_eq!(gradient(&[1], &[-1.0], -far, &[0.0], &leash), [0.0; 3]);
        // Changes back are never clipped.
        let back = gradient(&[1], &[-1.0], far, &[0.0], &leash);
        close(&back, &gradient(&[1], &[-1.0], far, &[0.0], &FREE));
        assert!(back[1] > 0.1);
        let objective = grpo_objective(
            &tensor(&[-1.0, -1.0]),
            &tensor(&[-1.5, -1.0]),
            &tensor(&[-1.0, -1.0]),
            &[1.0, 1.0],
            &[0.5, 0.5],
            &leash,
        )
        .unwrap();
        assert!((objective.clipped - 0.5).abs() < 1e-6);
        // −(1.2 + 1) / 2.
        assert!((objective.loss.to_scalar::<f32>().unwrap() + 1.1).abs() < 1e-6);
    }

    #[test]
    fn divergence_is_never_negative_and_its_gradient_points_back() {
        let leash = Leash { clip: 0.2, divergence: 1.0 };
        for (now, reference) in [(-1.0f32, -1.0f32), (-0.5, -1.5), (-1.5, -0.5)] {
            let found = grpo_objective(
                &tensor(&[now]),
                &tensor(&[now]),
                &tensor(&[reference]),
                &[0.0],
                &[1.0],
                &leash,
            )
            .unwrap();
            let q = f64::from(reference - now);
            assert!((found.divergence - (q.exp() - q - 1.0)).abs() < 1e-6);
        }
        // There is no reward. The token is likelier than in the reference, so its logit falls.
        let p = probabilities();
        let pulled = gradient(&[1], &[0.0], 0.0, &[p[1].ln() - 1.0], &leash);
        assert!(pulled[1] > 0.0 && pulled[0] < 0.0 && pulled[2] < 0.0, "{pulled:?}");
        close(&gradient(&[1], &[0.0], 0.0, &[p[1].ln()], &leash), &[0.0; 3]);
    }
}
