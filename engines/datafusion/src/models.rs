//! The models of a session. They are opened when a query first needs them, and kept as long as the settings stay.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use inkveil::detect::{Detector, Tier};
use inkveil::restore::{KeySource, MapKey, ReplacementMap, RestoreOptions, Restorer};
use inkveil::{
    DEFAULT_PACK, Encoder, StyleModels, TextVeil, VectorVeilBuilder, Veil, encoder_note, names_folder,
    pack_folder,
};

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
    encoder: Option<Arc<Encoder>>,
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

    /// The encoder of texts.
    pub(crate) fn encoder(&self, options: &VeilOptions) -> Result<Arc<Encoder>, Error> {
        let mut open = lock(&self.0);
        open.close_others(options)?;
        if let Some(encoder) = &open.encoder {
            return Ok(encoder.clone());
        }
        let encoder = Encoder::open(&encoder_pack(options)?)?;
        Ok(open.encoder.insert(Arc::new(encoder)).clone())
    }
}

/// The pack of the encoder.
pub(crate) fn encoder_pack(options: &VeilOptions) -> Result<String, Error> {
    if let Some(pack) = options.get("encoder") {
        return Ok(pack.to_owned());
    }
    Ok(options.text_config()?.pack.unwrap_or_else(|| DEFAULT_PACK.to_owned()))
}

/// The veil over vectors of these settings, for vectors of any length. `are_embedded` tells whether all vectors come from
/// the encoder; those of a table do if the settings name one.
pub(crate) fn vector_builder(options: &VeilOptions, are_embedded: bool) -> Result<VectorVeilBuilder, Error> {
    let Some(epsilon) = options.vector_epsilon() else {
        return Err(refused(
            "veil_vector() needs the budget of a vector; set it with SET inkveil.vector_epsilon = '130'",
        ));
    };
    let is_known = are_embedded || options.get("encoder").is_some();
    let encoder = is_known.then(|| encoder_note(&encoder_pack(options)?).map_err(Error::from)).transpose()?;
    let builder = Veil::vectors(epsilon).encoder(encoder);
    Ok(match options.get("vector_mask") {
        Some(mask) => builder.mask(mask),
        None => builder,
    })
}

impl Open {
    fn close_others(&mut self, options: &VeilOptions) -> Result<(), Error> {
        let settings =
            format!("{}\n{:?}", options.file()?.0, ["memory", "encoder"].map(|name| options.get(name)));
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
