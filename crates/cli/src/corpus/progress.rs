//! How far a job has come.

use std::sync::Mutex;

use indicatif::ProgressBar;
use inkveil_rows::JobProgress;

use crate::progress;

/// A bar for a job: bytes of all files, rows per second, and the file that is worked on.
pub(crate) struct JobBar {
    bar: ProgressBar,
    shown: Mutex<Option<usize>>,
}

impl JobBar {
    pub(crate) fn new(what: &str, bytes: u64, quiet: bool) -> Self {
        let template =
            format!("{what} {{bar:26}} {{bytes}}/{{total_bytes}}  {{prefix}} rows  {{eta}} left  {{msg}}");
        Self { bar: progress::bar(Some(bytes), &template, quiet), shown: Mutex::default() }
    }

    pub(crate) fn show(&self, progress: &JobProgress<'_>) {
        self.bar.set_position(progress.bytes);
        let seconds = self.bar.elapsed().as_secs_f64();
        let rate = if seconds > 0.0 { progress.rows as f64 / seconds } else { 0.0 };
        self.bar.set_prefix(format!("{} ({rate:.0}/s)", progress.rows));
        let mut shown = self.shown.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if *shown != Some(progress.index) {
            *shown = Some(progress.index);
            let name = progress.input.file_name().map(|name| name.to_string_lossy().into_owned());
            let which = match progress.files {
                1 => name.unwrap_or_default(),
                files => format!("{} ({} of {files})", name.unwrap_or_default(), progress.index + 1),
            };
            self.bar.set_message(which);
        }
    }

    pub(crate) fn end(&self) {
        self.bar.finish_and_clear();
    }
}
