//! Jobs on all cores, each on a thread of its own.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::Outcome;

/// Runs all jobs and hands over each result as it comes; stops at the first error.
///
/// Plain threads, as many as rayon has: noise is drawn by rayon's, and a job that waited for it on one of those would begin another job
/// meanwhile, with all its memory.
pub(crate) fn each<T: Sync, R: Send>(
    jobs: &[T],
    work: impl Fn(&T) -> Outcome<R> + Sync,
    done: impl FnMut(&T, R) -> Outcome<()> + Send,
) -> Outcome<()> {
    let (next, state) = (AtomicUsize::new(0), Mutex::new((done, Ok(()))));
    let take = || {
        while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let result = work(job);
            let mut state = state.lock().map_err(|_| "another thread failed")?;
            let (done, outcome) = &mut *state;
            if outcome.is_ok() {
                *outcome = result.and_then(|result| done(job, result));
            }
            if outcome.is_err() {
                next.store(jobs.len(), Ordering::Relaxed);
            }
        }
        Outcome::Ok(())
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..rayon::current_num_threads().min(jobs.len())).map(|_| scope.spawn(take)).collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().unwrap_or_else(|_| Err("a thread failed".into())))
    })?;
    state.into_inner().map_err(|_| "a thread failed")?.1
}
