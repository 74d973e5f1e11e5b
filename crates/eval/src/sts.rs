//! Test sets of sentence similarity: pairs of sentences with human scores.
//!
//! The files are those of the organisers. Errors name a file and a line, never a text.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use crate::Error;

/// Two sentences and their similarity.
#[derive(Clone, PartialEq)]
pub struct SentencePair {
    /// The first sentence.
    pub first: String,
    /// The second sentence.
    pub second: String,
    /// The score, from 0 (unrelated) to 5 (equivalent).
    pub score: f64,
}

impl fmt::Debug for SentencePair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SentencePair(score {})", self.score)
    }
}

/// Reads the pairs of SemEval 2012, task 6 (STS12): every `STS.input.NAME.txt` in the folder or its
/// subfolders, each with its `STS.gs.NAME.txt`, in the order of their paths. The training and test
/// archives together have 5,342 pairs.
///
/// ```
/// use inkveil_eval::sts;
///
/// let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("STS.input.own.txt"), "A dog runs.\tA dog is running.\n")?;
/// std::fs::write(folder.path().join("STS.gs.own.txt"), "4.8\n")?;
/// let pairs = sts::read_sts12(folder.path())?;
/// assert_eq!((pairs[0].first.as_str(), pairs[0].score), ("A dog runs.", 4.8));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If there are no such files (unpack the archives first), or a line is not two sentences or a
/// score.
pub fn read_sts12(folder: &Path) -> Result<Vec<SentencePair>, Error> {
    let inputs: Vec<PathBuf> = files(folder)?.into_iter().filter(|path| part_name(path).is_some()).collect();
    if inputs.is_empty() {
        let what =
            "the folder has no files STS.input.*.txt; unpack the organisers' archives into it with tar -xzf";
        return Err(Error::format(what).in_file(folder));
    }
    let mut pairs = Vec::new();
    for input in inputs {
        let Some(name) = part_name(&input) else { continue };
        let scores = input.with_file_name(format!("STS.gs.{name}.txt"));
        read_part(&input, &scores, &mut pairs)?;
    }
    Ok(pairs)
}

/// All files of a test set, in the folder and in its subfolders.
pub(crate) fn files(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut files = Vec::new();
    for entry in entries(folder)? {
        match entry.is_dir() {
            true => files.extend(entries(&entry)?.into_iter().filter(|path| path.is_file())),
            false => files.push(entry),
        }
    }
    Ok(files)
}

/// The name of a part of STS12, if the file is one. `ALL` repeats the other parts.
fn part_name(path: &Path) -> Option<&str> {
    let name = path.file_name()?.to_str()?.strip_prefix("STS.input.")?.strip_suffix(".txt")?;
    (name != "ALL").then_some(name)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let failed = |error: std::io::Error| Error::io("read the folder", error).in_file(folder);
    let all = fs::read_dir(folder).map_err(failed)?;
    let mut paths: Vec<PathBuf> =
        all.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>().map_err(failed)?;
    paths.sort();
    Ok(paths)
}

fn read_part(input: &Path, scores: &Path, pairs: &mut Vec<SentencePair>) -> Result<(), Error> {
    let (texts, numbers) = (read(input)?, read(scores)?);
    let mut numbers = numbers.lines();
    for (at, line) in texts.lines().enumerate() {
        let number = numbers.next().ok_or_else(|| {
            Error::format("the scores end here, before the sentences").in_line(at).in_file(scores)
        })?;
        let score = score(number).map_err(|error| error.in_line(at).in_file(scores))?;
        let fields: Vec<&str> = line.split('\t').collect();
        let [first, second] = fields[..] else {
            return Err(expected("two sentences", 2, fields.len()).in_line(at).in_file(input));
        };
        pairs.push(pair(first, second, score));
    }
    match numbers.next() {
        Some(_) => Err(Error::format("there are more scores than sentences").in_file(scores)),
        None => Ok(()),
    }
}

/// Reads the pairs of the STS benchmark: `sts-train.csv`, `sts-dev.csv` and `sts-test.csv`. Despite
/// their names, the files separate fields with tabs and do not quote them. Together they have 8,628
/// pairs.
///
/// ```
/// use inkveil_eval::sts;
///
/// let folder = tempfile::tempdir()?;
/// for part in ["train", "dev", "test"] {
///     let line = "own\tpart\t2024\t1\t2.5\tA cat sleeps.\tA dog barks.\n";
///     std::fs::write(folder.path().join(format!("sts-{part}.csv")), line)?;
/// }
/// assert_eq!(sts::read_stsb(folder.path())?.len(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If a file is missing or a line lacks a field.
pub fn read_stsb(folder: &Path) -> Result<Vec<SentencePair>, Error> {
    let mut pairs = Vec::new();
    for part in ["train", "dev", "test"] {
        let path = folder.join(format!("sts-{part}.csv"));
        for (at, line) in read(&path)?.lines().enumerate() {
            pairs.push(benchmark_line(line).map_err(|error| error.in_line(at).in_file(&path))?);
        }
    }
    Ok(pairs)
}

/// A line has genre, file, year, number, score and two sentences; sources may follow.
fn benchmark_line(line: &str) -> Result<SentencePair, Error> {
    let fields: Vec<&str> = line.split('\t').collect();
    match fields[..] {
        [_, _, _, _, number, first, second, ..] => Ok(pair(first, second, score(number)?)),
        _ => Err(expected("genre, file, year, number, score and two sentences", 7, fields.len())),
    }
}

fn pair(first: &str, second: &str, score: f64) -> SentencePair {
    SentencePair { first: first.trim().to_owned(), second: second.trim().to_owned(), score }
}

fn score(field: &str) -> Result<f64, Error> {
    let score = field.trim().parse().ok().filter(|score| (0.0..=5.0).contains(score));
    score.ok_or_else(|| Error::format("the score is not a number from 0 to 5; download the file again"))
}

fn expected(what: &str, count: usize, found: usize) -> Error {
    Error::format(format!(
        "expected {what} in {count} fields separated by tabs, found {found}; download the file again"
    ))
}

fn read(path: &Path) -> Result<String, Error> {
    fs::read_to_string(path).map_err(|error| Error::io("read the file", error).in_file(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with these files.
    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    #[test]
    fn parts_are_read_from_both_archives() {
        let folder = folder(&[
            ("test/STS.input.surprise.lake.txt", "The lake froze.\tIce on the lake.\n"),
            ("test/STS.gs.surprise.lake.txt", "3.2\n"),
            ("test/STS.input.ALL.txt", "not\tread\tat all\n"),
            ("train/STS.input.boat.txt", "A boat.\tA ship.\nRed.\tBlue.\n"),
            ("train/STS.gs.boat.txt", "4\n0.25\n"),
            ("train/00-readme.txt", "hello\n"),
        ]);
        let pairs = read_sts12(folder.path()).unwrap();
        assert_eq!(pairs.iter().map(|pair| pair.score).collect::<Vec<_>>(), [3.2, 4.0, 0.25]);
        assert_eq!((pairs[2].first.as_str(), pairs[2].second.as_str()), ("Red.", "Blue."));
        assert!(!format!("{pairs:?}").contains("Red"));
    }

    #[test]
    fn packed_archives_are_refused() {
        let folder = folder(&[("sts2012-train.tgz", "")]);
        let error = read_sts12(folder.path()).unwrap_err().to_string();
        assert!(error.contains("tar -xzf"), "{error}");
    }

    #[test]
    fn errors_name_file_and_line_but_no_text() {
        let input = ("STS.input.a.txt", "Secret one.\tSecret two.\nSecret three.\n");
        let errors = [
            ("4\n", "STS.gs.a.txt: line 2: the scores end here"),
            ("4\n5\n", "STS.input.a.txt: line 2: expected two sentences"),
            ("6\n5\n", "STS.gs.a.txt: line 1: the score is not"),
            ("nan\n5\n", "STS.gs.a.txt: line 1: the score is not"),
        ];
        for (scores, message) in errors {
            let folder = folder(&[input, ("STS.gs.a.txt", scores)]);
            let error = read_sts12(folder.path()).unwrap_err().to_string();
            assert!(error.contains(message) && !error.contains("Secret"), "{error}");
        }
        let folder = folder(&[("STS.input.a.txt", "One.\tTwo.\n"), ("STS.gs.a.txt", "1\n2\n")]);
        assert!(read_sts12(folder.path()).unwrap_err().to_string().contains("more scores"));
    }

    #[test]
    fn the_benchmark_has_three_files() {
        let line = "g\tf\t2020\t7\t1.5\tQuoted \"words\" stay.\tOthers too.\tsource\tsource\n";
        let all = [("sts-train.csv", line), ("sts-dev.csv", line), ("sts-test.csv", line)];
        let pairs = read_stsb(folder(&all).path()).unwrap();
        assert_eq!((pairs.len(), pairs[0].first.as_str()), (3, "Quoted \"words\" stay."));
        let short = folder(&[all[0], ("sts-dev.csv", "g\tf\t2020\n"), all[2]]);
        let error = read_stsb(short.path()).unwrap_err();
        assert_eq!(error.line(), Some(1));
        assert!(error.to_string().contains("sts-dev.csv: line 1: expected genre"), "{error}");
        assert!(read_stsb(folder(&all[..1]).path()).is_err());
    }
}
