//! Measures what methods made of the texts of each set.

mod attacks;
mod encoders;
mod input;
mod markdown;
mod originals;
mod quality;
mod report;
mod strata;

use std::time::Instant;

use inkveil_eval::metrics::Bootstrap;
use rayon::prelude::*;

use self::encoders::Encoders;
use self::input::{Input, Method};
use self::originals::Originals;
use self::report::{MethodReport, Report, SetReport};
use crate::Outcome;
use crate::options::Options;

pub(crate) fn run(options: &Options) -> Outcome<()> {
    // All files are read first: what is wrong with one is said at once and not after minutes.
    let inputs = Input::read_all(options.folder()?, options.methods.as_deref())?;
    let encoders = Encoders::open(&options.pack)?;
    let sets = inputs.iter().map(|input| measure_set(options, &encoders, input)).collect::<Outcome<_>>()?;
    let report = Report {
        encoder: encoders.style.note().name.clone(),
        radius: options.radius,
        seed: options.seed,
        datasets: sets,
    };
    if let Some(file) = &options.json {
        std::fs::write(file, serde_json::to_string_pretty(&report)?)
            .map_err(|error| format!("{}: {error}", file.display()))?;
    }
    print!("{}", markdown::page(&report));
    Ok(())
}

fn measure_set(options: &Options, encoders: &Encoders, input: &Input) -> Outcome<SetReport> {
    let start = Instant::now();
    let originals = Originals::new(encoders, input, options.radius)?;
    eprintln!("{}: originals in {:.1} s", input.name, start.elapsed().as_secs_f64());
    let measure = |method: &Method| {
        let report = measure_method(options, encoders, &originals, method)?;
        eprintln!("{}: {} after {:.1} s", input.name, method.name, start.elapsed().as_secs_f64());
        Ok(report)
    };
    let methods = input.methods.par_iter().map(measure).collect::<Outcome<_>>()?;
    originals.report(input, methods)
}

fn measure_method(
    options: &Options,
    encoders: &Encoders,
    originals: &Originals<'_>,
    method: &Method,
) -> Outcome<MethodReport> {
    let bootstrap = Bootstrap::default();
    let test = encoders.released_views(&method.test, &originals.test.views)?;
    let train = method.train.as_ref();
    let train = train.map(|train| encoders.released_views(train, &originals.train.views)).transpose()?;
    let (attacks, guesses) = attacks::on_authors(originals, &test, train.as_ref(), options.seed, &bootstrap)?;
    let shifts = originals.shifts(&test)?;
    Ok(MethodReport {
        method: method.name.clone(),
        attacks,
        utility: attacks::utility(originals, &test, train.as_ref(), &bootstrap)?,
        outliers: strata::stratum(&shifts, &guesses, true, &bootstrap),
        inliers: strata::stratum(&shifts, &guesses, false, &bootstrap),
        after: originals.gradient(&guesses, &bootstrap),
        quality: quality::of(encoders, originals, &test, options.seed, &bootstrap)?,
    })
}
