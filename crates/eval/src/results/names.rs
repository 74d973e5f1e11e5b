//! Names of files and labels, made of letters, digits and hyphens.

use super::data::Results;

/// Returns the file name of a plot's drawing. The first plot has the number 0. [`markdown()`] links
/// to these names.
///
/// ```
/// use inkveil_eval::results::{PlotSpec, Results, plot_file};
///
/// let plot = PlotSpec { title: "Who wrote it?".into(), ..PlotSpec::default() };
/// let results = Results { name: "authors".into(), plots: vec![plot], ..Results::default() };
/// assert_eq!(plot_file(&results, 0), "authors-1-who-wrote-it.svg");
/// ```
///
/// [`markdown()`]: super::markdown()
pub fn plot_file(results: &Results, at: usize) -> String {
    let title = results.plots.get(at).map_or("", |plot| &plot.title);
    let parts = [slug(&results.name, "results"), (at + 1).to_string(), slug(title, "plot")];
    format!("{}.svg", parts.join("-"))
}

/// Returns a text as lower-case words with hyphens between them, at most 48 characters.
pub(super) fn slug(text: &str, otherwise: &str) -> String {
    let mut slug = String::new();
    for word in text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
        if slug.len() + word.len() >= 48 {
            break;
        }
        if !slug.is_empty() {
            slug.push('-');
        }
        slug.push_str(&word.to_ascii_lowercase());
    }
    if slug.is_empty() { otherwise.to_owned() } else { slug }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_is_safe_as_a_file_name() {
        assert_eq!(slug("../../Etc, passwd!", "x"), "etc-passwd");
        assert_eq!(slug("ε → ∞", "plot"), "plot");
        assert_eq!(slug(&"long ".repeat(50), "x"), "long-long-long-long-long-long-long-long-long");
    }
}
