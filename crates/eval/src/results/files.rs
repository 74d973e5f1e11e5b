//! Results as files.

use super::data::Results;
use super::latex::latex;
use super::markdown::markdown;
use super::names::plot_file;
use super::plots::plot;
use crate::Error;

/// Returns the files of an experiment as names and contents: drawings, Markdown, LaTeX and JSON.
///
/// ```
/// use inkveil_eval::results::{Results, files};
///
/// let results = Results { name: "authors".into(), ..Results::default() };
/// let names: Vec<String> = files(&results)?.into_iter().map(|(name, _)| name).collect();
/// assert_eq!(names, ["authors.md", "authors.tex", "authors.json"]);
/// # Ok::<(), inkveil_eval::Error>(())
/// ```
///
/// # Errors
/// If the results cannot be written as JSON.
pub fn files(results: &Results) -> Result<Vec<(String, String)>, Error> {
    let json = serde_json::to_string_pretty(results)
        .map_err(|error| Error::argument("the results cannot be written as JSON").caused_by(error))?;
    let drawing = |(at, spec)| (plot_file(results, at), plot(results, spec).svg());
    let mut files: Vec<(String, String)> = results.plots.iter().enumerate().map(drawing).collect();
    files.push((format!("{}.md", results.name), markdown(results)));
    files.push((format!("{}.tex", results.name), latex(results)));
    files.push((format!("{}.json", results.name), json + "\n"));
    Ok(files)
}
