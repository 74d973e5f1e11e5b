//! `inkveil noise`: vectors in, vectors with noise and a receipt out.

mod plan;
mod release;

use anyhow::Context;
use inkveil_io::{VectorReader, VectorWriter, transform};
use inkveil_privacy::{Fate, NoiseKey, Place, perturb_rows};
use owo_colors::OwoColorize;

use crate::args::NoiseArgs;
use crate::outcome::Outcome;
use crate::{interrupt, progress};

pub(crate) fn run(args: NoiseArgs) -> anyhow::Result<Outcome> {
    let plan = plan::Files::new(&args)?;
    let reader = VectorReader::open(plan.input(), plan.format, &plan.options)?;
    let mechanism = plan::mechanism(&args, reader.dim())?;
    let writer = VectorWriter::like(&reader, plan.output()?)?;
    let receipt_output = plan.receipt_output()?;
    let column = reader.column().map(str::to_owned);
    let key = match args.insecure_seed {
        Some(seed) => {
            anstream::eprintln!(
                "{} noise from a fixed seed protects nothing; use it for tests only",
                "warning:".yellow().bold()
            );
            NoiseKey::insecure_from_seed(seed)
        }
        None => NoiseKey::fresh()?,
    };
    let cancel = interrupt::flag()?;
    let (total, template) = match (reader.rows(), reader.bytes_total()) {
        (Some(rows), _) => (Some(rows), "noise {bar:30} {human_pos}/{human_len} rows  {rate}  {eta} left"),
        (None, Some(bytes)) => (Some(bytes), "noise {bar:30} {bytes}/{total_bytes}  {eta} left"),
        (None, None) => (None, "noise {spinner} {human_pos} rows  {elapsed}"),
    };
    let by_bytes = reader.rows().is_none() && reader.bytes_total().is_some();
    let bar = progress::bar(total, template, args.quiet);
    let file = plan.input_name();
    let finished = transform(
        reader,
        writer,
        &cancel,
        |p| bar.set_position(if by_bytes { p.bytes_read } else { p.rows }),
        |batch| {
            let (dim, first) = (batch.dim(), batch.first_row());
            let rows = batch.values_mut();
            mechanism.clip(rows, dim);
            perturb_rows(mechanism.noise.as_ref(), rows, Place::record(first), Fate::Released, &key)
                .with_context(|| file.clone())
        },
    )?;
    bar.finish_and_clear();
    let receipt = release::receipt(&args, &mechanism, column.as_deref(), &finished, &key)?;
    // The receipt first: an output without one must not exist.
    if let Some(output) = receipt_output {
        output.put(receipt.to_json().as_bytes())?;
    }
    if let Err(error) = finished.commit() {
        if let Some(path) = &plan.receipt {
            // A receipt of nothing would only confuse; if it cannot be removed, the error below still tells.
            let _ = std::fs::remove_file(path);
        }
        return Err(error.into());
    }
    if !args.quiet {
        anstream::eprint!("{}", receipt.render());
        if let Some(path) = &plan.receipt {
            anstream::eprintln!("  receipt       {}", path.display());
        }
    }
    Ok(Outcome::Success)
}
