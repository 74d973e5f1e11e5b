//! The paths of texts, and the checks of each.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use inkveil_files::Sha256Sum;
use inkveil_lexicon::{Lexicon, LexiconKind};
use inkveil_privacy::audit::{Categories, Finding};
use inkveil_privacy::{Epsilon, Guarantee, Metric, Neighbours, Receipt};
use inkveil_text::{
    AtZero, Budget, Budgets, MechanismName, MechanismSettings, ShapeLevel, TextSettings, TextVeil,
};

use super::canaries::{DIGITS, SENTENCE, WORDS, of_level, sentence};
use super::lab::Lab;
use super::planting::{neighbours, planted, read_rows, unfit, write_rows};
use super::text_ways::Way;
use crate::error::{Error, ErrorKind};
use crate::explain::OriginalDocument;
use crate::release::{
    Account, Corpus, Destination, DocumentRelease, KeepPairs, RowRelease, Silent, TextRows, receipt_beside,
};
use crate::text_builder::{names_folder, pack_folder};

/// The treatments at ε = 0.
const ZERO: [(&str, AtZero, ShapeLevel, Neighbours); 5] = [
    ("mask", AtZero::Mask, ShapeLevel::Kind, Neighbours::SameKind),
    ("drop", AtZero::Drop, ShapeLevel::Exact, Neighbours::SameLayout),
    ("surrogate-kind", AtZero::Surrogate, ShapeLevel::Kind, Neighbours::SameKind),
    ("surrogate-coarse", AtZero::Surrogate, ShapeLevel::Coarse, Neighbours::SameShape),
    ("surrogate-exact", AtZero::Surrogate, ShapeLevel::Exact, Neighbours::SameShape),
];

/// The budget of noised words. It is small, so that samples could refute the claim.
pub(super) const SMALL: f64 = 1.0;

/// The names of the paths.
pub(super) fn names() -> Vec<&'static str> {
    let mechanisms = MechanismName::ALL.iter().map(|name| name.name());
    let zero = ZERO.iter().map(|zero| zero.0).chain(["restorable", "documents"]);
    mechanisms.chain(zero).chain(Way::ALL.map(Way::name)).collect()
}

pub(super) fn audit(lab: &Lab<'_>, pack: &str, chosen: &dyn Fn(&str) -> bool) -> Result<(), Error> {
    let chosen = |name: &str| chosen(&format!("texts/{name}"));
    if !names().into_iter().any(chosen) {
        return Ok(());
    }
    let texts = Texts::open(lab, pack)?;
    for name in MechanismName::ALL.iter().filter(|name| chosen(name.name())) {
        texts.noised(*name)?;
    }
    for (name, how, shape, neighbours) in ZERO.into_iter().filter(|zero| chosen(zero.0)) {
        texts.zero(name, how, shape, neighbours)?;
    }
    if chosen("restorable") {
        texts.restorable()?;
    }
    if chosen("documents") {
        texts.documents()?;
    }
    for way in Way::ALL.into_iter().filter(|way| chosen(way.name())) {
        texts.way(way)?;
    }
    Ok(())
}

/// The models of an audit, opened once.
pub(super) struct Texts<'l> {
    pub(super) lab: &'l Lab<'l>,
    pack: PathBuf,
    names: PathBuf,
    lexicon: Arc<Lexicon>,
}

/// Released texts and their receipt.
pub(super) struct Released {
    pub(super) texts: Vec<String>,
    pub(super) receipt: Receipt,
    /// The checksum of the released bytes; none for texts in memory.
    pub(super) sha256: Option<String>,
}

impl Released {
    /// Reads a released file and the receipt beside it.
    pub(super) fn read(output: &Path, rows: usize) -> Result<Self, Error> {
        let bytes = std::fs::read(output).map_err(|cause| Error::write(output, cause))?;
        let receipt = receipt_beside(output);
        let json = std::fs::read_to_string(&receipt).map_err(|cause| Error::write(&receipt, cause))?;
        Self::of(&bytes, Receipt::from_json(&json)?, rows)
    }

    pub(super) fn of(bytes: &[u8], receipt: Receipt, rows: usize) -> Result<Self, Error> {
        let texts = read_rows(bytes)?;
        if texts.len() != rows {
            return Err(ErrorKind::Bug("a release has another number of rows than its input").into());
        }
        Ok(Self { texts, receipt, sha256: Some(Sha256Sum::of(bytes).to_string()) })
    }
}

impl<'l> Texts<'l> {
    pub(super) fn open(lab: &'l Lab<'l>, pack: &str) -> Result<Self, Error> {
        let pack = pack_folder(pack)?;
        let names = names_folder(&pack)?;
        let mut settings = TextSettings::default();
        settings.lexicon = Some(LexiconKind::Words);
        let veil = TextVeil::open_with(&pack, &names, settings, None)?;
        Ok(Self { lab, pack, names, lexicon: veil.lexicon().clone() })
    }

    pub(super) fn veil(&self, settings: TextSettings) -> Result<Arc<TextVeil>, Error> {
        let (lexicon, names) = (self.lexicon.clone(), &self.names);
        Ok(Arc::new(TextVeil::open_on(lexicon, &self.pack, names, settings, None)?))
    }

    /// Releases a file with a row for each text, and reads it back.
    fn release(&self, veil: &Arc<TextVeil>, rows: &[&str]) -> Result<Released, Error> {
        let folder = self.lab.folder()?;
        let [input, output] = ["in.jsonl", "out.jsonl"].map(|name| folder.join(name));
        write_rows(&input, rows)?;
        let corpus = Corpus::open(&[input], None, false)?;
        let release = RowRelease::new(TextRows::new(Arc::clone(veil)));
        let release = release.key(self.lab.key()).account(Account::none());
        release.files(&Destination::new(&corpus, &output), &Silent, self.lab.cancel())?;
        let released = Released::read(&output, rows.len())?;
        self.lab.remove(&folder)?;
        Ok(released)
    }

    /// Words of the lexicon through a mechanism.
    fn noised(&self, name: MechanismName) -> Result<(), Error> {
        let path = format!("texts/{}", name.name());
        let mut settings = TextSettings::default();
        settings.mechanism =
            MechanismSettings { radial_epsilon: Epsilon::new(SMALL)?, ..MechanismSettings::of(name) };
        settings.budget = Budget::Uniform(Epsilon::new(SMALL)?);
        let veil = self.veil(settings.clone())?;
        let rows = self.lab.samples(600, 6000);
        for pair in WORDS {
            neighbours(&veil, pair, str::to_owned)?;
            let released = self.release(&veil, &[[pair[0]].repeat(rows), [pair[1]].repeat(rows)].concat())?;
            let claimed = self.claimed(&released.receipt, pair)?;
            let about = format!("ε = {SMALL}, {} and {}: words", pair[0], pair[1]);
            self.told_apart(&path, &about, claimed, &released.texts, pair)?;
            if pair == WORDS[0] {
                self.claims(&path, &released, Neighbours::SameLayout)?;
            }
        }
        self.channel(&path, settings)
    }

    /// The loss that the receipt states for two words.
    pub(super) fn claimed(&self, receipt: &Receipt, pair: [&'static str; 2]) -> Result<f64, Error> {
        let unfit = || unfit(pair, "one is not in the lexicon");
        let [x, other] = pair.map(|word| self.lexicon.find(word));
        let (x, other) = (x.ok_or_else(unfit)?, other.ok_or_else(unfit)?);
        let row = |id: u32| -> Vec<f64> {
            self.lexicon.row(id).unwrap_or_default().iter().map(|x| f64::from(*x)).collect()
        };
        let length = |id: u32| self.lexicon.table().length(id).map_or(0.0, f64::from);
        let group = receipt.groups().first().ok_or(ErrorKind::Bug("a receipt has no group"))?;
        let mut claimed = group.slack().map_or(0.0, |slack| slack.epsilon().get());
        for guarantee in group.guarantees() {
            let euclidean = |one: &&Guarantee| one.metric() == Metric::Euclidean;
            let guarantee = match guarantee.metric() {
                Metric::Mahalanobis => group.equivalents().iter().find(euclidean).ok_or_else(unfit)?,
                _ => guarantee,
            };
            let distance = match guarantee.metric() {
                Metric::Radial => (length(x) - length(other)).abs(),
                metric => metric.between(&row(x), &row(other)).unwrap_or(f64::INFINITY),
            };
            claimed += guarantee.loss(distance)?.get();
        }
        Ok(claimed)
    }

    /// Compares the words that come out with the probabilities of the mechanism, where it states
    /// them.
    fn channel(&self, path: &str, mut settings: TextSettings) -> Result<(), Error> {
        let word = WORDS[0][0];
        let Some(id) = self.lexicon.find(word) else { return Ok(()) };
        let mechanism = settings.mechanism.build(self.lexicon.clone())?;
        // The first budget at which a third of the words survive: likely and unlikely words then both occur.
        let (mut epsilon, mut probabilities) = (Epsilon::ZERO, Vec::new());
        for budget in 1..=40 {
            epsilon = Epsilon::new(f64::from(budget))?;
            match mechanism.channel(id, epsilon)? {
                None => return Ok(()),
                Some(channel) => probabilities = channel,
            }
            if probabilities.iter().any(|probability| *probability > 0.3) {
                break;
            }
        }
        settings.budget = Budget::Uniform(epsilon);
        let veil = self.veil(settings)?;
        let rows = self.lab.samples(2000, 20_000);
        let released = self.release(&veil, &[word].repeat(rows))?;
        let vocabulary = self.lexicon.vocabulary();
        let mut likely: Vec<(f64, &str)> = probabilities
            .iter()
            .zip(self.lexicon.allowed())
            .map(|(probability, id)| (*probability, vocabulary.text(*id).unwrap_or_default()))
            .filter(|(probability, _)| probability * rows as f64 >= 20.0)
            .collect();
        likely.sort_by(|a, b| b.0.total_cmp(&a.0));
        likely.truncate(30);
        let mut cells: Vec<f64> = likely.iter().map(|(probability, _)| *probability).collect();
        let rest = 1.0 - cells.iter().sum::<f64>();
        if rest * (rows as f64) < 20.0 {
            return Err(ErrorKind::Bug("a canary leaves too little chance to other words").into());
        }
        cells.push(rest);
        let mut counts = vec![0; cells.len()];
        for text in &released.texts {
            let cell = likely.iter().position(|(_, word)| word == text).unwrap_or(likely.len());
            counts[cell] += 1;
        }
        let about = format!("ε = {}, {word}: probabilities of words", epsilon.get());
        self.lab.found(Finding::counts_of(path, about, &counts, &cells)?)
    }

    /// Originals of the same kind and shape at ε = 0.
    fn zero(&self, name: &str, how: AtZero, shape: ShapeLevel, expected: Neighbours) -> Result<(), Error> {
        let path = format!("texts/{name}");
        let veil = self.veil(at_zero(how, shape))?;
        let pairs = of_level(shape);
        let rows = self.lab.samples(900, 9000);
        let sentences: Vec<[String; 2]> = pairs.iter().map(|one| one.pair.map(sentence)).collect();
        for one in &pairs {
            planted(&veil, one)?;
        }
        let all: Vec<&str> =
            sentences.iter().flatten().flat_map(|text| [text.as_str()].repeat(rows)).collect();
        let released = self.release(&veil, &all)?;
        for (one, texts) in pairs.iter().zip(released.texts.chunks(2 * rows)) {
            let about = format!(
                "{} of one shape ({} and {} characters)",
                one.kind,
                one.pair[0].len(),
                one.pair[1].len()
            );
            self.told_apart(&path, &about, 0.0, texts, one.pair)?;
            if how != AtZero::Surrogate {
                let (x, other) = texts.split_at(rows);
                let kept = |texts: &[String], original: &str| {
                    texts.iter().filter(|text| text.contains(original)).count() as u64
                };
                let kept = kept(x, one.pair[0]) + kept(other, one.pair[1]);
                let about = format!("{}: originals that are released", one.kind);
                self.lab.found(Finding::exact(&path, about, kept, texts.len() as u64))?;
            }
        }
        self.claims(&path, &released, expected)
    }

    /// Surrogates that can be restored are drawn again in some cases, which may not depend on the
    /// private text.
    fn restorable(&self) -> Result<(), Error> {
        let path = "texts/restorable";
        let mut settings = at_zero(AtZero::Surrogate, ShapeLevel::Exact);
        settings.budget = Budget::Uniform(Epsilon::ZERO);
        settings.restorable = true;
        let veil = self.veil(settings)?;
        neighbours(&veil, DIGITS, str::to_owned)?;
        let rows = self.lab.samples(3000, 30_000);
        let released = self.release(&veil, &[[DIGITS[0]].repeat(rows), [DIGITS[1]].repeat(rows)].concat())?;
        self.told_apart(path, "one digit: surrogates", 0.0, &released.texts, DIGITS)?;
        // What linked replacements keep is a part of the layout.
        self.claims(path, &released, Neighbours::SameLayout)
    }

    /// Single documents, which take another way through the pipeline.
    fn documents(&self) -> Result<(), Error> {
        let path = "texts/documents";
        let veil = self.veil(at_zero(AtZero::Surrogate, ShapeLevel::Coarse))?;
        let one = of_level(ShapeLevel::Coarse)[0];
        let pair = one.pair.map(sentence);
        planted(&veil, one)?;
        let rows = self.lab.samples(300, 3000);
        let mut texts = Vec::with_capacity(2 * rows);
        for text in &pair {
            let original = OriginalDocument {
                line: None,
                id: None,
                text: text.clone(),
                task: None,
                line_break: "",
                origin: None,
            };
            let rows_of = TextRows::new(Arc::clone(&veil));
            self.lab.folder()?;
            let release = DocumentRelease::open(
                rows_of,
                self.lab.key(),
                &Account::none(),
                "canaries",
                KeepPairs::No,
                &Silent,
            )?;
            for document in release.documents(vec![original; rows], &Silent)? {
                let released = document.release.ok_or(ErrorKind::Bug("a document was not released"))?;
                texts.push(released.text().to_owned());
            }
            release.confirm()?;
        }
        self.told_apart(path, &format!("{}: surrogates", one.kind), 0.0, &texts, one.pair)
    }

    /// Whether the released texts tell two originals apart: by what was written, its length, its
    /// characters, its first letter, or an original in it.
    pub(super) fn told_apart(
        &self,
        path: &str,
        about: &str,
        claimed: f64,
        texts: &[String],
        originals: [&str; 2],
    ) -> Result<(), Error> {
        let (x, other) = texts.split_at(texts.len() / 2);
        let views: [&dyn Fn(&str) -> u64; 5] = [
            &|text| hash(text),
            &|text| text.len() as u64,
            &|text| hash(&text.chars().map(class).collect::<String>()),
            &|text| text.chars().next().map_or(0, u64::from),
            &|text| originals.iter().fold(0, |sum, original| 2 * sum + u64::from(text.contains(original))),
        ];
        let replaced = |text: &str| {
            let [before, after] = SENTENCE;
            let text = text.strip_prefix(before).unwrap_or(text);
            text.strip_suffix(after).unwrap_or(text).to_owned()
        };
        let [x, other] =
            [x, other].map(|texts| texts.iter().map(|text| replaced(text)).collect::<Vec<String>>());
        let seen = |texts: &[String], view: &dyn Fn(&str) -> u64| -> Vec<u64> {
            texts.iter().map(|text| view(text)).collect()
        };
        let seen: Vec<[Vec<u64>; 2]> =
            views.iter().map(|view| [seen(&x, view), seen(&other, view)]).collect();
        let categories: Vec<Categories<'_>> =
            seen.iter().map(|[x, other]| Categories { under_x: x, under_other: other }).collect();
        self.lab.found(Finding::categories_of(path, about, claimed, 0.0, &categories)?)
    }

    /// What the receipt must state.
    pub(super) fn claims(&self, path: &str, released: &Released, expected: Neighbours) -> Result<(), Error> {
        let receipt = &released.receipt;
        let compared = receipt
            .groups()
            .iter()
            .filter(|group| !group.epsilon().is_infinite())
            .flat_map(|group| group.guarantees())
            .all(|guarantee| guarantee.neighbours() == expected);
        let claims = [
            (receipt.verify().is_empty(), "receipt consistent"),
            (receipt.release_sha256() == released.sha256.as_deref(), "receipt of these bytes"),
            (compared, "receipt names the texts it compares"),
        ];
        for (holds, what) in claims {
            self.lab.found(Finding::exact(path, what, u64::from(!holds), 1))?;
        }
        Ok(())
    }
}

pub(super) fn at_zero(how: AtZero, shape: ShapeLevel) -> TextSettings {
    let mut settings = TextSettings::default();
    settings.budget =
        Budget::Each(Budgets::new([Epsilon::ZERO, Epsilon::ZERO, Epsilon::INFINITE, Epsilon::INFINITE]));
    settings.at_zero = how;
    settings.shape = shape;
    settings
}

/// The class of a character.
fn class(c: char) -> char {
    match c {
        _ if c.is_uppercase() => 'A',
        _ if c.is_alphabetic() => 'a',
        _ if c.is_numeric() => '0',
        other => other,
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
