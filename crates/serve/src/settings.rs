//! The settings of the gateway: a file in TOML, and flags that override it.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, ensure};
use inkveil::Epsilon;
use inkveil::detect::Tier;
use inkveil::release::Account;
use inkveil::settings::{Reader, Table as TomlTable, Value, parse, read_file};
use url::Url;

use crate::mode::Mode;
use crate::positions::{Action, Protocol, Table};
use crate::secret::CallerId;

/// The settings of the gateway.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The address to listen on.
    pub listen: SocketAddr,
    /// Where the requests of OpenAI's protocols go.
    pub upstream: Option<Url>,
    /// Where the requests of Anthropic's protocols go. The same upstream by default.
    pub anthropic: Option<Url>,
    /// The environment variable with the key of the upstream. The caller's key is passed on by default.
    pub upstream_key: Option<String>,
    /// The environment variable with the key of Anthropic's upstream.
    pub anthropic_key: Option<String>,
    /// The file with the gateway's secret.
    pub secret: Option<PathBuf>,
    /// The model pack.
    pub pack: String,
    /// The tier of detection.
    pub tier: Tier,
    /// A settings file of `inkveil detect`.
    pub detect: Option<PathBuf>,
    /// The mode, if no other line fits.
    pub mode: Mode,
    /// The mode of single routes.
    pub routes: BTreeMap<String, Mode>,
    /// The mode of single models.
    pub models: BTreeMap<String, Mode>,
    /// The callers.
    pub keys: Vec<LocalKey>,
    /// Whether images, sounds and files pass.
    pub media_passes: bool,
    /// Positions that the operator allows: route, path, action.
    pub fields: Vec<(String, String, Action)>,
    /// The ledger.
    pub ledger: Option<PathBuf>,
    /// The noise of vectors.
    pub vectors: Option<VectorSettings>,
    /// The language model on this machine that rewrites texts.
    pub rewriter: Option<String>,
    /// The certificate and its key.
    pub tls: Option<(PathBuf, PathBuf)>,
    /// Limits.
    pub limits: Limits,
}

/// How vectors get noise.
#[derive(Debug, Clone, PartialEq)]
pub struct VectorSettings {
    /// The budget of each vector.
    pub epsilon: Epsilon,
    /// The masks of the concepts to protect. Without one, the noise is the same in all directions.
    pub masks: Vec<PathBuf>,
    /// The least noise in any direction, as a share of round noise.
    pub floor: f64,
    /// What happens to requests for embeddings.
    pub embeddings: EmbeddingsFrom,
}

/// Where embeddings come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EmbeddingsFrom {
    /// From the upstream, without noise.
    #[default]
    Unchanged,
    /// From the upstream. The text is veiled before, and the vectors get noise after.
    Upstream,
    /// From the encoder of the pack. No text leaves, and the vectors get noise.
    Here,
}

/// A caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalKey {
    /// Its name in the ledger and in logs.
    pub name: String,
    /// The SHA-256 of the key.
    pub sha256: [u8; 32],
    /// Its mode.
    pub mode: Option<Mode>,
}

/// Limits. Beyond them, a request is refused and nothing is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The longest body.
    pub body: usize,
    /// Requests at the same time.
    pub requests: usize,
    /// Connections at the same time.
    pub connections: usize,
    /// The longest time to read a request.
    pub reading: Duration,
    /// The longest time to veil a request.
    pub veiling: Duration,
    /// The longest time until an answer begins, between two pieces of it, and until the caller takes something of it.
    pub answering: Duration,
    /// The time that open answers get when the gateway stops.
    pub stopping: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body: 16 << 20,
            requests: 64,
            connections: 4096,
            reading: Duration::from_secs(30),
            veiling: Duration::from_secs(30),
            answering: Duration::from_secs(600),
            stopping: Duration::from_secs(30),
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
            upstream: None,
            anthropic: None,
            upstream_key: None,
            anthropic_key: None,
            secret: None,
            pack: inkveil::DEFAULT_PACK.to_owned(),
            tier: Tier::Accurate,
            detect: None,
            mode: Mode::default(),
            routes: BTreeMap::new(),
            models: BTreeMap::new(),
            keys: Vec::new(),
            media_passes: false,
            fields: Vec::new(),
            ledger: None,
            vectors: None,
            rewriter: None,
            tls: None,
            limits: Limits::default(),
        }
    }
}

const KEYS: &[&str] = &[
    "listen",
    "upstream",
    "anthropic",
    "upstream-key",
    "anthropic-key",
    "secret",
    "pack",
    "tier",
    "detect",
    "mode",
    "routes",
    "models",
    "keys",
    "media",
    "fields",
    "ledger",
    "vectors",
    "rewriter",
    "tls",
    "limits",
];

impl Settings {
    /// Reads a settings file.
    ///
    /// # Errors
    /// If it cannot be read. The message points at every mistake.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        Ok(parse(&read_file(path)?, path, read)?)
    }

    /// Checks that the settings fit together.
    ///
    /// # Errors
    /// If they would let something pass that should not.
    pub fn check(&self) -> anyhow::Result<()> {
        ensure!(
            self.listen.ip().is_loopback() || !self.keys.is_empty(),
            "{} is a public address, and there are no keys for callers; add [keys.NAME] to the settings, or listen on 127.0.0.1",
            self.listen
        );
        for url in [&self.upstream, &self.anthropic].into_iter().flatten() {
            ensure!(
                matches!(url.scheme(), "http" | "https") && url.host().is_some(),
                "an upstream needs an address such as https://api.openai.com"
            );
            ensure!(
                url.username().is_empty() && url.password().is_none() && url.query().is_none(),
                "the address of an upstream must have no password and no query; name an environment variable with upstream-key"
            );
        }
        for protocol in Protocol::ALL {
            self.table(protocol)?;
        }
        for route in self.routes.keys().chain(self.fields.iter().map(|(route, ..)| route)) {
            ensure!(
                Protocol::ALL.iter().any(|protocol| protocol.name() == route),
                "there is no route {route:?}; routes are {}",
                Protocol::ALL.map(Protocol::name).join(", ")
            );
        }
        Ok(())
    }

    /// The table of positions of a protocol, with what the operator allows.
    ///
    /// # Errors
    /// If a path cannot be read.
    pub fn table(&self, protocol: Protocol) -> anyhow::Result<Table> {
        let mut table = Table::parse(&protocol.lines()).map_err(|error| anyhow::anyhow!("{error}"))?;
        for (_, path, action) in self.fields.iter().filter(|(route, ..)| route == protocol.name()) {
            table.prefer(path, *action).with_context(|| format!("[fields]: {path:?} is not a path"))?;
        }
        Ok(table)
    }

    /// The mode of a request: that of its key, its model, its route, or the general one.
    pub fn mode_of(&self, key: Option<&LocalKey>, model: Option<&str>, protocol: Protocol) -> Mode {
        key.and_then(|key| key.mode)
            .or_else(|| model.and_then(|model| self.models.get(model)).copied())
            .or_else(|| self.routes.get(protocol.name()).copied())
            .unwrap_or(self.mode)
    }

    /// The modes in use.
    pub fn modes(&self) -> Vec<Mode> {
        let single = self.routes.values().chain(self.models.values()).copied();
        let of_keys = self.keys.iter().filter_map(|key| key.mode);
        let all: BTreeSet<Mode> = [self.mode].into_iter().chain(single).chain(of_keys).collect();
        all.into_iter().collect()
    }

    /// Where a request of a caller is charged.
    pub(crate) fn account(&self, name: Option<&str>, caller: CallerId) -> Account {
        match &self.ledger {
            Some(path) => Account::new(path).subject(name.map_or_else(|| caller.short(), str::to_owned)),
            None => Account::none(),
        }
    }

    /// Where the embeddings of a protocol come from.
    pub(crate) fn embeddings_of(&self, protocol: Protocol) -> EmbeddingsFrom {
        match &self.vectors {
            Some(vectors) if protocol == Protocol::Embeddings => vectors.embeddings,
            _ => EmbeddingsFrom::Unchanged,
        }
    }

    /// The upstream of a protocol, and the environment variable with its key.
    pub fn upstream_of(&self, protocol: Protocol) -> (Option<&Url>, Option<&str>) {
        match (protocol.is_anthropic(), &self.anthropic) {
            (true, Some(url)) => (Some(url), self.anthropic_key.as_deref()),
            (true, None) => {
                (self.upstream.as_ref(), self.anthropic_key.as_deref().or(self.upstream_key.as_deref()))
            }
            (false, _) => (self.upstream.as_ref(), self.upstream_key.as_deref()),
        }
    }
}

/// Reads the address of an upstream. A path `/v1` at its end is the one that the routes have already.
///
/// # Errors
/// If it is not an address.
pub fn upstream(address: &str) -> anyhow::Result<Url> {
    let address = address.trim_end_matches('/');
    let address = address.strip_suffix("/v1").unwrap_or(address);
    Url::parse(address).ok().context("an upstream needs an address such as https://api.openai.com")
}

fn read(reader: &mut Reader, table: TomlTable<'_>) -> Settings {
    let mut settings = Settings::default();
    reader.only_keys(table, "setting", KEYS);
    for (key, value) in table.iter() {
        match key.name() {
            "listen" => {
                if let Some(text) = reader.string(value) {
                    match text.parse() {
                        Ok(address) => settings.listen = address,
                        Err(_) => {
                            reader.wrong(value.span(), "this is not an address", "write \"127.0.0.1:8080\"")
                        }
                    }
                }
            }
            "upstream" => settings.upstream = address(reader, value),
            "anthropic" => settings.anthropic = address(reader, value),
            "upstream-key" => settings.upstream_key = reader.string(value),
            "anthropic-key" => settings.anthropic_key = reader.string(value),
            "secret" => settings.secret = reader.string(value).map(PathBuf::from),
            "pack" => settings.pack = reader.string(value).unwrap_or_default(),
            "tier" => {
                let tiers = Tier::ALL.map(|tier| (tier.name(), tier));
                settings.tier = reader.choice(value, "tier", tiers).unwrap_or(settings.tier);
            }
            "detect" => settings.detect = reader.string(value).map(PathBuf::from),
            "mode" => settings.mode = mode(reader, value).unwrap_or_default(),
            "routes" => settings.routes = modes(reader, value),
            "models" => settings.models = modes(reader, value),
            "media" => {
                let choices = [("refuse", false), ("pass", true)];
                settings.media_passes = reader.choice(value, "treatment of media", choices).unwrap_or(false);
            }
            "ledger" => settings.ledger = reader.string(value).map(PathBuf::from),
            "keys" => settings.keys = keys(reader, value),
            "fields" => settings.fields = fields(reader, value),
            "vectors" => settings.vectors = vectors(reader, value),
            "rewriter" => settings.rewriter = reader.string(value),
            "tls" => settings.tls = tls(reader, value),
            "limits" => limits(reader, value, &mut settings.limits),
            _ => {}
        }
    }
    settings
}

fn address(reader: &mut Reader, value: Value<'_>) -> Option<Url> {
    let text = reader.string(value)?;
    let url = upstream(&text).ok();
    if url.is_none() {
        reader.wrong(value.span(), "this is not an address", "write \"https://api.openai.com\"");
    }
    url
}

fn mode(reader: &mut Reader, value: Value<'_>) -> Option<Mode> {
    reader.choice(value, "mode", Mode::ALL.map(|mode| (mode.name(), mode)))
}

fn modes(reader: &mut Reader, value: Value<'_>) -> BTreeMap<String, Mode> {
    let Some(table) = reader.table(value) else { return BTreeMap::new() };
    table.iter().filter_map(|(key, value)| Some((key.name().to_owned(), mode(reader, value)?))).collect()
}

fn keys(reader: &mut Reader, value: Value<'_>) -> Vec<LocalKey> {
    let Some(table) = reader.table(value) else { return Vec::new() };
    let mut keys = Vec::new();
    for (name, value) in table.iter() {
        let Some(table) = reader.table(value) else { continue };
        reader.only_keys(table, "setting of a key", &["sha256", "mode"]);
        let mode = table.get("mode").and_then(|value| mode(reader, value));
        let Some(sum) = reader.needed(table, "sha256", "\"…\"") else { continue };
        let digits = reader.string(sum).and_then(|digits| inkveil::files::hex::decode_array(&digits));
        match digits {
            Some(sha256) => keys.push(LocalKey { name: name.name().to_owned(), sha256, mode }),
            None => reader.wrong(
                sum.span(),
                "this is not a SHA-256 in hexadecimal digits",
                "see: printf %s KEY | sha256sum",
            ),
        }
    }
    keys
}

fn fields(reader: &mut Reader, value: Value<'_>) -> Vec<(String, String, Action)> {
    let Some(table) = reader.table(value) else { return Vec::new() };
    let mut fields = Vec::new();
    for (route, value) in table.iter() {
        let Some(table) = reader.table(value) else { continue };
        for (path, value) in table.iter() {
            let actions = [
                Action::Veil,
                Action::System,
                Action::Arguments,
                Action::Data,
                Action::Schema,
                Action::Pseudonym,
                Action::Pass,
                Action::Refuse,
                Action::Unchanged,
            ];
            if let Some(action) =
                reader.choice(value, "action", actions.map(|action| (action.name(), action)))
            {
                fields.push((route.name().to_owned(), path.name().to_owned(), action));
            }
        }
    }
    fields
}

fn vectors(reader: &mut Reader, value: Value<'_>) -> Option<VectorSettings> {
    let table = reader.table(value)?;
    reader.only_keys(table, "setting of vectors", &["epsilon", "masks", "floor", "embeddings"]);
    let epsilon = reader.needed(table, "epsilon", "400")?;
    let epsilon = reader.number(epsilon, 0.000_001..=1e12).and_then(|number| Epsilon::new(number).ok())?;
    let sources = [
        ("unchanged", EmbeddingsFrom::Unchanged),
        ("upstream", EmbeddingsFrom::Upstream),
        ("here", EmbeddingsFrom::Here),
    ];
    Some(VectorSettings {
        epsilon,
        masks: table
            .get("masks")
            .map(|value| reader.strings(value))
            .unwrap_or_default()
            .into_iter()
            .map(Into::into)
            .collect(),
        floor: table.get("floor").and_then(|value| reader.number(value, 0.0..=1.0)).unwrap_or(0.0),
        embeddings: table
            .get("embeddings")
            .and_then(|value| reader.choice(value, "source of embeddings", sources))
            .unwrap_or_default(),
    })
}

fn tls(reader: &mut Reader, value: Value<'_>) -> Option<(PathBuf, PathBuf)> {
    let table = reader.table(value)?;
    reader.only_keys(table, "setting of TLS", &["certificate", "key"]);
    let certificate = reader.needed(table, "certificate", "\"gateway.pem\"")?;
    let key = reader.needed(table, "key", "\"gateway.key\"")?;
    Some((reader.string(certificate)?.into(), reader.string(key)?.into()))
}

fn limits(reader: &mut Reader, value: Value<'_>, limits: &mut Limits) {
    let Some(table) = reader.table(value) else { return };
    let known = ["body-mb", "requests", "connections", "reading", "veiling", "answering", "stopping"];
    reader.only_keys(table, "limit", &known);
    for (key, value) in table.iter() {
        let Some(number) = reader.number(value, 0.001..=1_000_000.0) else { continue };
        let seconds = Duration::from_secs_f64(number);
        match key.name() {
            "body-mb" => limits.body = (number * f64::from(1 << 20)) as usize,
            "requests" => limits.requests = (number as usize).max(1),
            "connections" => limits.connections = (number as usize).max(1),
            "reading" => limits.reading = seconds,
            "veiling" => limits.veiling = seconds,
            "answering" => limits.answering = seconds,
            "stopping" => limits.stopping = seconds,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> anyhow::Result<Settings> {
        let settings = parse(text, "serve.toml", read)?;
        settings.check()?;
        Ok(settings)
    }

    #[test]
    fn a_file_is_read() {
        let sum = "ab".repeat(32);
        let settings = read_text(&format!(
            "listen = \"0.0.0.0:80\"\nupstream = \"https://api.openai.com/v1/\"\nmode = \"placeholders\"\nmedia = \"pass\"\n\
             [routes]\nembeddings = \"block\"\n[models]\n\"gpt-x\" = \"stamp\"\n[keys.team]\nsha256 = \"{sum}\"\nmode = \"detect\"\n\
             [fields.\"chat/completions\"]\n\"messages[].extra\" = \"veil\"\n[limits]\nbody-mb = 1\n"
        ))
        .unwrap();
        assert_eq!(settings.upstream.as_ref().unwrap().as_str(), "https://api.openai.com/");
        assert_eq!(settings.mode_of(None, Some("gpt-x"), Protocol::Embeddings), Mode::Stamp);
        assert_eq!(settings.mode_of(None, Some("y"), Protocol::Embeddings), Mode::Block);
        assert_eq!(settings.mode_of(Some(&settings.keys[0]), Some("gpt-x"), Protocol::Chat), Mode::Detect);
        assert_eq!(settings.mode_of(None, None, Protocol::Chat), Mode::Placeholders);
        assert_eq!(settings.limits.body, 1 << 20);
        assert_eq!(settings.modes().len(), 4);
    }

    #[test]
    fn settings_that_would_let_something_pass_are_refused() {
        for text in [
            "listen = \"0.0.0.0:80\"",
            "mode = \"surrogate\"",
            "upstream = \"https://user:word@host\"",
            "upstream = \"ftp://host\"",
            "unknown = 1",
            "[keys.a]\nsha256 = \"12\"",
            "[routes]\nchat = \"block\"",
            "[fields.\"chat/completions\"]\n\"a[\" = \"veil\"",
            "media = \"yes\"",
            "[vectors]\nembeddings = \"here\"",
            "[vectors]\nepsilon = -1",
            "[vectors]\nepsilon = 4\nembeddings = \"there\"",
        ] {
            assert!(read_text(text).is_err(), "{text}");
        }
    }
}
