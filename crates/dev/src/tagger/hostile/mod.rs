//! A hostile test set: what detection missed, and everything like it.
//!
//! Each class has templates and values, written for this project, none of which is in training. A case is a
//! template with values. A part in `[[…]]` is sensitive, and the case is found if all of its characters are
//! marked, as any kind. `recorded.tsv` has the recall of each class and tier; a test lets none of them fall.

mod classes;
mod obfuscate;
mod special;

use std::collections::BTreeMap;
use std::ops::Range;

use inkveil_detect::train::Shuffle;
use inkveil_detect::{Detector, Settings, Tier};

use super::args::HostileArgs;

/// The number of cases in a class.
const CASES: usize = 36;

/// A class of cases: templates with `{name}` for a value of a list, and the lists.
pub(super) struct Class {
    pub(super) name: &'static str,
    pub(super) templates: &'static [&'static str],
    pub(super) lists: &'static [(&'static str, &'static [&'static str])],
    /// Changes the sensitive text, for example into full width.
    pub(super) change: Option<fn(&str) -> String>,
}

/// A text and its sensitive parts.
pub(super) struct Case {
    pub(super) text: String,
    pub(super) spans: Vec<Range<usize>>,
}

fn all_classes() -> Vec<&'static Class> {
    classes::CLASSES.iter().chain(special::CLASSES).chain(obfuscate::CLASSES).collect()
}

impl Class {
    /// Returns its cases, without repetitions. The same class always has the same cases.
    pub(super) fn cases(&self) -> Vec<Case> {
        let seed =
            self.name.bytes().fold(7_u64, |seed, byte| seed.wrapping_mul(131).wrapping_add(byte.into()));
        let mut random = Shuffle::new(seed);
        let mut texts: Vec<String> = Vec::new();
        for attempt in 0..CASES * 20 {
            let template = self.templates[attempt % self.templates.len()];
            let text = self.fill(template, &mut random);
            if !texts.contains(&text) {
                texts.push(text);
            }
            if texts.len() == CASES {
                break;
            }
        }
        texts.iter().map(|text| self.case(text)).collect()
    }

    fn fill(&self, template: &str, random: &mut Shuffle) -> String {
        let mut text = String::new();
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('{') {
            text.push_str(before);
            let known = after.split_once('}').and_then(|(name, after)| {
                let (_, values) = self.lists.iter().find(|(list, _)| *list == name)?;
                Some((values, after))
            });
            match known {
                Some((values, after)) => {
                    text.push_str(values[random.word() as usize % values.len()]);
                    rest = after;
                }
                // A brace of the text itself.
                None => {
                    text.push('{');
                    rest = after;
                }
            }
        }
        text.push_str(rest);
        text
    }

    fn case(&self, marked: &str) -> Case {
        let mut case = Case { text: String::new(), spans: Vec::new() };
        let mut rest = marked;
        while let Some((before, after)) = rest.split_once("[[") {
            let (inner, after) = after.split_once("]]").unwrap_or((after, ""));
            case.text.push_str(before);
            let start = case.text.len();
            match self.change {
                Some(change) => case.text.push_str(&change(inner)),
                None => case.text.push_str(inner),
            }
            case.spans.push(start..case.text.len());
            rest = after;
        }
        case.text.push_str(rest);
        case
    }
}

/// The share of found cases for each class.
fn recall(detector: &Detector) -> anyhow::Result<BTreeMap<&'static str, (usize, usize)>> {
    let mut shares = BTreeMap::new();
    for class in all_classes() {
        let cases = class.cases();
        let texts: Vec<&str> = cases.iter().map(|case| case.text.as_str()).collect();
        let found = detector.detect(&texts)?;
        let is_found = |(case, found): &(&Case, &Vec<inkveil_detect::Span>)| {
            let is_marked = |at: usize| found.iter().any(|span| span.range().contains(&at));
            case.spans.iter().all(|span| {
                let inner = case.text[span.clone()].char_indices().map(|(at, c)| (span.start + at, c));
                // Spaces, signs and markup between the letters need no mark.
                inner.filter(|(_, c)| c.is_alphanumeric()).all(|(at, _)| is_marked(at))
            })
        };
        let hits = cases.iter().zip(&found).filter(is_found).count();
        shares.insert(class.name, (hits, cases.len()));
    }
    Ok(shares)
}

/// Prints the recall of each class, or the missed cases of some.
pub(super) fn hostile(args: &HostileArgs) -> anyhow::Result<()> {
    if let Some(name) = &args.missed {
        return missed(args, name);
    }
    let tiers = [Tier::Rules, Tier::Fast, Tier::Accurate];
    let mut columns = Vec::new();
    for tier in tiers {
        columns.push(recall(&Detector::open(Some(&args.pack.pack), Settings::of(tier))?)?);
    }
    println!("class\tcases\trules\tfast\taccurate");
    let mut totals = [0; 4];
    for class in all_classes() {
        let of =
            |column: &BTreeMap<&str, (usize, usize)>| column.get(class.name).copied().unwrap_or_default();
        let (hits, cases) =
            (columns.iter().map(|column| of(column).0).collect::<Vec<_>>(), of(&columns[0]).1);
        println!("{}\t{cases}\t{}\t{}\t{}", class.name, hits[0], hits[1], hits[2]);
        totals[0] += cases;
        (0..3).for_each(|at| totals[at + 1] += hits[at]);
    }
    println!("all\t{}\t{}\t{}\t{}", totals[0], totals[1], totals[2], totals[3]);
    Ok(())
}

fn missed(args: &HostileArgs, name: &str) -> anyhow::Result<()> {
    let detector = Detector::open(Some(&args.pack.pack), Settings::of(args.tier))?;
    for class in all_classes().into_iter().filter(|class| class.name.contains(name)) {
        for case in class.cases() {
            let found = detector.detect(&[&case.text])?;
            let marked = |at: usize| found.iter().flatten().any(|span| span.range().contains(&at));
            let whole = case.spans.iter().all(|span| {
                case.text[span.clone()]
                    .char_indices()
                    .filter(|(_, c)| c.is_alphanumeric())
                    .all(|(at, _)| marked(span.start + at))
            });
            if !whole {
                println!("{}: {:?}", class.name, case.text);
            }
        }
    }
    Ok(())
}

/// Reads the recorded recall: hits of the tiers rules, fast and accurate for each class.
#[cfg(test)]
fn recorded(path: &std::path::Path) -> anyhow::Result<BTreeMap<String, [usize; 3]>> {
    let text = std::fs::read_to_string(path)?;
    let rows = text.lines().skip(1).map(|line| {
        let mut fields = line.split('\t');
        let name = fields.next().unwrap_or_default().to_owned();
        let numbers: Vec<usize> = fields.skip(1).map(str::parse).collect::<Result<_, _>>()?;
        let hits = numbers.try_into().map_err(|_| anyhow::anyhow!("a row has too few numbers"))?;
        Ok((name, hits))
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_set_is_large_and_every_case_has_a_sensitive_part() {
        let classes = all_classes();
        let names: std::collections::HashSet<&str> = classes.iter().map(|class| class.name).collect();
        assert!(names.len() == classes.len() && names.len() >= 60, "{} classes", names.len());
        let cases: Vec<Case> = classes.iter().flat_map(|class| class.cases()).collect();
        assert!(cases.len() >= 2000, "{} cases", cases.len());
        for case in &cases {
            assert!(!case.spans.is_empty(), "{}", case.text);
            assert!(case.spans.iter().all(|span| !span.is_empty() && case.text.get(span.clone()).is_some()));
            assert!(!case.text.contains("[[") && !case.text.contains("]]"), "{}", case.text);
        }
    }

    /// Recall may rise, and then `recorded.tsv` is written again with the output of `tagger hostile`. It may
    /// not fall.
    #[test]
    fn recall_does_not_fall() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let recorded = recorded(&root.join("src/tagger/hostile/recorded.tsv")).unwrap();
        let pack = root.join("../../models/en");
        for (at, tier) in [Tier::Rules, Tier::Fast, Tier::Accurate].into_iter().enumerate() {
            let detector = Detector::open(Some(&pack), Settings::of(tier)).unwrap();
            for (class, (hits, cases)) in recall(&detector).unwrap() {
                let before = recorded.get(class).map_or(0, |hits| hits[at]);
                // Rounding of products differs between machines, which can move a score over a threshold.
                let slack = usize::from(tier != Tier::Rules);
                assert!(hits + slack >= before, "{class}, {tier}: {hits} of {cases} found, {before} before");
            }
        }
    }
}
