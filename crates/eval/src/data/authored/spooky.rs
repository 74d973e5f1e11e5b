//! Sentences by three authors of horror stories (Spooky Author Identification).

use std::path::Path;

use inkveil_nn::SplitMix;

use super::passage::fitting;
use super::text::{AuthoredText, FoundTexts, read_text};
use crate::Error;

/// The authors by number: Poe, Lovecraft, Shelley.
const AUTHORS: [&str; 3] = ["EAP", "HPL", "MWS"];

pub(super) fn read(corpus: &Path, seed: u64) -> Result<FoundTexts, Error> {
    let file = corpus.join("spookyauthor.csv");
    let mut all = Vec::new();
    for (number, line) in read_text(&file)?.lines().enumerate().skip(1) {
        let (text, writer) = parsed(line).ok_or_else(|| {
            Error::format("expected a text and the number of its author").in_line(number).in_file(&file)
        })?;
        let mut random = SplitMix::named(seed, "spooky", &[number as u64]);
        all.extend(fitting(&text, &mut random).map(|text| AuthoredText {
            author: writer.to_owned(),
            label: None,
            text: text.to_owned(),
        }));
    }
    Ok((all, vec![file]))
}

/// The text and the author of a line. No text has a line break, so a line is a record.
fn parsed(line: &str) -> Option<(String, &'static str)> {
    let (text, writer) = line.rsplit_once(',')?;
    let writer = AUTHORS.get(writer.trim().parse::<usize>().ok()?)?;
    let quoted = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    Some((quoted.map_or_else(|| text.to_owned(), |text| text.replace("\"\"", "\"")), writer))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_of_the_format_are_removed() {
        assert_eq!(parsed("It rained,1"), Some(("It rained".into(), "HPL")));
        assert_eq!(
            parsed("\"\"\"It rains,\"\" she said.\",2"),
            Some(("\"It rains,\" she said.".into(), "MWS"))
        );
        assert_eq!(parsed("It rained,3"), None);
        assert_eq!(parsed("It rained"), None);
    }
}
