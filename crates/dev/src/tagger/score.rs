//! Measures detection on texts that no training saw.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use inkveil_detect::{Detector, Kind, Settings, Span};
use inkveil_surrogates::Lists;
use serde_json::json;

use super::args::{AlarmArgs, GoldArgs, ScoreArgs};
use super::labels;
use super::sources::{self, Gold};
use super::templates::{self, Templates};

#[derive(Default)]
struct Counts {
    hit: usize,
    miss: usize,
    wrong: usize,
    kinds: BTreeMap<String, (usize, usize)>,
}

impl Counts {
    /// Counts characters of any kind, and whole spans of each kind.
    fn add(&mut self, gold: &Gold, found: &[Span]) {
        let mut marks = vec![(false, false); gold.text.len()];
        gold.spans
            .iter()
            .for_each(|(range, _)| marks[range.clone()].iter_mut().for_each(|mark| mark.0 = true));
        found.iter().for_each(|span| marks[span.range()].iter_mut().for_each(|mark| mark.1 = true));
        for (range, label) in &gold.spans {
            let (whole, total) = self.kinds.entry(label.to_lowercase()).or_default();
            *whole += usize::from(marks[range.clone()].iter().all(|mark| mark.1));
            *total += 1;
        }
        for (at, _) in gold.text.char_indices() {
            match marks[at] {
                (true, true) => self.hit += 1,
                (true, false) => self.miss += 1,
                (false, true) => self.wrong += 1,
                (false, false) => {}
            }
        }
    }

    fn share(&self, of: impl Fn(&str) -> bool) -> String {
        let chosen = self.kinds.iter().filter(|(label, _)| of(label));
        let (whole, total) = chosen.fold((0, 0), |sum, (_, kind)| (sum.0 + kind.0, sum.1 + kind.1));
        if total == 0 { "–".to_owned() } else { format!("{:.3}", whole as f64 / total as f64) }
    }

    fn line(&self) -> String {
        let precision = self.hit as f64 / (self.hit + self.wrong).max(1) as f64;
        let recall = self.hit as f64 / (self.hit + self.miss).max(1) as f64;
        let f2 = 5.0 * precision * recall / (4.0 * precision + recall).max(1e-9);
        let (person, structured) = (self.share(labels::is_person), self.share(labels::is_structured));
        format!("P {precision:.3}  R {recall:.3}  F2 {f2:.3}  person {person}  structured {structured}")
    }
}

/// The texts of a set; `own` are our held-out templates.
fn texts(set: &str, data: &Path) -> anyhow::Result<(Vec<Gold>, Option<Vec<Kind>>)> {
    if let Some(file) = sources::language_set(data, set) {
        return sources::language_texts(&file, set);
    }
    if set != "own" {
        return sources::held_out(data, set);
    }
    let lists = Arc::new(Lists::open(&templates::folder("surrogates/lists"))?.split(true));
    let filled = Templates::open()?.held_out().fill(&lists, 4, 77);
    let gold = filled.into_iter().map(|text| Gold {
        text: text.text,
        spans: text
            .spans
            .into_iter()
            .map(|(range, kind)| (range, kind.map_or(String::new(), |kind| kind.name().to_owned())))
            .collect(),
    });
    Ok((gold.collect(), None))
}

pub(super) fn score(args: &ScoreArgs) -> anyhow::Result<()> {
    let mut settings = Settings::of(args.tier);
    settings.threshold = args.threshold;
    settings.language = args.language;
    let detector = Detector::open(Some(&args.pack.pack), settings)?;
    let sets = match &args.on {
        None if args.languages => sources::language_sets(&args.data.data),
        None => ["own".to_owned()].into_iter().chain(sources::sets()).collect(),
        Some(set) => vec![set.clone()],
    };
    for set in sets {
        let (gold, kinds) = texts(&set, &args.data.data)?;
        let all: Vec<&str> = gold.iter().map(|gold| gold.text.as_str()).collect();
        let start = Instant::now();
        let found = detector.detect(&all)?;
        let seconds = start.elapsed().as_secs_f64();
        let mut counts = Counts::default();
        for (gold, mut found) in gold.iter().zip(found) {
            if let Some(kinds) = &kinds {
                found.retain(|span| kinds.contains(&span.kind));
            }
            if let Some(kinds) = &kinds {
                let spans = gold.spans.iter().filter(|(_, label)| {
                    let kind = sources::kind_of(label);
                    kind.or_else(|| Kind::ALL.iter().find(|kind| kind.name() == label).cloned())
                        .is_some_and(|kind| kinds.contains(&kind))
                });
                let gold = Gold { text: gold.text.clone(), spans: spans.cloned().collect() };
                counts.add(&gold, &found);
            } else {
                counts.add(gold, &found);
            }
        }
        let size: usize = all.iter().map(|text| text.len()).sum();
        println!("{set:<16}{}  {} texts, {:.0} kB/s", counts.line(), all.len(), size as f64 / seconds / 1e3);
        if args.spans {
            for (label, (whole, total)) in &counts.kinds {
                println!("    {label:<24}{whole}/{total} {:.3}", *whole as f64 / *total as f64);
            }
        }
    }
    Ok(())
}

/// Counts what is found in files that contain nothing sensitive.
pub(super) fn alarms(args: &AlarmArgs) -> anyhow::Result<()> {
    let detector = Detector::open(Some(&args.pack.pack), Settings::of(args.tier))?;
    let texts: Vec<String> = args.files.iter().map(std::fs::read_to_string).collect::<Result<_, _>>()?;
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let found = detector.detect(&texts)?;
    let size: usize = texts.iter().map(|text| text.len()).sum();
    let mut rules: BTreeMap<String, usize> = BTreeMap::new();
    for (text, spans) in texts.iter().zip(&found) {
        for span in spans {
            *rules.entry(format!("{} ({})", span.reason.name, span.kind)).or_default() += 1;
            if args.spans {
                println!("{:<14}{:.2} {:?}", span.kind.name(), span.score, &text[span.range()]);
            }
        }
    }
    let total: usize = rules.values().sum();
    println!("{total} spans in {size} bytes: one per {:.1} kB", size as f64 / 1e3 / total.max(1) as f64);
    for (rule, count) in rules {
        println!("    {rule:<36}{count}");
    }
    Ok(())
}

pub(super) fn gold(args: &GoldArgs) -> anyhow::Result<()> {
    let (gold, _) = texts(&args.set, &args.data.data)?;
    let rows = gold.iter().take(args.first.unwrap_or(usize::MAX)).map(|gold| {
        let place = |at: usize| gold.text[..at].chars().count();
        let spans: Vec<_> = gold.spans.iter().map(|(range, label)| json!({
            "entity_type": label, "start_position": place(range.start), "end_position": place(range.end),
        })).collect();
        json!({ "full_text": gold.text, "spans": spans })
    });
    println!("{}", serde_json::Value::Array(rows.collect()));
    Ok(())
}
