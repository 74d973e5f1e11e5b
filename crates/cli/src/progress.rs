//! Progress bars on standard error, if it is a terminal.

use std::fmt::Write;
use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

/// A bar for `total` steps, or a spinner if the total is not known.
pub(crate) fn bar(total: Option<u64>, template: &str, quiet: bool) -> ProgressBar {
    let visible = !quiet && std::io::stderr().is_terminal();
    let target = if visible { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(total, target);
    if let Ok(style) = ProgressStyle::with_template(template) {
        let style = style.with_key("rate", |state: &ProgressState, out: &mut dyn Write| {
            // The line is drawn again soon, so a failed write does not matter.
            let _ = write!(out, "{}/s", HumanCount(state.per_sec() as u64));
        });
        bar.set_style(style.progress_chars("━╸ "));
    }
    if visible {
        bar.enable_steady_tick(Duration::from_millis(200));
    }
    bar
}
