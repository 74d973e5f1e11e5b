//! What a user must know about the languages of the texts.

use std::collections::BTreeMap;

use inkveil_detect::{Detector, Language, Unsupported};

/// Returns a sentence for each language without a tagger that a detector has seen, if its settings ask for
/// warnings.
///
/// ```no_run
/// use inkveil::detect::{Detector, Settings};
/// use inkveil::language_warnings;
///
/// let detector = Detector::open(Some(&inkveil::pack_folder("en")?), Settings::default())?;
/// detector.detect(&["Zażółć gęślą jaźń, a potem przyjdź do nas na kawę, bo dawno się nie widzieliśmy."])?;
/// assert_eq!(
///     language_warnings(&detector),
///     ["1 passage is in Polish, which detection supports by rules only"]
/// );
/// # Ok::<(), inkveil::Error>(())
/// ```
pub fn language_warnings(detector: &Detector) -> Vec<String> {
    match detector.settings().unsupported {
        Unsupported::Warn => warnings(&detector.languages()),
        Unsupported::Refuse | Unsupported::Rules => Vec::new(),
    }
}

fn warnings(languages: &BTreeMap<Language, u64>) -> Vec<String> {
    let other = languages.iter().filter(|(language, _)| !language.has_tagger());
    other
        .map(|(language, &count)| {
            let passages =
                if count == 1 { "1 passage is".to_owned() } else { format!("{count} passages are") };
            let support = Language::support_of(language.name());
            format!("{passages} in {language}, which detection supports {support}")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_without_a_tagger_are_counted() {
        let polish = Language::Other { code: "pol", name: "Polish" };
        let seen = BTreeMap::from([(Language::German, 4), (polish, 2)]);
        assert_eq!(warnings(&seen), ["2 passages are in Polish, which detection supports by rules only"]);
        assert!(warnings(&BTreeMap::from([(Language::English, 9)])).is_empty());
        let russian = Language::Other { code: "rus", name: "Russian" };
        let warned = warnings(&BTreeMap::from([(russian, 1)]));
        assert_eq!(
            warned,
            ["1 passage is in Russian, which detection supports by rules and lists of names only"]
        );
    }
}
