//! Reviews of films by four critics, with one of three ratings (Pang and Lee, 2005).

use std::path::{Path, PathBuf};

use inkveil_nn::SplitMix;

use super::passage::passage;
use super::text::{AuthoredText, FoundTexts, read_text};
use crate::Error;

/// Takes one passage of each review, so that no review is on both sides.
pub(super) fn read(corpus: &Path, seed: u64) -> Result<FoundTexts, Error> {
    let (mut all, mut files) = (Vec::new(), Vec::new());
    for folder in folders(corpus)? {
        let critic = folder.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let mut part = |part: &str| {
            let file = folder.join(format!("{part}.{critic}"));
            let text = read_text(&file)?;
            files.push(file);
            Ok::<_, Error>(text)
        };
        let (ids, labels, texts) = (part("id")?, part("label.3class")?, part("subj")?);
        let count = texts.lines().count();
        if ids.lines().count() != count || labels.lines().count() != count {
            return Err(Error::format("the numbers of ids, labels and reviews differ").in_file(&folder));
        }
        for ((id, label), text) in ids.lines().zip(labels.lines()).zip(texts.lines()) {
            let mut random = SplitMix::named(seed, &format!("{critic} {id}"), &[]);
            all.extend(passage(text, &mut random).map(|text| AuthoredText {
                author: critic.replace('+', " "),
                label: Some(label.trim().to_owned()),
                text: text.to_owned(),
            }));
        }
    }
    Ok((all, files))
}

/// The subfolders of a folder, by name.
fn folders(of: &Path) -> Result<Vec<PathBuf>, Error> {
    let failed = |error: std::io::Error| Error::io("read the folder", error).in_file(of);
    let mut all: Vec<PathBuf> = std::fs::read_dir(of)
        .map_err(failed)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()
        .map_err(failed)?;
    all.retain(|path| path.is_dir());
    all.sort();
    Ok(all)
}
