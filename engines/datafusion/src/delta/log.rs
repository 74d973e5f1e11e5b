//! The log of a Delta table: which files count, and what their columns are.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use datafusion::arrow::json::LineDelimitedWriter;
use datafusion::parquet::arrow::ProjectionMask;
use datafusion::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use object_store::ObjectStore;
use object_store::path::Path as ObjectPath;
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::storage::{inside, read, reason};

/// The folder of the log.
pub(crate) const LOG: &str = "_delta_log";

/// The newest version of the format that is read.
const READER: u32 = 3;
/// What a table may need of its readers. The second kind only matters if the table uses it, which is checked.
const FEATURES: [&str; 5] =
    ["timestampNtz", "vacuumProtocolCheck", "columnMapping", "deletionVectors", "v2Checkpoint"];
/// The columns of a checkpoint that are read. The others hold statistics.
const COLUMNS: [&str; 7] = [
    "add.path",
    "add.partitionValues",
    "add.size",
    "add.deletionVector",
    "metaData",
    "protocol",
    "sidecar.path",
];
const MAPPING: &str = "delta.columnMapping.mode";

/// Why a table is refused. It never holds a value.
pub(super) type Refusal = &'static str;

const DAMAGED: Refusal = "its log is damaged";

/// A file of the table.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Add {
    path: String,
    #[serde(default)]
    pub(super) partition_values: BTreeMap<String, Option<String>>,
    pub(super) size: u64,
    deletion_vector: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Remove {
    path: String,
}

/// What the table is.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct MetaData {
    pub(super) schema_string: String,
    #[serde(default)]
    pub(super) partition_columns: Vec<String>,
    #[serde(default)]
    configuration: BTreeMap<String, Option<String>>,
    format: Option<FileFormat>,
}

#[derive(Deserialize)]
struct FileFormat {
    provider: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Protocol {
    min_reader_version: u32,
    reader_features: Option<Vec<String>>,
}

/// A line of the log. Other actions do not matter to a reader.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Action {
    add: Option<Add>,
    remove: Option<Remove>,
    meta_data: Option<MetaData>,
    protocol: Option<Protocol>,
    /// A file with a part of a checkpoint of version 2.
    sidecar: Option<IgnoredAny>,
}

/// The newest version of a table.
#[derive(Default)]
struct Replay {
    /// By their places in the table. The log may write one place in several ways: `a b` and `a%20b`.
    files: BTreeMap<String, Add>,
    meta: Option<MetaData>,
    protocol: Option<Protocol>,
}

/// A table as the log describes it.
pub(super) struct Snapshot {
    pub(super) files: Vec<(ObjectPath, Add)>,
    pub(super) meta: MetaData,
}

/// Which files of the log have to be read.
#[derive(Debug, PartialEq, Eq)]
struct Plan {
    checkpoint: Vec<ObjectPath>,
    commits: Vec<ObjectPath>,
}

/// Reads the log of the table at `root`.
pub(super) async fn snapshot(store: &dyn ObjectStore, root: &ObjectPath) -> Result<Snapshot, Refusal> {
    let folder = root.clone().join(LOG);
    let found = inside(store, &folder).await.map_err(|error| reason(&error))?;
    let plan = Plan::of(&found.objects)?;
    let mut replay = Replay::default();
    for place in &plan.checkpoint {
        replay.add_lines(&as_lines(fetch(store, place).await?)?)?;
    }
    for place in &plan.commits {
        replay.add_lines(&fetch(store, place).await?)?;
    }
    replay.finish(root)
}

async fn fetch(store: &dyn ObjectStore, place: &ObjectPath) -> Result<Bytes, Refusal> {
    let bytes = read(store, place).await.map_err(|error| reason(&error))?;
    bytes.ok_or("a file of its log is larger than 512 MB")
}

impl Plan {
    /// Takes the newest complete checkpoint and the commits after it.
    fn of(found: &[ObjectPath]) -> Result<Self, Refusal> {
        let mut commits = BTreeMap::new();
        let mut checkpoints: BTreeMap<(u64, u64), Vec<(u64, ObjectPath)>> = BTreeMap::new();
        for place in found {
            let parts: Vec<&str> = place.filename().unwrap_or_default().split('.').collect();
            let Some(version) = parts.first().and_then(|part| number(part, 20)) else { continue };
            match parts[1..] {
                ["json"] => {
                    commits.insert(version, place.clone());
                }
                ["checkpoint", "parquet"] => {
                    checkpoints.entry((version, 1)).or_default().push((1, place.clone()));
                }
                ["checkpoint", part, of, "parquet"] => {
                    if let (Some(part), Some(of)) = (number(part, 10), number(of, 10)) {
                        checkpoints.entry((version, of)).or_default().push((part, place.clone()));
                    }
                }
                _ => {}
            }
        }
        let is_complete = |of: u64, parts: &[(u64, ObjectPath)]| {
            let found: BTreeSet<u64> = parts.iter().map(|(part, _)| *part).collect();
            found.len() as u64 == of && found.first() == Some(&1) && found.last() == Some(&of)
        };
        let newest = checkpoints.iter().rev().find(|((_, of), parts)| is_complete(*of, parts));
        let (first, checkpoint) = match newest {
            Some(((version, _), parts)) => {
                (version.saturating_add(1), parts.iter().map(|(_, place)| place.clone()).collect())
            }
            None => (0, Vec::new()),
        };
        let commits: Vec<(u64, ObjectPath)> = commits.split_off(&first).into_iter().collect();
        let is_whole = (first..).zip(&commits).all(|(expected, (version, _))| expected == *version);
        if !is_whole || checkpoint.is_empty() && commits.is_empty() {
            return Err(
                "a version is missing in its log, or has a checkpoint of a form that is not supported",
            );
        }
        Ok(Self { checkpoint, commits: commits.into_iter().map(|(_, place)| place).collect() })
    }
}

/// A number with this many digits.
fn number(text: &str, digits: usize) -> Option<u64> {
    let is_number = text.len() == digits && text.bytes().all(|letter| letter.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

impl Replay {
    /// Applies a commit, or a part of a checkpoint.
    fn add_lines(&mut self, bytes: &[u8]) -> Result<(), Refusal> {
        let mut added = Vec::new();
        for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
            let action: Action = serde_json::from_slice(line).map_err(|_| DAMAGED)?;
            if action.sidecar.is_some() {
                return Err("it has a checkpoint of version 2, which is not supported");
            }
            if let Some(removed) = action.remove {
                self.files.remove(&one_way(&removed.path));
            }
            added.extend(action.add);
            self.meta = action.meta_data.or(self.meta.take());
            self.protocol = action.protocol.or(self.protocol.take());
        }
        // A commit may replace a file by itself, in any order.
        for add in added {
            self.files.insert(one_way(&add.path), add);
        }
        Ok(())
    }

    fn finish(self, root: &ObjectPath) -> Result<Snapshot, Refusal> {
        let (meta, protocol) = self.meta.zip(self.protocol).ok_or(DAMAGED)?;
        let features = protocol.reader_features.unwrap_or_default();
        if protocol.min_reader_version > READER
            || features.iter().any(|feature| !FEATURES.contains(&feature.as_str()))
        {
            return Err("it needs a feature of Delta that is not supported");
        }
        let mapping = meta.configuration.get(MAPPING).and_then(Option::as_deref);
        if mapping.is_some_and(|mode| mode != "none") {
            return Err("its columns were renamed (column mapping), which is not supported");
        }
        if meta.format.as_ref().is_some_and(|format| format.provider != "parquet") {
            return Err("its files are not Parquet");
        }
        if self.files.values().any(|add| add.deletion_vector.is_some()) {
            return Err(
                "it has deleted rows that are still in its files (deletion vectors), which is not supported; rewrite the files, \
                 for example with REORG TABLE … APPLY (PURGE)",
            );
        }
        let files = self.files.into_values().map(|add| Ok((place_of(root, &add.path)?, add)));
        Ok(Snapshot { files: files.collect::<Result<_, Refusal>>()?, meta })
    }
}

/// The path of a file, written in one way.
fn one_way(path: &str) -> String {
    place_of(&ObjectPath::default(), path).map_or_else(|_| path.to_owned(), String::from)
}

/// The place of a file. A log must not lead out of its table.
fn place_of(root: &ObjectPath, path: &str) -> Result<ObjectPath, Refusal> {
    const OUTSIDE: Refusal = "its log names a file outside of it, which is not supported";
    let is_scheme =
        |text: &str| text.bytes().all(|letter| letter.is_ascii_alphanumeric() || b"+-.".contains(&letter));
    let has_scheme = path.split_once(':').is_some_and(|(scheme, _)| is_scheme(scheme));
    if path.starts_with('/') || path.starts_with('\\') || has_scheme {
        return Err(OUTSIDE);
    }
    let inside = ObjectPath::from_url_path(path).map_err(|_| OUTSIDE)?;
    Ok(inside.parts().fold(root.clone(), |place, part| place.join(part)))
}

/// A checkpoint as lines of a log.
fn as_lines(bytes: Bytes) -> Result<Vec<u8>, Refusal> {
    let reader = ParquetRecordBatchReaderBuilder::try_new(bytes).map_err(|_| DAMAGED)?;
    let mask = ProjectionMask::columns(reader.parquet_schema(), COLUMNS);
    let reader = reader.with_projection(mask).build().map_err(|_| DAMAGED)?;
    let mut writer = LineDelimitedWriter::new(Vec::new());
    for batch in reader {
        writer.write(&batch.map_err(|_| DAMAGED)?).map_err(|_| DAMAGED)?;
    }
    writer.finish().map_err(|_| DAMAGED)?;
    Ok(writer.into_inner())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failed step is a failed test
    use super::*;

    fn plan(names: &[&str]) -> Result<(usize, Vec<String>), Refusal> {
        let found: Vec<ObjectPath> =
            names.iter().map(|name| ObjectPath::from(format!("t/{LOG}/{name}"))).collect();
        let plan = Plan::of(&found)?;
        let names = plan.commits.iter().map(|place| place.filename().unwrap().to_owned()).collect();
        Ok((plan.checkpoint.len(), names))
    }

    fn commit(version: u64) -> String {
        format!("{version:020}.json")
    }

    #[test]
    fn the_newest_complete_checkpoint_and_the_commits_after_it_are_read() {
        let [c0, c1, c2, c3] = [0, 1, 2, 3].map(commit);
        assert_eq!(plan(&[&c0, &c1]).unwrap(), (0, vec![c0.clone(), c1.clone()]));
        let one = format!("{:020}.checkpoint.parquet", 1);
        assert_eq!(plan(&[&c0, &c1, &c2, &one, "_last_checkpoint"]).unwrap(), (1, vec![c2.clone()]));
        assert_eq!(plan(&[&one]).unwrap(), (1, Vec::new()));
        let halves = [1, 2].map(|part| format!("{:020}.checkpoint.{part:010}.{:010}.parquet", 2, 2));
        assert_eq!(plan(&[&one, &halves[0], &halves[1], &c3]).unwrap(), (2, vec![c3.clone()]));
        // Half a checkpoint does not count.
        assert_eq!(plan(&[&one, &halves[1], &c2, &c3]).unwrap(), (1, vec![c2.clone(), c3.clone()]));
        for gap in [vec![c0.as_str(), &c2], vec![&c1], vec![one.as_str(), &c3], vec![], vec!["a.json"]] {
            assert!(plan(&gap).is_err(), "{gap:?}");
        }
        assert!(
            plan(&[&format!("{:020}.checkpoint.80a083e8-7026-4e79-81be-64bd76c43a11.json", 3), &c2]).is_err()
        );
    }

    #[test]
    fn a_log_does_not_lead_out_of_its_table() {
        let root = ObjectPath::from("lake/mails");
        assert_eq!(place_of(&root, "a.parquet").unwrap().as_ref(), "lake/mails/a.parquet");
        assert_eq!(
            place_of(&root, "city=S%C3%A3o/a%20b.parquet").unwrap().as_ref(),
            "lake/mails/city=São/a b.parquet"
        );
        for path in [
            "/etc/passwd",
            "../salaries/a.parquet",
            "a/../../b.parquet",
            "%2e%2e/b.parquet",
            "file:///etc/passwd",
            "s3://other/a.parquet",
            "",
        ] {
            let place = place_of(&root, path);
            assert!(place.is_err() || place.unwrap() == root, "{path}");
        }
    }

    fn replay(lines: &[&str]) -> Result<Vec<String>, Refusal> {
        let mut replay = Replay::default();
        lines.iter().try_for_each(|line| replay.add_lines(line.as_bytes()))?;
        let snapshot = replay.finish(&ObjectPath::from("t"))?;
        Ok(snapshot.files.iter().map(|(place, _)| place.to_string()).collect())
    }

    const START: &str = "{\"protocol\":{\"minReaderVersion\":1,\"minWriterVersion\":2}}\n\
        {\"metaData\":{\"id\":\"i\",\"format\":{\"provider\":\"parquet\",\"options\":{}},\"schemaString\":\"\",\
        \"partitionColumns\":[],\"configuration\":{}}}\n";
    const A: &str = "{\"add\":{\"path\":\"a\",\"partitionValues\":{},\"size\":1,\"modificationTime\":1,\"dataChange\":true}}";
    const B: &str = "{\"remove\":{\"path\":\"a\",\"dataChange\":true}}\n{\"add\":{\"path\":\"b\",\"partitionValues\":{},\"size\":1}}";

    #[test]
    fn files_that_were_removed_do_not_count() {
        assert_eq!(replay(&[START, A]).unwrap(), ["t/a"]);
        assert_eq!(replay(&[START, A, B]).unwrap(), ["t/b"]);
        assert_eq!(replay(&[START, A, B, A]).unwrap(), ["t/a", "t/b"]);
    }

    #[test]
    fn a_removed_file_does_not_count_if_its_path_is_written_in_another_way() {
        let added = |path: &str| format!("{{\"add\":{{\"path\":\"{path}\",\"size\":1}}}}");
        let removed = |path: &str| format!("{{\"remove\":{{\"path\":\"{path}\"}}}}");
        let [plain, encoded] = ["city=São/a b.parquet", "city=S%C3%A3o/a%20b.parquet"];
        for (one, other) in [(plain, encoded), (encoded, plain), (encoded, "city=S%c3%a3o/a%20b.parquet")] {
            assert!(replay(&[START, &added(one), &removed(other)]).unwrap().is_empty(), "{one} {other}");
        }
        assert_eq!(replay(&[START, &added("a%2520b"), &removed("a%20b")]).unwrap(), ["t/a%20b"]);
        // A file at the root of the store is another one.
        assert_eq!(replay(&[START, A, &removed("/a")]).unwrap(), ["t/a"]);
    }

    #[test]
    fn a_checkpoint_whose_files_are_listed_elsewhere_is_refused() {
        use std::sync::Arc;

        use datafusion::arrow::array::{ArrayRef, RecordBatch, StringArray, StructArray};
        use datafusion::arrow::datatypes::{DataType, Field};
        use datafusion::parquet::arrow::ArrowWriter;
        let paths: ArrayRef = Arc::new(StringArray::from(vec!["b.parquet"]));
        let sidecar = StructArray::from(vec![(Arc::new(Field::new("path", DataType::Utf8, true)), paths)]);
        let batch = RecordBatch::try_from_iter([("sidecar", Arc::new(sidecar) as ArrayRef)]).unwrap();
        let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        let lines = as_lines(writer.into_inner().unwrap().into()).unwrap();
        let lines = String::from_utf8(lines).unwrap();
        assert!(replay(&[START, A, &lines]).unwrap_err().contains("checkpoint of version 2"), "{lines}");
    }

    #[test]
    fn what_is_not_supported_is_refused() {
        let features = |feature: &str| {
            format!(
                "{{\"protocol\":{{\"minReaderVersion\":3,\"minWriterVersion\":7,\"readerFeatures\":[\"{feature}\"]}}}}"
            )
        };
        assert!(replay(&[START, A, &features("deletionVectors")]).is_ok());
        let deleted = "{\"add\":{\"path\":\"a\",\"size\":1,\"deletionVector\":{\"storageType\":\"u\"}}}";
        for (line, word) in [
            (deleted, "deletion vectors"),
            (&features("rowTracks"), "feature"),
            ("{\"protocol\":{\"minReaderVersion\":4}}", "feature"),
            ("{\"add\":{\"path\":\"../a\",\"size\":1}}", "outside"),
            (
                "{\"metaData\":{\"schemaString\":\"\",\"configuration\":{\"delta.columnMapping.mode\":\"name\"}}}",
                "renamed",
            ),
            ("{\"metaData\":{\"schemaString\":\"\",\"format\":{\"provider\":\"csv\"}}}", "not Parquet"),
            ("{\"add\":{\"size\":1}}", "damaged"),
            ("{\"add\":", "damaged"),
        ] {
            let refusal = replay(&[START, A, line]).unwrap_err();
            assert!(refusal.contains(word), "{line}: {refusal}");
        }
        assert!(replay(&[A]).unwrap_err().contains("damaged"));
    }
}
