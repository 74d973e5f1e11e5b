//! The tools that can be linked, and how each is set up: as its documentation shows, with everything that it brings and
//! no model that would have to be downloaded.

use std::ops::Range;
use std::path::Path;
use std::time::{Duration, Instant};

use inkveil_detect::{Detector, Settings, Tier};
use pii::nlp::SimpleNlpEngine;
use pii::types::Language;
use pii::{Analyzer, PolicyConfig, default_recognizers};
use redact_core::AnalyzerEngine;

use crate::Outcome;
use crate::gold::Gold;
use crate::score::Score;

/// Something that finds what is sensitive.
pub(crate) trait Tool {
    /// What it is called in the tables.
    fn name(&self) -> String;

    /// The ranges of bytes found in each text.
    fn find(&self, texts: &[&str]) -> Outcome<Vec<Vec<Range<usize>>>>;
}

/// Ours in all tiers, then the peers.
pub(crate) fn all(pack: &Path) -> Outcome<Vec<Box<dyn Tool>>> {
    let mut tools: Vec<Box<dyn Tool>> = Vec::new();
    for tier in Tier::ALL {
        tools.push(Box::new(Ours { tier, detector: Detector::open(Some(pack), Settings::of(tier))? }));
    }
    tools.push(Box::new(Pii::new()));
    tools.push(Box::new(Redact(AnalyzerEngine::new())));
    Ok(tools)
}

/// Quick tools are run again until this much time is gone, or the clock and cold caches would decide.
const AT_LEAST: Duration = Duration::from_secs(1);

/// Runs a tool on all texts; its speed is that of the fastest run.
pub(crate) fn measure(tool: &dyn Tool, gold: &[Gold]) -> Outcome<Score> {
    let texts: Vec<&str> = gold.iter().map(|gold| gold.text.as_str()).collect();
    let size: usize = texts.iter().map(|text| text.len()).sum();
    let (begin, mut fastest) = (Instant::now(), Duration::MAX);
    loop {
        let start = Instant::now();
        let found = tool.find(&texts)?;
        fastest = fastest.min(start.elapsed());
        if begin.elapsed() >= AT_LEAST {
            return Ok(Score::of(gold, &found, size as f64 / 1e3 / fastest.as_secs_f64()));
        }
    }
}

/// `inkveil-detect` with the settings that it starts with.
struct Ours {
    tier: Tier,
    detector: Detector,
}

impl Tool for Ours {
    fn name(&self) -> String {
        let threads = rayon::current_num_threads();
        format!("inkveil {}, {threads} thread{}", self.tier.name(), if threads == 1 { "" } else { "s" })
    }

    fn find(&self, texts: &[&str]) -> Outcome<Vec<Vec<Range<usize>>>> {
        let found = self.detector.detect(texts)?;
        Ok(found.iter().map(|spans| spans.iter().map(|span| span.range()).collect()).collect())
    }
}

/// `pii` with all of its built-in patterns and validators and its default policy. It brings no context words, and its
/// recogniser of names needs a model to be downloaded.
struct Pii {
    analyzer: Analyzer,
    language: Language,
}

impl Pii {
    fn new() -> Self {
        let engine = Box::new(SimpleNlpEngine::default());
        let analyzer = Analyzer::new(engine, default_recognizers(), Vec::new(), PolicyConfig::default());
        Pii { analyzer, language: Language::from("en") }
    }
}

impl Tool for Pii {
    fn name(&self) -> String {
        "pii 0.1.0".to_owned()
    }

    fn find(&self, texts: &[&str]) -> Outcome<Vec<Vec<Range<usize>>>> {
        let mut found = Vec::with_capacity(texts.len());
        for text in texts {
            let result = self.analyzer.analyze(text, &self.language)?;
            found.push(result.entities.iter().map(|entity| entity.start..entity.end).collect());
        }
        Ok(found)
    }
}

/// `redact-core` with its default engine: all built-in patterns and validators, and its recogniser of secrets by their
/// entropy. Its recogniser of names is another crate and needs a model to be downloaded.
struct Redact(AnalyzerEngine);

impl Tool for Redact {
    fn name(&self) -> String {
        format!("redact-core {}", redact_core::VERSION)
    }

    fn find(&self, texts: &[&str]) -> Outcome<Vec<Vec<Range<usize>>>> {
        let mut found = Vec::with_capacity(texts.len());
        for text in texts {
            let result = self.0.analyze(text, Some("en"))?;
            found.push(result.detected_entities.iter().map(|entity| entity.start..entity.end).collect());
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peers_count_in_bytes() {
        let tools: [Box<dyn Tool>; 2] = [Box::new(Pii::new()), Box::new(Redact(AnalyzerEngine::new()))];
        let text = "Grüße an ana@example.org";
        for tool in tools {
            let found = tool.find(&[text, ""]).unwrap();
            assert_eq!(found[0].first(), Some(&(11..text.len())), "{}", tool.name());
            assert_eq!((found.len(), found[0].len(), found[1].len()), (2, 1, 0), "{}", tool.name());
        }
    }
}
