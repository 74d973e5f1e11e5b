//! A Python index with one package, and a client that pulls from it.

use std::io::{Cursor, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use inkveil_pack::{
    Cache, Environment, Error, ErrorKind, Monitor, NetworkSettings, ProgressEvent, Pulled, Puller,
    RetryPolicy, Sha256Sum,
};
use tempfile::TempDir;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::server::{Reply, Request, Server, file};

/// A zip file with these members.
pub(crate) fn zip(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in members {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// A wheel with a model of about `size` bytes that do not compress.
pub(crate) fn wheel(size: usize) -> Vec<u8> {
    let mut state = 1_u32;
    let noise = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    let weights: Vec<u8> = std::iter::repeat_with(noise).take(size).collect();
    zip(&[
        ("tiny_model/__init__.py", b"raise SystemExit"),
        ("tiny_model/data/model.safetensors", &weights),
        ("tiny_model/data/config.json", b"{}"),
        ("tiny_model/data/1_Pooling/config.json", b"{}"),
        ("tiny_model/data/pytorch_model.bin", b"pickle"),
        ("tiny_model-1.0.dist-info/METADATA", b"Name: tiny-model\nLicense-Expression: MIT\n\nLicense: no"),
        ("tiny_model-1.0.dist-info/licenses/LICENSE", b"Do as you like."),
    ])
}

pub(crate) const WHEEL: &str = "tiny_model-1.0-py3-none-any.whl";

/// The JSON page of the package, with one wheel.
pub(crate) fn page(link: &str, sha256: Option<Sha256Sum>, size: Option<usize>) -> Reply {
    let hashes = sha256.map_or_else(|| "{}".to_owned(), |sum| format!(r#"{{"sha256": "{sum}"}}"#));
    let size = size.map_or_else(|| "null".to_owned(), |size| size.to_string());
    let json = format!(
        r#"{{"meta": {{"api-version": "1.1"}}, "name": "tiny-model",
            "files": [{{"filename": "{WHEEL}", "url": "{link}", "hashes": {hashes}, "size": {size}}}]}}"#
    );
    Reply::new(200, json).with("content-type", "application/vnd.pypi.simple.v1+json")
}

/// An index with a correct page. `serve` answers the requests for the file; its first argument counts them.
pub(crate) fn index_serving(
    bytes: Vec<u8>,
    serve: impl Fn(usize, &Request, &[u8]) -> Reply + Send + Sync + 'static,
) -> Server {
    let (sum, asked) = (Sha256Sum::of(&bytes), AtomicUsize::new(0));
    Server::start(move |request| match request.path.as_str() {
        "/simple/tiny-model/" => page("../../files/tiny.whl", Some(sum), Some(bytes.len())),
        "/files/tiny.whl" => serve(asked.fetch_add(1, Ordering::SeqCst), request, &bytes),
        _ => Reply::new(404, "nothing here"),
    })
}

/// A correct index.
pub(crate) fn correct_index(bytes: Vec<u8>) -> Server {
    index_serving(bytes, |_, request, bytes| file(request, bytes, "1"))
}

/// A client with its own cache and environment.
pub(crate) struct Client {
    home: TempDir,
    variables: Vec<(String, String)>,
    retry: RetryPolicy,
}

impl Client {
    pub(crate) fn new() -> Self {
        let retry = RetryPolicy::new(Duration::from_secs(5), 3, Duration::from_millis(5));
        Self { home: TempDir::new().unwrap(), variables: Vec::new(), retry }
    }

    pub(crate) fn of(server: &Server) -> Self {
        Self::new().with("PIP_INDEX_URL", &server.url("/simple"))
    }

    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn with_timeout(mut self, timeout: Duration) -> Self {
        self.retry = RetryPolicy::new(timeout, 2, Duration::from_millis(5));
        self
    }

    pub(crate) fn cache(&self) -> Cache {
        Cache::at(self.home.path().join("cache"))
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.home.path().to_owned()
    }

    fn puller(&self) -> Puller {
        let home = ("HOME".to_owned(), self.home.path().to_str().unwrap().to_owned());
        let environment = Environment::fixed(self.variables.iter().cloned().chain([home]));
        Puller::new(self.cache(), NetworkSettings::new(environment).with_retry(self.retry))
    }

    pub(crate) fn pull(&self, source: &str) -> Result<Pulled, Error> {
        self.pull_watched(source, &mut Monitor::silent())
    }

    pub(crate) fn pull_watched(&self, source: &str, job: &mut Monitor<'_>) -> Result<Pulled, Error> {
        self.puller().pull(&source.parse()?, None, false, job)
    }

    pub(crate) fn pull_again(&self, source: &str) -> Result<Pulled, Error> {
        self.puller().pull(&source.parse()?, None, true, &mut Monitor::silent())
    }

    /// Pulls, and returns the messages too.
    pub(crate) fn pull_with_notes(&self, source: &str) -> (Result<Pulled, Error>, Vec<String>) {
        let never = Arc::new(std::sync::atomic::AtomicBool::new(false));
        let mut notes = Vec::new();
        let mut listener = |event: ProgressEvent<'_>| {
            if let ProgressEvent::Message { text } = event {
                notes.push(text.to_owned());
            }
        };
        let result = self.pull_watched(source, &mut Monitor::new(&mut listener, &never));
        (result, notes)
    }

    /// The kind of error of a pull. A failure must not leave a pack or a part of one.
    pub(crate) fn failure(&self, source: &str) -> ErrorKind {
        let error = self.pull(source).unwrap_err();
        assert_eq!(self.packs(), Vec::<String>::new(), "after {error}");
        error.kind().clone()
    }

    /// All entries of the folder of packs, hidden or not.
    pub(crate) fn packs(&self) -> Vec<String> {
        names(self.cache().packs_folder())
    }

    /// The partial downloads.
    pub(crate) fn partials(&self) -> Vec<String> {
        let folder = self.home.path().join("cache/partial/tiny-model");
        names(folder).into_iter().filter(|name| name.ends_with(".part")).collect()
    }
}

fn names(folder: PathBuf) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
