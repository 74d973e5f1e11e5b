//! Notices Ctrl-C.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;

/// A flag that becomes true when the user interrupts. Call it once.
pub(crate) fn flag() -> anyhow::Result<Arc<AtomicBool>> {
    let flag = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&flag);
    ctrlc::set_handler(move || raised.store(true, Ordering::Relaxed))
        .context("cannot handle interruptions")?;
    Ok(flag)
}
