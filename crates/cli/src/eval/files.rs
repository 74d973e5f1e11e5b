//! What an experiment found, as files.

use std::path::Path;

use anyhow::{Context as _, ensure};
use inkveil_eval::report::{self, Results};
use inkveil_files::Output;

/// Reads what `eval run` wrote.
pub(super) fn read(path: &Path) -> anyhow::Result<Results> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let results: Results = serde_json::from_str(&text)
        .with_context(|| format!("{} is not what `inkveil eval run` writes", path.display()))?;
    report::check(&results).with_context(|| path.display().to_string())?;
    Ok(results)
}

/// Writes everything about one experiment into a folder: data for programs, text and tables for people, pictures.
pub(super) fn write(folder: &Path, results: &Results) -> anyhow::Result<()> {
    report::check(results)?;
    let put = |name: String, text: &str| -> anyhow::Result<()> {
        // Results are written anew with every run, so what is there is replaced.
        Ok(Output::file(folder.join(name), true)?.put(text.as_bytes())?)
    };
    for (at, plot) in results.plots.iter().enumerate() {
        put(report::plot_file(results, at), &report::svg(results, plot))?;
    }
    put(format!("{}.md", results.name), &report::markdown(results))?;
    put(format!("{}.tex", results.name), &report::latex(results))?;
    put(format!("{}.json", results.name), &(serde_json::to_string_pretty(results)? + "\n"))
}

/// One page of all results in a folder, in the order of their names but for `first`, which comes first.
pub(super) fn write_page(folder: &Path, first: &[String]) -> anyhow::Result<()> {
    let mut names: Vec<_> = std::fs::read_dir(folder)
        .with_context(|| format!("cannot read {}", folder.display()))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .collect();
    let rank = |path: &std::path::PathBuf| {
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        first.iter().position(|name| name == stem).unwrap_or(first.len())
    };
    names.sort_by(|a, b| rank(a).cmp(&rank(b)).then_with(|| a.cmp(b)));
    let results: Vec<Results> = names.iter().filter_map(|path| read(path).ok()).collect();
    ensure!(!results.is_empty(), "there are no results in {}", folder.display());
    Ok(Output::file(folder.join("report.html"), true)?.put(report::page(&results).as_bytes())?)
}
