//! The model hub: the files of a model, and the choice among them.

use serde::Deserialize;

use crate::environment::Environment;
use crate::error::{Error, ErrorKind};
use crate::layout;
use crate::monitor::Monitor;
use crate::net::{Address, Client, DownloadRequest, NetworkSettings, Secret};
use crate::path::{self, file_name};
use crate::source::RepositoryName;
use inkveil_files::Sha256Sum;

/// The public hub. HF_ENDPOINT names another.
const PUBLIC: &str = "https://huggingface.co";

/// The file list of a large model has a few hundred kilobytes.
const LONGEST_LIST: u64 = 32 << 20;

/// The preferred quantisations, best first: small files of good quality.
const PREFERRED: [&str; 8] = ["q4_k_m", "q4_k_s", "q4_0", "q5_k_m", "q6_k", "q8_0", "f16", "bf16"];

/// A hub.
pub(crate) struct Hub {
    client: Client,
    address: Address,
}

/// The files of a model at one commit.
#[derive(Debug)]
pub(crate) struct RepositoryListing {
    pub(crate) commit: String,
    pub(crate) licence: Option<String>,
    pub(crate) files: Vec<HubFile>,
}

/// A file of a model on the hub.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HubFile {
    pub(crate) path: String,
    pub(crate) bytes: Option<u64>,
    /// Known for large files.
    pub(crate) sha256: Option<Sha256Sum>,
}

impl Hub {
    /// Opens the hub of the user's settings.
    pub(crate) fn open(client: &Client, settings: &NetworkSettings) -> Result<Self, Error> {
        let endpoint = settings.environment.text("HF_ENDPOINT");
        let address: Address =
            endpoint.as_deref().unwrap_or(PUBLIC).parse().map_err(|e: Error| e.of("HF_ENDPOINT"))?;
        let token = token(&settings.environment);
        Ok(Self { client: client.trusting(&address, token.as_ref()), address })
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    /// Lists the files of a model.
    pub(crate) fn list(
        &self,
        repository: &RepositoryName,
        revision: Option<&str>,
        monitor: &mut Monitor<'_>,
    ) -> Result<RepositoryListing, Error> {
        let mut parts = vec!["api", "models"];
        parts.extend(repository.as_str().split('/'));
        parts.extend(["revision", revision.unwrap_or("main")]);
        let address = self.address.append(&parts).with_query("blobs=true");
        let (head, page) = self.client.page(&address, "application/json", LONGEST_LIST, monitor)?;
        // The hub also answers 401 if a model does not exist, so that private names cannot be guessed.
        if matches!(head.status, 401 | 404) {
            return Err(Error::from(ErrorKind::NoModel).of(repository));
        }
        head.check_status()?;
        parse_listing(&page).map_err(|e| e.of(repository))
    }

    /// The download of a file at a commit.
    pub(crate) fn request(
        &self,
        repository: &RepositoryName,
        commit: &str,
        file: &HubFile,
    ) -> DownloadRequest {
        let mut parts: Vec<&str> = repository.as_str().split('/').collect();
        parts.extend(["resolve", commit]);
        parts.extend(file.path.split('/'));
        DownloadRequest {
            address: self.address.append(&parts),
            name: file.path.clone(),
            bytes: file.bytes,
            sha256: file.sha256,
        }
    }
}

/// The token in HF_TOKEN, or the one that the hub's own tools stored.
fn token(environment: &Environment) -> Option<Secret> {
    let stored = || {
        let home = environment
            .path("HF_HOME")
            .or_else(|| environment.path("XDG_CACHE_HOME").map(|cache| cache.join("huggingface")))
            .or_else(|| environment.home().map(|home| home.join(".cache/huggingface")));
        let path = environment.path("HF_TOKEN_PATH").or_else(|| home.map(|home| home.join("token")));
        path.and_then(|path| std::fs::read_to_string(path).ok())
    };
    let text = environment.text("HF_TOKEN").or_else(stored)?;
    let token = text.trim();
    // A line break in the token would start another header.
    (!token.is_empty() && token.bytes().all(|b| b.is_ascii_graphic())).then(|| Secret::new(token))
}

fn parse_listing(page: &[u8]) -> Result<RepositoryListing, Error> {
    #[derive(Deserialize)]
    struct Model {
        sha: String,
        siblings: Vec<Sibling>,
        #[serde(default, rename = "cardData")]
        card: serde_json::Value,
    }
    #[derive(Deserialize)]
    struct Sibling {
        rfilename: String,
        #[serde(default)]
        size: Option<u64>,
        #[serde(default)]
        lfs: Option<Lfs>,
    }
    #[derive(Deserialize)]
    struct Lfs {
        #[serde(default, alias = "oid")]
        sha256: Option<String>,
        #[serde(default)]
        size: Option<u64>,
    }
    let bad = |what| Error::from(ErrorKind::BadPage { what });
    let model: Model = serde_json::from_slice(page).map_err(|_| bad("it is not the hub's list of files"))?;
    let is_commit = (7..=64).contains(&model.sha.len()) && model.sha.bytes().all(|b| b.is_ascii_hexdigit());
    if !is_commit {
        return Err(bad("the commit is missing"));
    }
    let mut files = Vec::new();
    for Sibling { rfilename, size, lfs } in model.siblings {
        path::check_relative(&rfilename)?;
        let bytes = lfs.as_ref().and_then(|lfs| lfs.size).or(size);
        let sha256 = lfs.and_then(|lfs| lfs.sha256?.trim_start_matches("sha256:").parse().ok());
        files.push(HubFile { path: rfilename, bytes, sha256 });
    }
    let licence = model.card.get("license").and_then(|licence| licence.as_str()).map(spdx);
    Ok(RepositoryListing { commit: model.sha, licence, files })
}

/// The SPDX identifier of a licence, which the hub writes in lower case.
fn spdx(licence: &str) -> String {
    let known = [
        "Apache-2.0",
        "MIT",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "CC0-1.0",
        "CC-BY-4.0",
        "CC-BY-SA-4.0",
        "CC-BY-NC-4.0",
        "CC-BY-NC-SA-4.0",
        "GPL-3.0",
        "AGPL-3.0",
        "LGPL-3.0",
        "MPL-2.0",
        "ISC",
        "Unlicense",
        "OpenRAIL",
        "PDDL",
    ];
    if let Some(found) = known.iter().find(|name| name.eq_ignore_ascii_case(licence)) {
        return match *found {
            "GPL-3.0" | "AGPL-3.0" | "LGPL-3.0" => format!("{found}-only"),
            "PDDL" => "PDDL-1.0".to_owned(),
            "OpenRAIL" => "LicenseRef-openrail".to_owned(),
            _ => (*found).to_owned(),
        };
    }
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
    format!("LicenseRef-{}", licence.chars().take(60).map(plain).collect::<String>())
}

impl RepositoryListing {
    /// Chooses the files of the model: one set of weights in a safe format, and the files that belong to it. If the
    /// checksum of the weights is known, the weights must have it.
    pub(crate) fn choose(&self, weights: Option<Sha256Sum>) -> Result<Vec<HubFile>, Error> {
        let mut chosen = match weights {
            Some(sum) => {
                let found = self.files.iter().find(|file| file.sha256 == Some(sum));
                let what = "no file has the checksum of the known weights";
                vec![found.ok_or(ErrorKind::NoModelFiles { what })?]
            }
            None => self.weights()?,
        };
        for file in &self.files {
            let (folder, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
            let module = layout::is_module_folder(folder);
            let companion = layout::is_companion(name) || name == "model.safetensors.index.json";
            let belongs = companion && (folder.is_empty() || module) || module && name == "model.safetensors";
            if belongs && !chosen.iter().any(|taken| taken.path == file.path) {
                chosen.push(file);
            }
        }
        Ok(chosen.into_iter().cloned().collect())
    }

    fn weights(&self) -> Result<Vec<&HubFile>, Error> {
        let top = |extension: &str| -> Vec<&HubFile> {
            self.files.iter().filter(|f| !f.path.contains('/') && f.path.ends_with(extension)).collect()
        };
        let safetensors = top(".safetensors");
        if let Some(whole) = safetensors.iter().find(|f| f.path == "model.safetensors") {
            return Ok(vec![whole]);
        }
        let shards: Vec<&HubFile> = safetensors
            .iter()
            .filter(|f| f.path.starts_with("model-") && f.path.contains("-of-"))
            .copied()
            .collect();
        if !shards.is_empty() {
            return Ok(shards);
        }
        if !safetensors.is_empty() {
            return Ok(safetensors);
        }
        let mut quantised = top(".gguf");
        let rank = |file: &HubFile| {
            let name = file.path.to_ascii_lowercase();
            PREFERRED.iter().position(|kind| name.contains(kind)).unwrap_or(PREFERRED.len())
        };
        quantised.sort_by_key(|file| (rank(file), file.path.len(), file.path.clone()));
        if let Some(best) = quantised.first() {
            // A file in parts is complete only with all of them.
            let (stem, part) = best.path.split_once("-00001-of-").unwrap_or((&best.path, ""));
            return Ok(match part {
                "" => vec![best],
                _ => quantised
                    .iter()
                    .filter(|f| f.path.starts_with(stem) && f.path.ends_with(part))
                    .copied()
                    .collect(),
            });
        }
        let what = if self.files.iter().any(|file| layout::is_pickle(file_name(&file.path))) {
            "its weights are pickled, and reading a pickle can run code; choose a model with .safetensors or .gguf files"
        } else {
            "no .safetensors or .gguf file"
        };
        Err(ErrorKind::NoModelFiles { what }.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listing(paths: &[&str]) -> RepositoryListing {
        let siblings: Vec<String> =
            paths.iter().map(|path| format!(r#"{{"rfilename": "{path}"}}"#)).collect();
        let page = format!(r#"{{"sha": "0123456789abcdef", "siblings": [{}]}}"#, siblings.join(","));
        parse_listing(page.as_bytes()).unwrap()
    }

    fn chosen(paths: &[&str]) -> Vec<String> {
        let mut files: Vec<String> =
            listing(paths).choose(None).unwrap().into_iter().map(|f| f.path).collect();
        files.sort();
        files
    }

    #[test]
    fn chooses_one_set_of_weights() {
        let encoder = [
            "model.safetensors",
            "pytorch_model.bin",
            "rust_model.ot",
            "tf_model.h5",
            "onnx/model.onnx",
            "config.json",
            "1_Pooling/config.json",
            "2_Dense/model.safetensors",
            "2_Dense/config.json",
            "2_Dense/pytorch_model.bin",
            "tokenizer.json",
            "README.md",
            "train_script.py",
            "openvino/config.json",
            "model.fp16.safetensors",
        ];
        assert_eq!(
            chosen(&encoder),
            [
                "1_Pooling/config.json",
                "2_Dense/config.json",
                "2_Dense/model.safetensors",
                "README.md",
                "config.json",
                "model.safetensors",
                "tokenizer.json"
            ]
        );
        let shards = ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"];
        assert_eq!(chosen(&[shards[0], shards[1], "model.safetensors.index.json"]).len(), 3);
        assert_eq!(chosen(&["a-q8_0.gguf", "a-q4_k_m.gguf", "a-fp16.gguf"]), ["a-q4_k_m.gguf"]);
        let parts = ["a-q4_k_m-00001-of-00002.gguf", "a-q4_k_m-00002-of-00002.gguf", "a-q8_0.gguf"];
        assert_eq!(chosen(&parts), parts[..2]);
    }

    #[test]
    fn refuses_pickles() {
        let error = listing(&["pytorch_model.bin", "config.json"]).choose(None).unwrap_err();
        assert!(error.to_string().contains("pickled"), "{error}");
        assert!(listing(&["README.md"]).choose(None).is_err());
    }

    #[test]
    fn checks_untrusted_listings() {
        let page = br#"{"sha": "0123456789abcdef", "cardData": {"license": "apache-2.0"}, "siblings": [
            {"rfilename": "a.gguf", "size": 9, "blobId": "x", "lfs": {"size": 8,
             "sha256": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", "pointerSize": 1}}]}"#;
        let list = parse_listing(page).unwrap();
        assert_eq!(list.licence.as_deref(), Some("Apache-2.0"));
        assert_eq!((list.files[0].bytes, list.files[0].sha256), (Some(8), Some(Sha256Sum::of(b"abc"))));
        assert_eq!(list.choose(Some(Sha256Sum::of(b"abc"))).unwrap().len(), 1);
        assert!(list.choose(Some(Sha256Sum::of(b"other"))).is_err());
        for bad in [
            r#"{"sha": "0123456789abcdef", "siblings": [{"rfilename": "../../etc/passwd"}]}"#,
            r#"{"sha": "../main", "siblings": []}"#,
            r#"{"siblings": []}"#,
            "<html>",
        ] {
            assert!(parse_listing(bad.as_bytes()).is_err(), "{bad}");
        }
    }

    #[test]
    fn converts_licences_to_spdx() {
        assert_eq!(spdx("mit"), "MIT");
        assert_eq!(spdx("gpl-3.0"), "GPL-3.0-only");
        assert_eq!(spdx("some licence!"), "LicenseRef-some-licence-");
    }

    #[test]
    fn finds_and_checks_tokens() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("token"), "stored\n").unwrap();
        let home = folder.path().to_str().unwrap();
        let found = |variables: &[(&str, &str)]| {
            token(&Environment::fixed(variables.iter().copied())).map(|token| token.reveal().to_owned())
        };
        assert_eq!(found(&[("HF_TOKEN", "given"), ("HF_HOME", home)]).as_deref(), Some("given"));
        assert_eq!(found(&[("HF_HOME", home)]).as_deref(), Some("stored"));
        assert_eq!(found(&[("HF_TOKEN", "a\r\nb: c")]), None);
        assert_eq!(found(&[]), None);
    }
}
