//! `inkveil attack style`: who wrote released texts.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, ensure};
use inkveil_eval::Split;
use inkveil_eval::attack::{Adaptive, Attacker, AuthorAttack, AuthorSettings, Guesses, Views};
use inkveil_eval::metrics::{Bootstrap, Estimate};
use inkveil_nn::SentenceEncoder;
use inkveil_style::StyleEncoder;
use serde_json::json;

use super::pairs::Pairs;
use super::percent;
use crate::args::StyleAttackArgs;
use crate::outcome::Outcome;
use crate::progress;
use inkveil::pack_folder;

/// Of fewer texts nobody's style can be learnt.
const LEAST: usize = 4;

pub(super) fn run(args: &StyleAttackArgs) -> anyhow::Result<Outcome> {
    let pairs = Pairs::read(&args.original, &args.released, &args.tables, Some(&args.author_column))?;
    let chosen = Chosen::new(&pairs, args.seed)?;
    let bar = progress::bar(None, "attacking {spinner} {elapsed}", args.quiet);
    let encoders = Encoders::open(&pack_folder(&args.pack)?)?;
    let report = chosen.attack(&pairs, &encoders, args.seed)?;
    bar.finish_and_clear();
    let text = match args.json {
        true => serde_json::to_string_pretty(&report.json())? + "\n",
        false => report.in_words(),
    };
    std::io::stdout().write_all(text.as_bytes()).context("cannot write to standard output")?;
    Ok(Outcome::Success)
}

struct Encoders {
    style: StyleEncoder,
    sentences: SentenceEncoder,
}

impl Encoders {
    fn open(pack: &Path) -> anyhow::Result<Self> {
        Ok(Self { style: StyleEncoder::open(pack)?, sentences: SentenceEncoder::open(pack)? })
    }

    fn views<'t>(&self, texts: Vec<&'t str>) -> anyhow::Result<Views<'t>> {
        let style = (self.style.dimension(), self.style.encode(&texts)?.concat());
        let sentence = (self.sentences.width(), self.sentences.encode(&texts)?.concat());
        Ok(Views::new(texts, style, sentence)?)
    }
}

/// The texts that are known and those that are attacked, of authors with enough of both.
struct Chosen {
    known: Vec<usize>,
    attacked: Vec<usize>,
    authors: usize,
}

impl Chosen {
    fn new(pairs: &Pairs, seed: u64) -> anyhow::Result<Self> {
        let mut of: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (text, author) in pairs.about.iter().enumerate() {
            of.entry(author).or_default().push(text);
        }
        of.retain(|author, texts| !author.is_empty() && texts.len() >= LEAST);
        ensure!(
            of.len() >= 2,
            "{} authors have {LEAST} texts or more; an attack tells two or more apart",
            of.len()
        );
        let (mut known, mut attacked) = (Vec::new(), Vec::new());
        for texts in of.values() {
            let split = Split::new(texts.len(), 0.5, seed)?;
            known.extend(split.train_of(texts));
            attacked.extend(split.test_of(texts));
        }
        Ok(Self { known, attacked, authors: of.len() })
    }

    fn attack<'a>(&self, pairs: &'a Pairs, encoders: &Encoders, seed: u64) -> anyhow::Result<Report> {
        let (originals, released) = (pairs.originals(), pairs.released());
        let some = |which: &[usize], from: &[&'a str]| which.iter().map(|&text| from[text]).collect();
        let known_views = encoders.views(some(&self.known, &originals))?;
        let before_views = encoders.views(some(&self.attacked, &originals))?;
        let after_views = encoders.views(some(&self.attacked, &released))?;
        let authors =
            |which: &[usize]| which.iter().map(|&text| pairs.about[text].as_str()).collect::<Vec<&str>>();
        let (known_authors, attacked_authors) = (authors(&self.known), authors(&self.attacked));
        let bootstrap = Bootstrap::default();
        let mut rows = Vec::new();
        for attacker in Attacker::ALL {
            let attack = AuthorAttack::train(
                &AuthorSettings::of(attacker),
                &known_views.evidence(attacker),
                &known_authors,
            )?;
            let named = |views: &Views<'_>| -> anyhow::Result<Guesses> {
                Ok(attack.identify(&views.evidence(attacker), &attacked_authors)?)
            };
            let adaptive = Adaptive { seed }.identify(
                attacker,
                (&known_views, &known_authors),
                (&after_views, &attacked_authors),
            )?;
            let f1 =
                |guesses: &Guesses| guesses.macro_f1_within(&bootstrap).context("there is nothing to attack");
            rows.push(Row {
                attacker,
                before: f1(&named(&before_views)?)?,
                after: f1(&named(&after_views)?)?,
                adaptive: f1(&adaptive)?,
            });
        }
        Ok(Report { authors: self.authors, attacked: self.attacked.len(), known: self.known.len(), rows })
    }
}

struct Row {
    attacker: Attacker,
    before: Estimate,
    after: Estimate,
    adaptive: Estimate,
}

struct Report {
    authors: usize,
    known: usize,
    attacked: usize,
    rows: Vec<Row>,
}

impl Report {
    /// The most that any attacker finds in the release, and before it.
    fn worst(&self) -> [f64; 2] {
        let most = |of: fn(&Row) -> f64| self.rows.iter().map(of).fold(0.0, f64::max);
        [most(|row| row.before.mean), most(|row| row.after.mean.max(row.adaptive.mean))]
    }

    fn in_words(&self) -> String {
        let chance = 1.0 / self.authors as f64;
        let mut text = format!(
            "Attackers who know {} texts of {} authors, tried on {} others. Macro-F1; a guess has {:.1} %.\n\n  {:<20} {:<26} {:<26} {}\n",
            self.known,
            self.authors,
            self.attacked,
            100.0 * chance,
            "attacker",
            "as they were",
            "as released",
            "and half of the release known"
        );
        for row in &self.rows {
            text += &format!(
                "  {:<20} {:<26} {:<26} {}\n",
                row.attacker.name(),
                percent(&row.before),
                percent(&row.after),
                percent(&row.adaptive)
            );
        }
        let [before, after] = self.worst();
        text + &format!("\n{}\n", advice(before, after, chance))
    }

    fn json(&self) -> serde_json::Value {
        let rows: Vec<serde_json::Value> = self
            .rows
            .iter()
            .map(|row| {
                json!({"attacker": row.attacker.name(), "before": row.before, "released": row.after, "adaptive": row.adaptive})
            })
            .collect();
        let [before, after] = self.worst();
        json!({
            "authors": self.authors,
            "known_texts": self.known,
            "attacked_texts": self.attacked,
            "macro_f1": rows,
            "advice": advice(before, after, 1.0 / self.authors as f64),
        })
    }
}

/// What the figures mean, and what would be safer.
fn advice(before: f64, after: f64, chance: f64) -> String {
    // How much of what can be found at all is still found.
    let left = ((after - chance) / (before - chance).max(1e-9)).clamp(0.0, 1.0);
    let words = match left {
        _ if before - chance < 0.05 => {
            return "Even the originals hardly tell who wrote them: this data cannot show what a release protects.".to_owned();
        }
        left if left > 0.67 => {
            "most of what tells authors apart is still there. Rewrite with a larger model, or veil names and subjects first \
             (`inkveil style rewrite --with-text-veil`): attackers find authors by what they write about."
        }
        left if left > 0.33 => {
            "a good part of it is still there. `inkveil style rewrite --with-text-veil` takes names and places away as well."
        }
        _ => "most of it is gone for these attackers. Others may know more.",
    };
    format!("Of what the best attacker finds beyond a guess, {:.0} % is left: {words}", 100.0 * left)
}
