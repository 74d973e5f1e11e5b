//! Work that takes the processor, with a place and a time limit.

use std::time::Duration;

use tokio::sync::OwnedSemaphorePermit;

use super::{Gateway, place_of};
use crate::engine::Engine;
use crate::error::Failure;
use crate::settings::Settings;

/// Why work gave no result.
enum Unfinished {
    /// It broke off.
    Failed,
    /// It took too long.
    Slow,
}

impl Gateway {
    /// Runs work that takes the processor, with a time limit.
    ///
    /// # Errors
    /// If it takes too long or breaks off. Nothing is sent then.
    pub async fn work<T: Send + 'static>(
        &self,
        settings: &Settings,
        work: impl FnOnce(&Engine) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        self.work_for(settings.limits.veiling, work).await
    }

    /// Runs work that may take this long. Work that takes longer goes on until it ends, and keeps its place until then, so
    /// that it cannot pile up.
    ///
    /// # Errors
    /// As [`work`](Self::work), and if earlier work has all places.
    pub async fn work_for<T: Send + 'static>(
        &self,
        longest: Duration,
        work: impl FnOnce(&Engine) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        self.work_at(place_of(&self.working)?, longest, work).await.unwrap_or_else(|unfinished| {
            Err(match unfinished {
                Unfinished::Failed => {
                    Failure::unavailable("veil_failed", "the text could not be veiled, so nothing was sent")
                }
                Unfinished::Slow => {
                    Failure::unavailable("veil_slow", "veiling took too long, so nothing was sent")
                }
            })
        })
    }

    /// Runs work on an answer. Its request was sent and charged, so this waits for a place.
    ///
    /// # Errors
    /// If it takes too long or breaks off. The answer is lost then.
    pub(super) async fn work_on_answer<T: Send + 'static>(
        &self,
        settings: &Settings,
        work: impl FnOnce(&Engine) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let longest = settings.limits.veiling;
        let done = match tokio::time::timeout(longest, self.working.clone().acquire_owned()).await {
            Ok(Ok(place)) => self.work_at(place, longest, work).await,
            Ok(Err(_)) => Err(Unfinished::Failed),
            Err(_) => Err(Unfinished::Slow),
        };
        done.unwrap_or_else(|unfinished| {
            let message = match unfinished {
                Unfinished::Failed => "the answer could not be veiled; the request was sent and charged",
                Unfinished::Slow => "veiling the answer took too long; the request was sent and charged",
            };
            Err(Failure::unavailable("answer_lost", message))
        })
    }

    /// Runs work that keeps its place until it ends.
    async fn work_at<T: Send + 'static>(
        &self,
        place: OwnedSemaphorePermit,
        longest: Duration,
        work: impl FnOnce(&Engine) -> Result<T, Failure> + Send + 'static,
    ) -> Result<Result<T, Failure>, Unfinished> {
        let engine = self.engine.clone();
        let done = tokio::task::spawn_blocking(move || {
            let _place = place;
            work(&engine)
        });
        match tokio::time::timeout(longest, done).await {
            Ok(Ok(done)) => Ok(done),
            Ok(Err(_)) => Err(Unfinished::Failed),
            Err(_) => Err(Unfinished::Slow),
        }
    }
}
