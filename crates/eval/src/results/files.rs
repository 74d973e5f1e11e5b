//! Results as files.

use std::path::{Path, PathBuf};

use inkveil_files::Output;

use super::check::check;
use super::data::Results;
use super::latex::latex;
use super::markdown::markdown;
use super::names::plot_file;
use super::page::page;
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

/// The file of the page of all results in a folder.
pub const PAGE: &str = "report.html";

impl Results {
    /// Reads the JSON file of an experiment and checks it.
    ///
    /// # Errors
    /// If it cannot be read, is no such file, or its tables do not fit its cells.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let name = path.display();
        let read = std::fs::read_to_string(path);
        let text = read.map_err(|error| Error::argument(format!("cannot read {name}")).caused_by(error))?;
        let other = format!("{name} is not a file of `inkveil eval run`");
        let results: Self =
            serde_json::from_str(&text).map_err(|error| Error::argument(other).caused_by(error))?;
        check(&results).map_err(|error| Error::argument(name.to_string()).caused_by(error))?;
        Ok(results)
    }

    /// Writes the [`files`] of an experiment to a folder. They replace those of an earlier run.
    ///
    /// # Errors
    /// If the tables do not fit the cells, or a file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), Error> {
        check(self).map_err(|error| Error::argument(error.to_string()))?;
        for (name, content) in files(self)? {
            Output::file(folder.join(name), true)?.put(content.as_bytes())?;
        }
        Ok(())
    }
}

/// Writes the [`PAGE`] of all results in a folder: those named `first` come first, the others follow by name.
///
/// # Errors
/// If the folder cannot be read, has no results, or the page cannot be written.
pub fn write_page(folder: &Path, first: &[String]) -> Result<(), Error> {
    let name = folder.display();
    let entries = std::fs::read_dir(folder)
        .map_err(|error| Error::argument(format!("cannot read {name}")).caused_by(error))?;
    let mut paths: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .collect();
    let rank = |path: &PathBuf| {
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        first.iter().position(|name| name == stem).unwrap_or(first.len())
    };
    paths.sort_by_key(|path| (rank(path), path.clone()));
    let all: Vec<Results> = paths.iter().filter_map(|path| Results::open(path).ok()).collect();
    if all.is_empty() {
        return Err(Error::argument(format!("there are no results in {name}")));
    }
    Ok(Output::file(folder.join(PAGE), true)?.put(page(&all).as_bytes())?)
}
