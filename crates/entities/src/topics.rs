//! Topics of diseases, medications and jobs. A surrogate within the topic of its original lets a text
//! still make sense.

use std::sync::LazyLock;

use inkveil_detect::Kind;

use crate::letters::{Case, plain};

/// A public topic of a kind, for example "bones and joints".
///
/// ```
/// use inkveil_detect::Kind;
/// use inkveil_entities::{Article, Topic};
///
/// let topic = Topic::of(&Kind::Health, "sore knee").unwrap();
/// assert_eq!(topic.name(), "bones and joints");
/// let surrogate = topic.draw(Article::A, "sore knee", |_| 0);
/// assert_eq!(surrogate.as_deref(), Some("sprained ankle"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Topic(usize);

/// The article before a phrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Article {
    /// "a".
    A,
    /// "an".
    An,
    /// No indefinite article.
    None,
}

impl Article {
    /// Returns the article right before a place in a text.
    pub fn before(text: &str, start: usize) -> Self {
        let Some(words) = text.get(..start).filter(|words| words.ends_with(' ')) else { return Self::None };
        match words.trim_end().rsplit(|c: char| !c.is_alphanumeric()).next() {
            Some("a" | "A") => Self::A,
            Some("an" | "An" | "AN") => Self::An,
            _ => Self::None,
        }
    }

    /// Returns whether a phrase can follow the article. It goes by the first letter, and by the sound of
    /// a few common beginnings.
    pub fn fits(self, phrase: &str) -> bool {
        let lower = phrase.to_lowercase();
        let consonant = ["uni", "use", "usu", "eu", "one"].iter().any(|start| lower.starts_with(start));
        let silent = ["hour", "honest", "honour", "heir"].iter().any(|start| lower.starts_with(start));
        let vowel = silent || !consonant && lower.starts_with(['a', 'e', 'i', 'o', 'u']);
        match self {
            Self::A => !vowel,
            Self::An => vowel,
            Self::None => true,
        }
    }
}

/// What the file says about a topic.
struct Entry {
    kind: Kind,
    name: &'static str,
    words: Vec<&'static str>,
    counted: Vec<&'static str>,
    uncounted: Vec<&'static str>,
}

static TOPICS: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let mut topics: Vec<Entry> = Vec::new();
    for line in include_str!("../data/topics.txt").lines() {
        let things = |rest: &'static str| rest.split(';').map(str::trim).collect::<Vec<_>>();
        if let Some((kind, name)) = line.strip_prefix('[').and_then(|line| line.split_once("] ")) {
            let kind = match kind {
                "health" => Kind::Health,
                "medication" => Kind::Medication,
                _ => Kind::Job,
            };
            let (words, counted, uncounted) = (Vec::new(), Vec::new(), Vec::new());
            topics.push(Entry { kind, name, words, counted, uncounted });
        } else if let Some(topic) = topics.last_mut() {
            match line.split_once(' ') {
                Some(("~", rest)) => topic.words = rest.split(' ').collect(),
                Some(("a", rest)) => topic.counted = things(rest),
                Some(("-", rest)) => topic.uncounted = things(rest),
                _ => {}
            }
        }
    }
    topics
});

impl Topic {
    /// Returns the topic of a text of a kind: the one with most of its words. None if the kind has no
    /// topics or no word is known.
    pub fn of(kind: &Kind, text: &str) -> Option<Self> {
        let text = plain(text);
        let words: Vec<&str> = text.split(|c: char| !(c.is_alphanumeric() || c == '-')).collect();
        let matches = |entry: &Entry| {
            words.iter().filter(|word| entry.words.iter().any(|pattern| is_like(word, pattern))).count()
        };
        let mut best: Option<(usize, usize)> = None;
        for (at, entry) in TOPICS.iter().enumerate().filter(|(_, entry)| entry.kind == *kind) {
            let count = matches(entry);
            if count > best.map_or(0, |(_, most)| most) {
                best = Some((at, count));
            }
        }
        best.map(|(at, _)| Self(at))
    }

    /// Returns its name.
    pub fn name(self) -> &'static str {
        TOPICS.get(self.0).map_or("", |entry| entry.name)
    }

    /// Returns what a drawn phrase shows of the form of its original: the number and the case.
    pub fn form(self, original: &str) -> String {
        format!("{} {}", is_plural(original), in_case("ab cd", original))
    }

    /// Draws a phrase of the topic that fits the article before it, in the case and number of the
    /// original. `below` returns a random number below its argument.
    pub fn draw(
        self,
        article: Article,
        original: &str,
        below: impl FnOnce(usize) -> usize,
    ) -> Option<String> {
        let entry = TOPICS.get(self.0)?;
        let both = || entry.counted.iter().chain(&entry.uncounted);
        let phrases: Vec<&str> = match article {
            Article::None if entry.uncounted.is_empty() => both().copied().collect(),
            Article::None => entry.uncounted.clone(),
            _ => entry.counted.iter().copied().filter(|phrase| article.fits(phrase)).collect(),
        };
        // A topic may have nothing for an article.
        let phrases = if phrases.is_empty() { both().copied().collect() } else { phrases };
        let phrase = phrases.get(below(phrases.len()).min(phrases.len().checked_sub(1)?))?;
        // "mathematics" is not a plural.
        let is_counted = !entry.uncounted.contains(phrase);
        let plural = entry.kind == Kind::Job && is_counted && article == Article::None && is_plural(original);
        Some(in_case(&if plural { plural_of(phrase) } else { (*phrase).to_owned() }, original))
    }
}

impl std::fmt::Debug for Topic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Topic(redacted)")
    }
}

/// Returns whether a word is like a pattern with `*` at its start or end.
fn is_like(word: &str, pattern: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(end), _) => word.len() > end.len() && word.ends_with(end),
        (None, Some(start)) => word.starts_with(start),
        (None, None) => word == pattern,
    }
}

fn is_plural(text: &str) -> bool {
    let word = text.trim().to_lowercase();
    word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("us")
}

fn plural_of(phrase: &str) -> String {
    match phrase {
        _ if phrase.ends_with("man") => format!("{}men", &phrase[..phrase.len() - 3]),
        _ if phrase.ends_with("ife") => format!("{}ives", &phrase[..phrase.len() - 3]),
        _ if phrase.ends_with('y') => format!("{}ies", &phrase[..phrase.len() - 1]),
        _ => format!("{phrase}s"),
    }
}

/// Writes a phrase as the original is written: all in capitals, each word with one, or the first.
fn in_case(phrase: &str, original: &str) -> String {
    let capital = |word: &str| {
        let mut chars = word.chars();
        chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect::<String>())
    };
    let starts = |word: &str| word.starts_with(char::is_uppercase);
    let words: Vec<&str> = original.split_whitespace().collect();
    // "GP" is not written in capitals to stand out.
    let is_abbreviation = words.len() == 1 && original.len() <= 4;
    match Case::of(original) {
        Case::Upper if is_abbreviation => phrase.to_owned(),
        Case::Upper => phrase.to_uppercase(),
        _ if words.len() > 1 && words.iter().all(|word| starts(word)) => {
            phrase.split(' ').map(capital).collect::<Vec<_>>().join(" ")
        }
        _ if starts(original) => capital(phrase),
        _ => phrase.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_topic_has_words_and_phrases_of_its_own() {
        assert!(TOPICS.len() > 30);
        for entry in TOPICS.iter() {
            assert!(entry.words.len() > 5, "{}", entry.name);
            assert!(entry.counted.len() + entry.uncounted.len() > 5, "{}", entry.name);
            for phrase in entry.counted.iter().chain(&entry.uncounted) {
                assert!(!phrase.is_empty() && phrase.trim() == *phrase, "{}: {phrase:?}", entry.name);
                assert!(!phrase.starts_with("a ") && !phrase.starts_with("an "), "{phrase}");
            }
            // "an" has a phrase too.
            if entry.kind != Kind::Medication {
                for article in [Article::A, Article::An] {
                    assert!(
                        entry.counted.iter().any(|phrase| article.fits(phrase)),
                        "{} {article:?}",
                        entry.name
                    );
                }
            }
        }
    }

    #[test]
    fn texts_have_the_topic_of_their_words() {
        for (kind, text, topic) in [
            (Kind::Health, "sore knee", "bones and joints"),
            (Kind::Health, "early-stage breast cancer", "cancer"),
            (Kind::Health, "Type 2 diabetes", "hormones and metabolism"),
            (Kind::Medication, "Amoxicillin", "antibiotics"),
            (Kind::Medication, "40 mg citalopram", "mental health"),
            (Kind::Job, "head nurse", "health care"),
            (Kind::Job, "senior software developer", "computing"),
            (Kind::Job, "mathematics", "fields of study"),
            (Kind::Job, "mathematics teacher", "education"),
            (Kind::Job, "civil engineer", "engineering and science"),
        ] {
            assert_eq!(Topic::of(&kind, text).map(Topic::name), Some(topic), "{text}");
        }
        assert!(Topic::of(&Kind::Health, "xyz").is_none());
        assert!(Topic::of(&Kind::Person, "sore knee").is_none());
    }

    #[test]
    fn phrases_fit_the_article_the_case_and_the_number() {
        let nurse = Topic::of(&Kind::Job, "nurse").unwrap();
        for at in 0..20 {
            let an = nurse.draw(Article::An, "nurse", |end| at % end).unwrap();
            assert!(an.starts_with(['a', 'e', 'i', 'o', 'u']), "{an}");
        }
        let field = Topic::of(&Kind::Job, "mathematics").unwrap();
        assert_eq!(field.draw(Article::None, "mathematics", |_| 0).unwrap(), "chemistry");
        assert_eq!(nurse.draw(Article::None, "NURSES", |_| 0).unwrap(), "MIDWIVES");
        assert_eq!(nurse.draw(Article::None, "GP", |_| 0).unwrap(), "midwife");
        assert_eq!(nurse.draw(Article::None, "Head Nurse", |_| 3).unwrap(), "Physiotherapist");
        assert!(Article::A.fits("university") && Article::An.fits("hour") && !Article::An.fits("knee"));
        assert_eq!(Article::before("has a knee", 6), Article::A);
        assert_eq!(Article::before("As an old", 6), Article::An);
        assert_eq!(Article::before("the banana knee", 11), Article::None);
    }
}
