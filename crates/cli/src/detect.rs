//! `inkveil detect`: what is sensitive in a text, and why.

mod batch;
mod cut;
mod family;
mod list;
mod mask;
mod plan;
mod report;
mod seam;
mod source;
mod target;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use indicatif::ProgressBar;
use inkveil_detect::{Detector, Offsets};

use crate::args::DetectArgs;
use crate::outcome::Outcome;
use crate::{corpus, interrupt, progress};
use batch::{Message, Window};
use plan::Plan;
use report::{Finding, Report};
use seam::Seam;
use target::Target;

/// An interruption is noticed within this time, even if standard input is silent.
const PATIENCE: Duration = Duration::from_millis(100);

/// Any error is 2 here, so that a script can tell it from something that was found.
pub(crate) fn run(args: &DetectArgs) -> anyhow::Result<Outcome> {
    carry_out(args).or_else(|error| {
        Ok(match Outcome::of_error(error) {
            Outcome::Failure => Outcome::Trouble,
            other => other,
        })
    })
}

fn carry_out(args: &DetectArgs) -> anyhow::Result<Outcome> {
    let plan = Plan::new(args)?;
    let detector = plan.detector()?;
    if args.list {
        return list::print(&detector);
    }
    let is_rows =
        |input: &source::Input| matches!(input, source::Input::Rows(_) | source::Input::StdinRows(_));
    if args.mask && plan.inputs.iter().any(is_rows) {
        return mask::run(args, &plan, &detector);
    }
    ensure!(
        !args.job.resume && args.job.to.is_none() && args.job.sample.is_none(),
        "--resume, --to and --sample are for files of rows that are written with --mask and --output"
    );
    let mut target = Target::open(args.output.as_deref(), args.force, &plan.input_paths())?;
    let mut report = plan.report(&target);
    let cancel = interrupt::flag()?;
    let bar = progress(plan.total_bytes(), args.quiet || target.is_terminal());
    let batches = source::read(plan.inputs, plan.lines, corpus::options(&args.tables));
    let mut work = Work {
        detector: &detector,
        report: report.as_mut(),
        seam: Seam::default(),
        offsets: Offsets::START,
        found: 0,
    };
    work.report.begin(target.writer()).context("cannot write")?;
    work.through(&batches, &mut target, &cancel, &bar)?;
    work.report.end(target.writer()).context("cannot write")?;
    let found = work.found;
    bar.finish_and_clear();
    target.commit()?;
    Ok(if args.check && found > 0 { Outcome::Failure } else { Outcome::Success })
}

/// A bar for texts so long that one waits. A bar in the middle of a text would help nobody, so it is `hidden` there.
fn progress(total: Option<u64>, hidden: bool) -> ProgressBar {
    /// Less is done before a bar is read.
    const LONG: u64 = 1 << 20;
    let template = match total {
        Some(_) => "detect {bar:30} {bytes}/{total_bytes}  {eta} left",
        None => "detect {spinner} {bytes}  {elapsed}",
    };
    progress::bar(total, template, hidden || total.is_some_and(|total| total < LONG))
}

/// A run under way.
struct Work<'a> {
    detector: &'a Detector,
    report: &'a mut dyn Report,
    /// What the end of the last piece means for the next.
    seam: Seam,
    /// Where the next piece begins in its text.
    offsets: Offsets,
    found: u64,
}

impl Work<'_> {
    /// Takes all batches through detection and into the report, in order.
    fn through(
        &mut self,
        batches: &Receiver<anyhow::Result<Message>>,
        target: &mut Target,
        cancel: &AtomicBool,
        bar: &ProgressBar,
    ) -> anyhow::Result<()> {
        loop {
            let message = batches.recv_timeout(PATIENCE);
            if cancel.load(Ordering::Relaxed) {
                return Err(crate::outcome::Interrupted.into());
            }
            match message {
                Ok(Ok(Message::Windows(windows))) => {
                    let bytes: usize =
                        windows.iter().map(|window| window.own.len() + window.line_break.len()).sum();
                    self.report_on(windows, target)?;
                    bar.inc(bytes as u64);
                }
                Ok(Ok(Message::End)) => return Ok(()),
                Ok(Err(error)) => return Err(error),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    bail!("reading stopped unexpectedly; this is a bug, please report it")
                }
            }
        }
    }

    fn report_on(&mut self, windows: Vec<Window>, target: &mut Target) -> anyhow::Result<()> {
        let texts: Vec<&str> = windows.iter().map(|window| window.text.as_str()).collect();
        let all = self.detector.detect(&texts)?;
        let again =
            |text: &str| self.detector.detect(&[text]).map(|found| found.into_iter().flatten().collect());
        for (window, spans) in windows.into_iter().zip(all) {
            let (piece, spans) = self.seam.settle(window, spans, again)?;
            if piece.first {
                self.offsets = Offsets::START;
            }
            let places = self.offsets.of_spans(&piece.text, &spans);
            let findings: Vec<Finding<'_>> = spans
                .iter()
                .zip(places)
                .filter_map(|(span, place)| Finding::new(&piece.text, span, place))
                .collect();
            self.report.piece(&piece, &findings, target.writer()).context("cannot write")?;
            self.offsets = self.offsets.after(&piece.text);
            self.found += findings.len() as u64;
        }
        // Whoever reads a pipe wants each batch as it is ready.
        target.flush().context("cannot write")
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use super::batch::{Message, Piece, Window};
    use super::report::Finding;
    use super::source::Input;

    /// Has two implementations for what can be printed for debugging, so that it cannot be told which is meant.
    trait Quiet<Which> {
        fn holds_text() {}
    }
    impl<T> Quiet<()> for T {}
    impl<T: Debug> Quiet<u8> for T {}

    /// Does not compile if one of these can be printed for debugging, which would print the text.
    #[test]
    fn nothing_that_holds_text_can_be_printed() {
        <Window as Quiet<_>>::holds_text();
        <Piece as Quiet<_>>::holds_text();
        <Message as Quiet<_>>::holds_text();
        <Finding<'_> as Quiet<_>>::holds_text();
        <Input as Quiet<_>>::holds_text();
    }
}
