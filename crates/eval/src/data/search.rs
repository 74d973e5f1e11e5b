//! Queries, documents and judgements of relevance.

use std::path::Path;

use super::files::{FileHashes, check_rows, note_hash};
use super::questions::QuestionSet;
use super::spec::SetSpec;
use crate::Error;
use crate::retrieval::{Judgement, SearchTask, SearchText, read_judgements, read_texts};

/// The most questions about passages that become queries, drawn once.
const MOST_QUESTIONS: usize = 2000;
const DRAW: u64 = 1;

/// A test set of search. It has no `Debug`, which would print texts.
///
/// ```
/// use inkveil_eval::data::Catalogue;
///
/// let data = tempfile::tempdir()?;
/// std::fs::create_dir(data.path().join("sea"))?;
/// std::fs::write(data.path().join("sea/d.tsv"), "d1\tThe moon pulls at the water.\nd2\tBoats are red.\n")?;
/// std::fs::write(data.path().join("sea/q.tsv"), "q1\thow do tides work\n")?;
/// std::fs::write(data.path().join("sea/j.qrel"), "q1 0 d1 1\n")?;
/// let mine = "[sea]\nabout = \"questions of the sea\"\nrows = 2\n\
///             search = { documents = \"d.tsv\", queries = \"q.tsv\", judgements = \"j.qrel\" }\n";
/// let sets = Catalogue::from_toml(mine, "sets.toml".as_ref())?;
/// assert_eq!(sets.search("sea", data.path())?.task.queries.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct SearchSet {
    /// Its name.
    pub name: String,
    /// The queries and documents.
    pub task: SearchTask,
    /// The checksums of the files.
    pub files: FileHashes,
}

impl SearchSet {
    pub(super) fn read(name: &str, spec: &SetSpec, folder: &Path) -> Result<Self, Error> {
        if spec.search.is_none() && !spec.questions.is_empty() {
            return Self::of_questions(QuestionSet::read(name, spec, folder)?);
        }
        let Some(search) = &spec.search else {
            return Err(Error::argument(format!("the test set {name:?} has no queries and documents")));
        };
        let mut files = FileHashes::new();
        for file in [&search.documents, &search.queries, &search.judgements] {
            note_hash(&folder.join(file), file, &mut files)?;
        }
        let documents = read_texts(&folder.join(&search.documents))?;
        let file = folder.join(&search.documents);
        check_rows(spec.rows, documents.len() as u64, "documents", &file)?;
        let queries = read_texts(&folder.join(&search.queries))?;
        let judgements = read_judgements(&folder.join(&search.judgements))?;
        let task = SearchTask::new(queries, documents, &judgements).map_err(|error| error.in_file(folder))?;
        Ok(Self { name: name.to_owned(), task, files })
    }

    /// Questions are queries, and each should find its passage.
    fn of_questions(set: QuestionSet) -> Result<Self, Error> {
        let asked = set.sample(MOST_QUESTIONS, DRAW).questions;
        let text = |(number, text): (usize, String)| SearchText { id: number.to_string(), text };
        let judgements: Vec<Judgement> = asked
            .iter()
            .enumerate()
            .map(|(number, question)| Judgement {
                query: number.to_string(),
                document: question.passage.to_string(),
                relevance: 1.0,
            })
            .collect();
        let queries = asked.into_iter().map(|question| question.question).enumerate().map(text).collect();
        let documents = set.passages.into_iter().enumerate().map(text).collect();
        Ok(Self { name: set.name, task: SearchTask::new(queries, documents, &judgements)?, files: set.files })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_become_queries_for_their_passages() {
        let one = |text: &str, asked: &str| {
            format!(
                "{{\"context\": \"{text}\", \"qas\": [{{\"question\": \"{asked}\", \"answers\": [{{\"text\": \"x\"}}]}}]}}"
            )
        };
        let (tides, boats) =
            (one("The moon pulls.", "how do tides work"), one("Boats are red.", "which colour"));
        let json = format!("{{\"data\": [{{\"paragraphs\": [{tides}, {boats}]}}]}}");
        let set = SearchSet::of_questions(QuestionSet::from_json("sea", &json).unwrap()).unwrap();
        assert_eq!((set.task.queries.len(), set.task.documents.len()), (2, 2));
        // The vectors of both texts of a pair are equal, so each question finds its passage.
        let rows: Vec<f32> = set
            .task
            .queries
            .iter()
            .flat_map(|query| if query.text == "which colour" { [0.0, 1.0] } else { [1.0, 0.0] })
            .collect();
        let found = set.task.search(&rows, &[1.0, 0.0, 0.0, 1.0], 2, 1).unwrap();
        assert_eq!(set.task.ndcg(&found, 1), 1.0);
        assert!(SearchSet::of_questions(QuestionSet::from_json("none", "{\"data\": []}").unwrap()).is_err());
    }
}
