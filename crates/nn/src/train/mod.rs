//! Training: gradients, the optimiser, learning rate schedules and checkpoints.
//!
//! ```
//! use inkveil_nn::layers::Linear;
//! use inkveil_nn::train::{AdamW, AdamWSettings, Decay, Gradients, Schedule};
//! use inkveil_nn::{Device, Scope, Tensor};
//!
//! let scope = Scope::trainable(None, &Device::Cpu, 7);
//! let model = Linear::new(&scope.enter("line"), 1, 1, true)?;
//! let x = Tensor::new(&[[0f32], [1.0], [2.0]], &Device::Cpu)?;
//! let y = Tensor::new(&[[1f32], [3.0], [5.0]], &Device::Cpu)?;
//!
//! let steps = 300;
//! let schedule = Schedule { peak: 0.1, warm_up: 10, steps, decay: Decay::Linear };
//! let mut optimiser = AdamW::new(scope.variables(), AdamWSettings { weight_decay: 0.0, ..Default::default() })?;
//! let mut gradients = Gradients::new(scope.variables());
//! for step in 0..steps {
//!     scope.train_at(step)?;
//!     gradients.add(&(model.forward(&x)? - &y)?.sqr()?.mean_all()?, 1.0)?;
//!     gradients.clip(1.0)?;
//!     optimiser.step(&mut gradients, schedule.rate(step))?;
//! }
//! scope.infer();
//! let found = model.forward(&Tensor::new(&[[10f32]], &Device::Cpu)?)?.to_vec2::<f32>()?[0][0];
//! assert!((found - 21.0).abs() < 0.1, "{found}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod adamw;
mod checkpoint;
mod gradients;
mod schedule;

pub use adamw::{AdamW, AdamWSettings, ParameterGroup};
pub use checkpoint::save_weights;
pub use gradients::Gradients;
pub use schedule::{Decay, Schedule};
