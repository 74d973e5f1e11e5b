//! The query of a request. Known parameters pass if they hold names, and those that hold text are veiled.

use axum::http::Method;
use url::form_urlencoded;

use crate::error::Failure;
use crate::positions::{Leaf, Vault, is_name};

/// Parameters of the protocols that hold numbers and names.
const NAMES: [&str; 12] = [
    "beta",
    "limit",
    "after",
    "before",
    "after_id",
    "before_id",
    "order",
    "include",
    "model",
    "starting_after",
    "stream",
    "include_obfuscation",
];

/// Parameters that hold text, by method and path.
const TEXTS: [(Method, &str, &str); 1] = [(Method::GET, "/v1/chat/completions", "metadata")];

/// A query whose parameters are all known.
#[derive(Default)]
pub(crate) struct Query {
    written: String,
    parameters: Vec<Parameter>,
}

struct Parameter {
    name: String,
    /// What stands in brackets after the name.
    key: Option<String>,
    value: String,
    is_text: bool,
}

impl Query {
    /// Reads the query of a request.
    ///
    /// # Errors
    /// If a parameter is not known, or has free text in the place of a name.
    pub(crate) fn read(method: &Method, path: &str, query: Option<&str>) -> Result<Self, Failure> {
        let Some(query) = query.filter(|query| !query.is_empty()) else { return Ok(Self::default()) };
        let unknown = || Failure::bad("refused_position", "query: the gateway does not know this parameter");
        let free = || {
            let message = "query: free text is not allowed in this parameter, because it would not be veiled";
            Failure::bad("refused_position", message)
        };
        let mut parameters = Vec::new();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            // The decoder puts this character in the place of bytes that are not UTF-8.
            if name.contains('\u{fffd}') || value.contains('\u{fffd}') {
                return Err(unknown());
            }
            let (name, key) = match name.split_once('[') {
                Some((name, key)) => (name, Some(key.strip_suffix(']').ok_or_else(unknown)?.to_owned())),
                None => (&*name, None),
            };
            let is_text = TEXTS.iter().any(|known| (&known.0, known.1, known.2) == (method, path, name));
            let parameter = Parameter { name: name.to_owned(), key, value: value.into_owned(), is_text };
            match is_text {
                true => {}
                false if !NAMES.contains(&name) => return Err(unknown()),
                false if parameter.key.as_ref().is_some_and(|key| !key.is_empty()) => return Err(unknown()),
                false if !is_name(&parameter.value) => return Err(free()),
                false => {}
            }
            parameters.push(parameter);
        }
        Ok(Self { written: query.to_owned(), parameters })
    }

    /// The texts: keys and values of the parameters that hold text.
    pub(crate) fn leaves(&self) -> Vec<Leaf> {
        let mut leaves = Vec::new();
        for parameter in self.parameters.iter().filter(|parameter| parameter.is_text) {
            leaves.push(Leaf::text(parameter.key.clone().unwrap_or_default(), Vault::Open, 1));
            let mut value = Leaf::text(parameter.value.clone(), Vault::Open, 1);
            value.context = parameter.key.clone().filter(|key| is_name(key));
            leaves.push(value);
        }
        leaves
    }

    /// The query with veiled texts.
    ///
    /// # Errors
    /// If there are more or fewer texts than before. Nothing may leave then.
    pub(crate) fn veiled(mut self, texts: Vec<String>) -> Result<Self, Failure> {
        let lost =
            || Failure::unavailable("veil_failed", "a text of the query got lost, so nothing was sent");
        let mut texts = texts.into_iter();
        for parameter in self.parameters.iter_mut().filter(|parameter| parameter.is_text) {
            let (key, value) = (texts.next().ok_or_else(lost)?, texts.next().ok_or_else(lost)?);
            parameter.key = parameter.key.is_some().then_some(key);
            parameter.value = value;
        }
        if texts.next().is_some() {
            return Err(lost());
        }
        let mut written = form_urlencoded::Serializer::new(String::new());
        for Parameter { name, key, value, .. } in &self.parameters {
            match key {
                Some(key) => written.append_pair(&format!("{name}[{key}]"), value),
                None => written.append_pair(name, value),
            };
        }
        self.written = written.finish();
        Ok(self)
    }

    /// A path with the query.
    pub(crate) fn after(&self, path: &str) -> String {
        match self.written.is_empty() {
            true => path.to_owned(),
            false => format!("{path}?{}", self.written),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHAT: &str = "/v1/chat/completions";

    fn read(query: &str) -> Result<Query, Failure> {
        Query::read(&Method::GET, CHAT, Some(query))
    }

    #[test]
    fn names_pass_as_they_are_written() {
        for query in
            ["limit=3", "include%5B%5D=a.b&include[]=c", "order=asc&after=id_1", "beta", "after=a%2Fb"]
        {
            let query_read = read(query).unwrap();
            assert!(query_read.leaves().is_empty());
            assert_eq!(query_read.after("/p"), format!("/p?{query}"));
        }
        assert_eq!(Query::read(&Method::GET, CHAT, None).unwrap().after("/p"), "/p");
    }

    #[test]
    fn texts_are_veiled_and_encoded() {
        let query = read("metadata[to]=Ana+Lima%26x&limit=3&metadata%5Ba%20b%5D=").unwrap();
        let texts: Vec<String> = query.leaves().into_iter().map(|leaf| leaf.text).collect();
        assert_eq!(texts, ["to", "Ana Lima&x", "a b", ""]);
        let texts = texts.into_iter().map(|text| text.replace("Ana Lima", "Eva é")).collect();
        let veiled = query.veiled(texts).unwrap().after("/p");
        assert_eq!(veiled, "/p?metadata%5Bto%5D=Eva+%C3%A9%26x&limit=3&metadata%5Ba+b%5D=");
        assert!(read("metadata[a]=b").unwrap().veiled(Vec::new()).is_err());
    }

    #[test]
    fn everything_else_is_refused() {
        for query in
            ["user=a", "limit=a%40b", "limit=a+b", "limit[x]=3", "limit[=3", "after=%ff", "Metadata[a]=b"]
        {
            assert!(read(query).is_err(), "{query}");
        }
        assert!(Query::read(&Method::POST, CHAT, Some("metadata[a]=b")).is_err());
        assert!(Query::read(&Method::GET, "/v1/models", Some("metadata[a]=b")).is_err());
    }
}
