//! Shows the progress and the notices of a release on standard error.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use indicatif::ProgressBar;
use inkveil::release::{Notice, Observer, Progress, removed_in_words};
use owo_colors::OwoColorize as _;

use crate::progress;

/// A progress bar: bytes of all files, rows per second, and the file in work.
pub(crate) struct TerminalObserver {
    bar: ProgressBar,
    shown: Mutex<Option<usize>>,
    /// What was removed from documents.
    removed: Mutex<BTreeMap<String, u64>>,
}

impl TerminalObserver {
    /// A bar for this many bytes, if the number is known.
    pub(crate) fn new(what: &str, bytes: Option<u64>, quiet: bool) -> Self {
        let template = match bytes {
            Some(_) => {
                format!("{what} {{bar:26}} {{bytes}}/{{total_bytes}}  {{prefix}} rows  {{eta}} left  {{msg}}")
            }
            None => format!("{what} {{spinner}} {{prefix}} rows  {{elapsed}}"),
        };
        Self {
            bar: progress::bar(bytes, &template, quiet),
            shown: Mutex::default(),
            removed: Mutex::default(),
        }
    }

    /// An observer without a bar. Notices are still printed.
    pub(crate) fn without_bar() -> Self {
        Self::new("", None, true)
    }

    /// Removes the bar, and says what was removed from documents.
    pub(crate) fn end(&self) {
        self.bar.finish_and_clear();
        let removed = self.removed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(removed) = removed_in_words(&removed) {
            say!("{} {removed}", "removed".bold());
        }
    }
}

impl Observer for TerminalObserver {
    fn progress(&self, progress: &Progress<'_>) {
        self.bar.set_position(progress.bytes);
        let seconds = self.bar.elapsed().as_secs_f64();
        let rate = if seconds > 0.0 { progress.rows as f64 / seconds } else { 0.0 };
        self.bar.set_prefix(format!("{} ({rate:.0}/s)", progress.rows));
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if *shown != Some(progress.index) {
            *shown = Some(progress.index);
            let name = progress.file.and_then(|file| file.file_name());
            let name = name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            self.bar.set_message(match progress.files {
                1 => name,
                files => format!("{name} ({} of {files})", progress.index + 1),
            });
        }
    }

    fn notice(&self, notice: &Notice) {
        self.bar.suspend(|| match notice {
            Notice::ReleasedBefore(earlier) => {
                let times = match earlier.releases {
                    1 => "once".to_owned(),
                    times => format!("{times} times"),
                };
                let spent: Vec<String> = earlier
                    .spent
                    .iter()
                    .map(|(measure, epsilon)| format!("ε = {} ({measure})", epsilon.readable()))
                    .collect();
                let spent = spent.join(" and ");
                tell!(
                    yellow,
                    "note:",
                    "the same content was released {times} before, for {spent}; budgets add up"
                );
            }
            Notice::KeyFileCreated(file) => {
                let file = file.display();
                tell!(yellow, "private:", "{file} is the key of the map; keep it, and keep it secret");
            }
            Notice::ColumnChosen { texts, copied } => {
                let copied = copied.as_ref().map(|copied| format!("; copied unchanged: {copied}"));
                let copied = copied.unwrap_or_default();
                tell!(yellow, "note:", "no --column is given; the texts are in {texts}{copied}");
            }
            Notice::TextInParts => tell!(
                yellow,
                "note:",
                "a text is longer than 4 MiB and is veiled in parts; a name may be replaced differently in each \
                 part (--consistent job replaces it in the same way)"
            ),
            Notice::Removed(more) => {
                let mut removed = self.removed.lock().unwrap_or_else(PoisonError::into_inner);
                for (what, count) in more {
                    *removed.entry(what.clone()).or_default() += count;
                }
            }
            Notice::JobKept(folder) => tell!(
                yellow,
                "note:",
                "finished work is kept in {}; run the same command with --resume to continue",
                folder.display()
            ),
            _ => {}
        });
    }
}
