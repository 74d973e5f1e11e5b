//! Concepts to hide: kinds of the detector, words and patterns.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;
use std::path::Path;

use inkveil_detect::{Detector, Kind, Settings, Span, Tier, UserRule, WordList};
use inkveil_settings::{Reader, SettingsError, Table, Value};

use crate::Error;

/// The kind of a concept's own words and patterns.
const OWN: &str = "concept";

/// A concept to hide in vectors. Its words may be private, so they are in no debug output and in no
/// mask file.
///
/// ```
/// use inkveil_vector::Concept;
///
/// let mut concept = Concept::named("weekdays");
/// concept.words = ["Monday", "Tuesday"].map(str::to_owned).to_vec();
/// let finder = concept.finder(None)?;
/// assert_eq!(finder.find(&["We met on monday."])?, [[10..16]]);
/// # Ok::<(), inkveil_vector::Error>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct Concept {
    /// Its name.
    pub name: String,
    /// Kinds of the detector, for example person.
    pub kinds: Vec<Kind>,
    /// Words or phrases, found as whole words in any case.
    pub words: Vec<String>,
    /// Regular expressions.
    pub patterns: Vec<String>,
    /// The detection tier for kinds.
    pub tier: Tier,
}

impl Concept {
    /// Returns an empty concept.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            kinds: Vec::new(),
            words: Vec::new(),
            patterns: Vec::new(),
            tier: Tier::Fast,
        }
    }

    /// Returns a finder for it. `pack` is the folder with taggers; words and patterns alone need
    /// none.
    ///
    /// # Errors
    /// If the concept is empty, a pattern is not valid, or the pack cannot be used.
    pub fn finder(&self, pack: Option<&Path>) -> Result<ConceptFinder, Error> {
        if self.kinds.is_empty() && self.words.is_empty() && self.patterns.is_empty() {
            return Err(Error::setting(format!(
                "the concept {:?} is empty; give it kinds, words or patterns",
                self.name
            )));
        }
        let mut settings = Settings::of(if self.kinds.is_empty() { Tier::Rules } else { self.tier });
        let own = Kind::named(OWN);
        if !self.words.is_empty() {
            settings.lists.push(WordList::new("words", own.clone(), self.words.clone()));
        }
        for (index, pattern) in self.patterns.iter().enumerate() {
            settings.rules.push(UserRule::new(format!("pattern {}", index + 1), own.clone(), pattern));
        }
        settings.only = Some(self.kinds.iter().cloned().chain([own]).collect::<BTreeSet<_>>());
        let detector = Detector::open(pack, settings)?;
        Ok(ConceptFinder { name: self.name.clone(), detector })
    }

    /// Returns a checksum of its kinds, words and patterns. Two masks with the same checksum hide
    /// the same concept.
    pub fn sha256(&self) -> String {
        let mut hash = inkveil_files::Sha256Hasher::new();
        let kinds = self.kinds.iter().map(Kind::name);
        let words = self.words.iter().map(String::as_str);
        let patterns = self.patterns.iter().map(String::as_str);
        let parts: [Vec<&str>; 3] = [kinds.collect(), words.collect(), patterns.collect()];
        for part in parts {
            hash.update((part.len() as u64).to_le_bytes());
            for text in part {
                hash.update((text.len() as u64).to_le_bytes());
                hash.update(text);
            }
        }
        hash.sum().to_string()
    }

    /// Returns a short description: its kinds, and the number of words and patterns.
    pub fn summary(&self) -> String {
        let mut parts: Vec<String> = self.kinds.iter().map(|kind| kind.name().to_owned()).collect();
        for (count, what) in [(self.words.len(), "words"), (self.patterns.len(), "patterns")] {
            if count > 0 {
                parts.push(format!("{count} {what}"));
            }
        }
        parts.join(", ")
    }
}

impl fmt::Debug for Concept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Concept({}: {})", self.name, self.summary())
    }
}

/// Finds a concept in texts.
#[derive(Debug)]
pub struct ConceptFinder {
    name: String,
    detector: Detector,
}

impl ConceptFinder {
    /// Returns the name of the concept.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the byte ranges of its mentions in each text, in order and without overlaps.
    pub fn find(&self, texts: &[&str]) -> Result<Vec<Vec<Range<usize>>>, Error> {
        let found = self.spans(texts)?;
        Ok(found.into_iter().map(|spans| spans.iter().map(Span::range).collect()).collect())
    }

    /// Returns the same as spans, with their kinds and reasons.
    pub fn spans(&self, texts: &[&str]) -> Result<Vec<Vec<Span>>, Error> {
        Ok(self.detector.detect(texts)?)
    }
}

/// Reads the concepts of a settings file: tables `[[concept]]` with a `name` and any of `kinds`,
/// `words`, `words-file` (one word per line, relative to the settings file), `patterns` and `tier`.
///
/// ```
/// let text = "[[concept]]\nname = \"people\"\nkinds = [\"person\"]\n";
/// let concepts = inkveil_vector::concepts_from_toml(text, "concepts.toml")?;
/// assert_eq!(concepts[0].summary(), "person");
/// # Ok::<(), inkveil_settings::SettingsError>(())
/// ```
///
/// # Errors
/// Every mistake in the text, with its line.
pub fn concepts_from_toml(text: &str, file: impl AsRef<Path>) -> Result<Vec<Concept>, SettingsError> {
    let file = file.as_ref();
    let folder = file.parent().unwrap_or(Path::new(""));
    inkveil_settings::parse(text, file, |reader, table| read(reader, table, folder))
}

fn read(reader: &mut Reader, table: Table<'_>, folder: &Path) -> Vec<Concept> {
    reader.only_keys(table, "table", &["concept"]);
    let Some(value) = reader.needed(table, "concept", "[[concept]]") else { return Vec::new() };
    let items = reader.array(value).unwrap_or_default();
    let mut concepts: Vec<Concept> = Vec::new();
    for item in items {
        let Some(concept) = concept(reader, item, folder) else { continue };
        if concepts.iter().any(|other| other.name == concept.name) {
            reader.wrong(item.span(), "two concepts have this name", "give each a name of its own");
        }
        concepts.push(concept);
    }
    concepts
}

fn concept(reader: &mut Reader, value: Value<'_>, folder: &Path) -> Option<Concept> {
    let table = reader.table(value)?;
    let keys = ["name", "kinds", "words", "words-file", "patterns", "tier"];
    reader.only_keys(table, "setting of a concept", &keys);
    let name = reader.needed(table, "name", "\"…\"")?;
    let mut concept = Concept::named(reader.string(name)?);
    if let Some(kinds) = table.get("kinds") {
        for item in reader.array(kinds).unwrap_or_default() {
            let known = Kind::ALL.iter().map(|kind| (kind.name(), kind.clone()));
            concept.kinds.extend(reader.choice(item, "kind", known));
        }
    }
    if let Some(words) = table.get("words") {
        concept.words = reader.strings(words);
    }
    if let Some(file) = table.get("words-file") {
        let text = reader.file_text(file, folder).unwrap_or_default();
        concept.words.extend(text.lines().map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned));
    }
    if let Some(patterns) = table.get("patterns") {
        concept.patterns = reader.strings(patterns);
    }
    if let Some(tier) = table.get("tier") {
        concept.tier = reader.choice(tier, "tier", Tier::ALL.map(|tier| (tier.name(), tier)))?;
    }
    if concept.summary().is_empty() {
        let advice = "write kinds = [\"person\"], words = [\"…\"] or patterns = ['…']";
        reader.wrong(table.span(), "this concept is empty", advice);
    }
    Some(concept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_and_patterns_are_found() {
        let mut concept = Concept::named("codes");
        concept.words = vec!["Blue Heron".to_owned()];
        concept.patterns = vec!["HX-[0-9]+".to_owned()];
        let finder = concept.finder(None).unwrap();
        let found = finder.find(&["blue heron, HX-12 and ana@example.org", "nothing"]).unwrap();
        assert_eq!(found, [vec![0..10, 12..17], vec![]]);
    }

    #[test]
    fn an_empty_concept_and_a_wrong_pattern_are_refused() {
        assert!(Concept::named("x").finder(None).unwrap_err().to_string().contains("is empty"));
        let mut concept = Concept::named("x");
        concept.patterns = vec!["(".to_owned()];
        assert!(concept.finder(None).is_err());
    }

    #[test]
    fn all_mistakes_in_a_file_are_reported_together() {
        let text =
            "[[concept]]\nname = \"a\"\nkinds = [\"persom\"]\n\n[[concept]]\nname = \"b\"\nwrods = [\"x\"]\n";
        let error = concepts_from_toml(text, "c.toml").unwrap_err().to_string();
        assert!(error.contains("c.toml:3:10") && error.contains("did you mean \"person\"?"), "{error}");
        assert!(
            error.contains("did you mean \"words\"?") && error.contains("this concept is empty"),
            "{error}"
        );
        assert!(concepts_from_toml("", "c.toml").is_err());
    }

    #[test]
    fn debug_output_shows_no_words_and_the_checksum_covers_them() {
        let mut concept = Concept::named("family");
        concept.words = vec!["Ana".to_owned(), "Bo".to_owned()];
        assert_eq!(format!("{concept:?}"), "Concept(family: 2 words)");
        let mut other = concept.clone();
        other.words = vec!["AnaB".to_owned(), "o".to_owned()];
        assert_ne!(concept.sha256(), other.sha256());
    }
}
