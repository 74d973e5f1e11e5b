//! The models of a session. They are opened when a query first needs them, and kept as long as the settings stay.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use inkveil::detect::{Detector, Tier};
use inkveil::restore::{KeySource, MapKey, ReplacementMap, RestoreOptions, Restorer};
use inkveil::{DEFAULT_PACK, StyleModels, TextVeil, Veil, names_folder, pack_folder};

use crate::error::{Error, refused};
use crate::settings::{VeilOptions, library};
use crate::work::{Style, lock};

/// The models.
#[derive(Default)]
pub(crate) struct Models(Mutex<Open>);

#[derive(Default)]
struct Open {
    /// The settings of what is open.
    settings: String,
    veil: Option<Arc<TextVeil>>,
    detector: Option<Arc<Detector>>,
    style: Option<Arc<Style>>,
}

impl Models {
    /// The veil of these settings.
    pub(crate) fn veil(&self, options: &VeilOptions) -> Result<Arc<TextVeil>, Error> {
        let mut open = lock(&self.0);
        open.close_others(options)?;
        if let Some(veil) = &open.veil {
            return Ok(veil.clone());
        }
        let config = options.text_config()?;
        let mut builder = Veil::text().settings(config.settings);
        if let Some(pack) = config.pack {
            builder = builder.pack(pack);
        }
        if let Some(model) = config.model {
            builder = builder.model(model);
        }
        Ok(open.veil.insert(Arc::new(builder.build()?)).clone())
    }

    /// The detector of these settings.
    pub(crate) fn detector(&self, options: &VeilOptions) -> Result<Arc<Detector>, Error> {
        let mut open = lock(&self.0);
        open.close_others(options)?;
        if let Some(detector) = &open.detector {
            return Ok(detector.clone());
        }
        let config = options.text_config()?;
        let settings = config.settings.detect;
        let folder = match settings.tier {
            Tier::Rules => None,
            _ => Some(names_folder(&pack_folder(config.pack.as_deref().unwrap_or(DEFAULT_PACK))?)?),
        };
        let detector = Detector::open(folder.as_deref(), settings).map_err(library)?;
        Ok(open.detector.insert(Arc::new(detector)).clone())
    }

    /// The memory of styles.
    pub(crate) fn style(&self, options: &VeilOptions) -> Result<Arc<Style>, Error> {
        let mut open = lock(&self.0);
        open.close_others(options)?;
        if let Some(style) = &open.style {
            return Ok(style.clone());
        }
        let pack = options.text_config()?.pack.unwrap_or_else(|| DEFAULT_PACK.to_owned());
        let models = StyleModels { pack, encoder: None, memory: options.get("memory").map(PathBuf::from) };
        Ok(open.style.insert(Arc::new(models.open()?)).clone())
    }
}

impl Open {
    fn close_others(&mut self, options: &VeilOptions) -> Result<(), Error> {
        let settings = format!("{}\n{:?}", options.file()?.0, options.get("memory"));
        if self.settings != settings {
            *self = Self { settings, ..Self::default() };
        }
        Ok(())
    }
}

/// Opens the map that the settings name.
pub(crate) fn restorer(options: &VeilOptions) -> Result<Restorer, Error> {
    let Some(path) = options.get("map") else {
        return Err(refused("restore() needs a map; name it with SET inkveil.map = 'FILE'"));
    };
    let key = match ReplacementMap::key_source(path).map_err(library)? {
        KeySource::KeyFile => match options.get("map_key") {
            Some(key) => MapKey::from_file(key).map_err(library)?,
            None => {
                return Err(refused("the map needs its key file; name it with SET inkveil.map_key = 'FILE'"));
            }
        },
        KeySource::Passphrase => {
            return Err(refused(
                "the map is encrypted with a passphrase; restore() opens maps with a key file",
            ));
        }
    };
    let map = ReplacementMap::open(path, &key).map_err(library)?;
    Restorer::new(&map, RestoreOptions::default()).map_err(library)
}
