//! Queries, documents and judgements of relevance.

use std::path::Path;

use super::files::{FileHashes, check_rows, note_hash};
use super::spec::SetSpec;
use crate::Error;
use crate::retrieval::{SearchTask, read_judgements, read_texts};

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
}
