//! Public data sets with labelled spans: which part is for training, and which is held out.
//!
//! | folder | training | held out |
//! |---|---|---|
//! | `wnut17` | train, dev | test |
//! | `tweebank` | train, dev, test of Tweebank-NER v1.0 | – |
//! | `wikiann_en` | train | test |
//! | `ner_misc/BTC` | a, b, e, g, h | f |
//! | `ner_misc/wikigold` | first four fifths | last fifth |
//! | `ner_misc/SEC-filings` | train | test |
//! | `bioner` | train | test |
//! | `presidio_research` | half of the templates of `generated_large`, without texts that share a value with the other half | the other half |
//! | `synthpai`, `mts_dialog` | all comments and dialogues: unlabelled, but without some kinds | – |
//! | `plain` | `train.txt`, made by `train/plain.py`: nothing in it is sensitive | its other files |
//! | `pii_masking_200k_subset` | nothing | everything |
//!
//! GUM and re3d are left out: their licences differ by document, and some forbid commercial use.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use inkveil_detect::Kind;
use inkveil_detect::train::LabelledText;
use serde_json::Value;

use super::templates::folder;

/// A text of an evaluation set, with the source's own labels.
pub(crate) struct Gold {
    pub(crate) text: String,
    /// A range of bytes, and the label of the source.
    pub(crate) spans: Vec<(std::ops::Range<usize>, String)>,
}

/// Kinds that news, encyclopaedias and tweets hardly ever contain, so unlabelled text is none of
/// these.
const ABSENT: [Kind; 4] = [Kind::Password, Kind::CardCode, Kind::BankAccount, Kind::PostalCode];
/// More such kinds, for sources without user names and web addresses.
const ABSENT_FROM_PROSE: [Kind; 6] =
    [Kind::Username, Kind::Id, Kind::Phone, Kind::Address, Kind::Health, Kind::Medication];

/// The labelled texts for training.
pub(crate) struct TrainingTexts {
    /// Edited texts, texts of generators, and texts without labels.
    pub(crate) edited: Vec<LabelledText>,
    /// Posts: there are few, and names in them are the hardest to find.
    pub(crate) posts: Vec<LabelledText>,
}

pub(crate) fn train(data: &Path) -> anyhow::Result<TrainingTexts> {
    let (mut texts, mut posts) = (Vec::new(), Vec::new());
    let named = [Kind::Person, Kind::Location, Kind::Organisation];
    for (file, kinds) in conll_files(true) {
        let is_post = ["wnut17", "BTC", "tweebank"].iter().any(|name| file.contains(name));
        let prose = ["wikiann", "wikigold", "SEC"].iter().any(|name| file.contains(name));
        let more = if prose { ABSENT_FROM_PROSE.as_slice() } else { &[] };
        let complete: Vec<Kind> = kinds.iter().chain(&ABSENT).chain(more).cloned().collect();
        for gold in conll(&data.join(file))? {
            let spans = gold.spans.into_iter().map(|(range, label)| (range, kind_of(&label))).collect();
            let text =
                LabelledText { text: gold.text, spans, complete: Some(complete.clone()), emphasis: 1.0 };
            if is_post { posts.push(text) } else { texts.push(text) }
        }
    }
    let complete: Vec<Kind> =
        named.into_iter().chain([Kind::Address, Kind::PostalCode, Kind::Phone, Kind::Id]).collect();
    for gold in presidio(data, false)? {
        let spans = gold.spans.into_iter().map(|(range, label)| (range, kind_of(&label)));
        let text = LabelledText {
            text: gold.text,
            spans: spans.collect(),
            complete: Some(complete.clone()),
            emphasis: 1.0,
        };
        texts.extend([text.clone(), text]);
    }
    texts.extend(unlabelled(data)?);
    Ok(TrainingTexts { edited: texts, posts })
}

/// Texts without labels that are known not to contain some kinds, or any.
fn unlabelled(data: &Path) -> anyhow::Result<Vec<LabelledText>> {
    let plain = |text: &str, complete: &Option<Vec<Kind>>| LabelledText {
        text: text.to_owned(),
        spans: Vec::new(),
        complete: complete.clone(),
        emphasis: 1.0,
    };
    let mut texts = Vec::new();
    let lines = std::fs::read_to_string(data.join("plain/train.txt"))?;
    texts.extend(lines.lines().map(|line| plain(&line.replace("\\n", "\n"), &None)));
    let never: Vec<Kind> = ABSENT.iter().chain(&ABSENT_FROM_PROSE[..4]).cloned().collect();
    let comments: Vec<Kind> =
        never.iter().cloned().chain([Kind::Person, Kind::Title, Kind::Medication]).collect();
    for line in std::fs::read_to_string(data.join("synthpai/comments_eval_revised.jsonl"))?.lines() {
        let row: Value = serde_json::from_str(line)?;
        let written =
            row["comments"].as_array().into_iter().flatten().filter_map(|comment| comment["text"].as_str());
        texts.extend(written.map(|text| plain(text, &Some(comments.clone()))));
    }
    let dialogues = std::fs::read_to_string(data.join("mts_dialog/MTS-Dialog-TrainingSet.csv"))?;
    let turns = dialogues.lines().map(str::trim).filter(|line| line.len() > 20);
    texts.extend(turns.map(|line| plain(line, &Some(never.clone()))));
    Ok(texts)
}

/// The held-out texts of a set, and the kinds that it labels; none if it labels everything
/// sensitive.
pub(crate) fn held_out(data: &Path, set: &str) -> anyhow::Result<(Vec<Gold>, Option<Vec<Kind>>)> {
    match set {
        "presidio" => Ok((presidio(data, true)?, None)),
        "presidio-all" => Ok((presidio_file(data)?.into_iter().map(|(gold, _)| gold).collect(), None)),
        "pii-masking" => Ok((masking(data)?, None)),
        other => match conll_files(false).into_iter().find(|(file, _)| name_of(file) == other) {
            Some((file, kinds)) => Ok((conll(&data.join(file))?, Some(kinds))),
            None => bail!("there is no set {other}"),
        },
    }
}

/// The file of a set of the languages: held-out templates under the code of a language, or a public set.
pub(crate) fn language_set(data: &Path, set: &str) -> Option<PathBuf> {
    let own = folder("detect/train/languages/held-out").join(set).with_extension("jsonl");
    let public = data.join("languages").join(set).with_extension("jsonl");
    [own, public].into_iter().find(|file| file.exists())
}

/// The names of all sets of the languages.
pub(crate) fn language_sets(data: &Path) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for folder in [folder("detect/train/languages/held-out"), data.join("languages")] {
        let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut found: Vec<String> = files
            .filter(|file| file.extension().is_some_and(|end| end == "jsonl"))
            .filter_map(|file| Some(file.file_stem()?.to_str()?.to_owned()))
            .collect();
        found.sort();
        names.extend(found);
    }
    names
}

/// The texts of a set of the languages, and the kinds that it labels.
pub(crate) fn language_texts(file: &Path, set: &str) -> anyhow::Result<(Vec<Gold>, Option<Vec<Kind>>)> {
    let mut texts = Vec::new();
    for line in std::fs::read_to_string(file)?.lines() {
        let row: Value = serde_json::from_str(line)?;
        let text = row["text"].as_str().unwrap_or_default().to_owned();
        let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let place = |value: &Value| value.as_u64().and_then(|at| places.get(at as usize)).copied();
        let spans = row["spans"].as_array().into_iter().flatten().filter_map(|span| {
            Some((place(&span[0])?..place(&span[1])?, span[2].as_str().unwrap_or_default().to_owned()))
        });
        let spans = spans.filter(|(_, label)| !label.is_empty()).collect();
        texts.push(Gold { text, spans });
    }
    let kinds = match set {
        "meddocan" => Some(vec![
            Kind::Person,
            Kind::Location,
            Kind::Organisation,
            Kind::Date,
            Kind::Age,
            Kind::Address,
            Kind::PostalCode,
            Kind::Phone,
            Kind::Email,
            Kind::Id,
            Kind::Url,
        ]),
        set if set.contains('-') || set == "germeval" => {
            Some(vec![Kind::Person, Kind::Location, Kind::Organisation])
        }
        _ => None,
    };
    Ok((texts, kinds))
}

/// The names of all sets.
pub(crate) fn sets() -> Vec<String> {
    let tagged = conll_files(false).into_iter().map(|(file, _)| name_of(&file).to_owned());
    ["presidio", "pii-masking"].map(str::to_owned).into_iter().chain(tagged).collect()
}

fn name_of(file: &str) -> &str {
    let known = [
        "wnut17",
        "wikiann",
        "BTC",
        "wikigold",
        "SEC-filings",
        "NCBI-disease",
        "BC5CDR-disease",
        "BC5CDR-chem",
    ];
    known.into_iter().find(|name| file.contains(name)).unwrap_or(file)
}

/// Files in the format of CoNLL and the kinds that they label.
fn conll_files(train: bool) -> Vec<(String, Vec<Kind>)> {
    let named = vec![Kind::Person, Kind::Location, Kind::Organisation];
    let mut files: Vec<(String, Vec<Kind>)> = Vec::new();
    let mut add = |files_of: &[&str], kinds: &Vec<Kind>| {
        files.extend(files_of.iter().map(|&file| (file.to_owned(), kinds.clone())));
    };
    if train {
        add(&["wnut17/wnut17train.conll", "wnut17/emerging.dev.conll", "wikiann_en/train"], &named);
        add(&["tweebank/train.bio", "tweebank/dev.bio", "tweebank/test.bio"], &named);
        for part in ["a", "b", "e", "g", "h"] {
            add(&[&format!("ner_misc/BTC/CONLL-format/data/{part}.conll")], &named);
        }
        add(&["ner_misc/wikigold/CONLL-format/data/wikigold.conll.txt#train"], &named);
        add(&["ner_misc/SEC-filings/CONLL-format/data/train/FIN5.txt"], &named);
    } else {
        add(&["wnut17/emerging.test.annotated", "wikiann_en/test"], &named);
        add(&["ner_misc/BTC/CONLL-format/data/f.conll"], &named);
        add(&["ner_misc/wikigold/CONLL-format/data/wikigold.conll.txt#test"], &named);
        add(&["ner_misc/SEC-filings/CONLL-format/data/test/FIN3.txt"], &named);
    }
    let part = if train { "train" } else { "test" };
    for (set, kind) in
        [("NCBI-disease", Kind::Health), ("BC5CDR-disease", Kind::Health), ("BC5CDR-chem", Kind::Medication)]
    {
        add(&[&format!("bioner/{set}-IOB/{part}.tsv")], &vec![kind]);
    }
    files
}

/// Our kind for a label of a source; none if there is no counterpart.
pub(crate) fn kind_of(label: &str) -> Option<Kind> {
    Some(match label.to_lowercase().as_str() {
        "per" | "person" => Kind::Person,
        "loc" | "location" => Kind::Location,
        "org" | "organization" | "organisation" | "corporation" | "group" => Kind::Organisation,
        "disease" => Kind::Health,
        "chemical" => Kind::Medication,
        "username" => Kind::Username,
        "title" | "prefix" => Kind::Title,
        "address" | "street_address" => Kind::Address,
        "phone_number" => Kind::Phone,
        "date_time" => Kind::Date,
        "credit_card" => Kind::CreditCard,
        "email_address" => Kind::Email,
        "us_ssn" => Kind::NationalId,
        "iban_code" => Kind::Iban,
        "domain_name" => Kind::Url,
        "us_driver_license" => Kind::DriverLicence,
        "ip_address" => Kind::IpAddress,
        _ => return None,
    })
}

/// Reads tokens and labels, one per line, with blank lines between texts. A name that ends in
/// `#train` or `#test` is a part of a file.
fn conll(path: &Path) -> anyhow::Result<Vec<Gold>> {
    let name = path.to_string_lossy().into_owned();
    let (file, part) = name.split_once('#').unwrap_or((&name, ""));
    let content = std::fs::read_to_string(file).with_context(|| file.to_owned())?;
    let mut texts = Vec::new();
    let mut tokens: Vec<(&str, &str)> = Vec::new();
    for line in content.lines().chain([""]) {
        let line = line.trim();
        if line.is_empty() || line.starts_with("-DOCSTART-") {
            if !tokens.is_empty() {
                texts.push(join(&tokens));
                tokens.clear();
            }
            continue;
        }
        let mut fields = line.split(['\t', ' ']);
        if let (Some(token), Some(label)) = (fields.next(), fields.next_back()) {
            tokens.push((token.strip_prefix("en:").unwrap_or(token), label));
        }
    }
    let cut = texts.len() * 4 / 5;
    Ok(match part {
        "train" => texts.into_iter().take(cut).collect(),
        "test" => texts.into_iter().skip(cut).collect(),
        _ => texts,
    })
}

/// Joins tokens as in written text.
fn join(tokens: &[(&str, &str)]) -> Gold {
    let mut gold = Gold { text: String::new(), spans: Vec::new() };
    let mut glue = true;
    let mut open: Option<(usize, &str)> = None;
    let mut after_at = false;
    for &(token, label) in tokens {
        // BTC labels "@" and "name" as two persons; they are one user name.
        let label = match (token, after_at, label) {
            ("@", _, "B-PER") => "B-username",
            (_, true, "B-PER") => "I-username",
            _ => label,
        };
        after_at = label == "B-username";
        let closes = matches!(
            token,
            "." | ","
                | ";"
                | ":"
                | "!"
                | "?"
                | ")"
                | "]"
                | "%"
                | "'s"
                | "n't"
                | "'m"
                | "'re"
                | "'ll"
                | "'ve"
                | "'d"
                | "''"
        );
        let end = gold.text.len();
        let (mark, kind) = label.split_once('-').unwrap_or((label, ""));
        if let Some((start, of)) = open.take_if(|(_, of)| mark != "I" || *of != kind) {
            gold.spans.push((start..end, of.to_owned()));
        }
        if !glue && !closes && label != "I-username" {
            gold.text.push(' ');
        }
        if open.is_none() && (mark == "B" || mark == "I") {
            open = Some((gold.text.len(), kind));
        }
        gold.text.push_str(token);
        glue = matches!(token, "(" | "[" | "$" | "#" | "``");
    }
    if let Some((start, of)) = open {
        gold.spans.push((start..gold.text.len(), of.to_owned()));
    }
    gold
}

/// One half of the templates: the training half or the held-out half.
fn presidio(data: &Path, held_out: bool) -> anyhow::Result<Vec<Gold>> {
    let all = presidio_file(data)?;
    // The parity of a template's number would not do: odd and even templates are similar in this
    // file.
    let is_held_out = |template: u64| (template.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 60).is_multiple_of(2);
    let values = |gold: &Gold| -> Vec<String> {
        gold.spans.iter().map(|(range, _)| gold.text[range.clone()].to_lowercase()).collect()
    };
    let known: HashSet<String> = all
        .iter()
        .filter(|(_, template)| is_held_out(*template))
        .flat_map(|(gold, _)| values(gold))
        .collect();
    let wanted = all.into_iter().filter(|(gold, template)| {
        is_held_out(*template) == held_out
            && (held_out || !values(gold).iter().any(|value| known.contains(value)))
    });
    Ok(wanted.map(|(gold, _)| gold).collect())
}

fn presidio_file(data: &Path) -> anyhow::Result<Vec<(Gold, u64)>> {
    let file = std::fs::read(data.join("presidio_research/generated_large.json"))?;
    let rows: Vec<Value> = serde_json::from_slice(&file)?;
    let gold = rows.iter().map(|row| {
        let text = row["full_text"].as_str().unwrap_or_default();
        let spans = row["spans"].as_array().into_iter().flatten().filter_map(|span| {
            let range = bytes(text, span["start_position"].as_u64()?, span["end_position"].as_u64()?)?;
            Some((range, span["entity_type"].as_str()?.to_owned()))
        });
        (Gold { text: text.to_owned(), spans: spans.collect() }, row["template_id"].as_u64().unwrap_or(0))
    });
    Ok(gold.collect())
}

fn masking(data: &Path) -> anyhow::Result<Vec<Gold>> {
    let file = std::fs::read_to_string(data.join("pii_masking_200k_subset/aligned.jsonl"))?;
    let mut texts = Vec::new();
    for line in file.lines() {
        let row: Value = serde_json::from_str(line)?;
        let text = row["source_text"].as_str().unwrap_or_default();
        let spans = row["privacy_mask"].as_array().into_iter().flatten().filter_map(|span| {
            let range = bytes(text, span["start"].as_u64()?, span["end"].as_u64()?)?;
            Some((range, span["label"].as_str()?.to_owned()))
        });
        texts.push(Gold { text: text.to_owned(), spans: spans.collect() });
    }
    Ok(texts)
}

/// A range of characters as a range of bytes.
fn bytes(text: &str, start: u64, end: u64) -> Option<std::ops::Range<usize>> {
    let at = |n: u64| text.char_indices().map(|(at, _)| at).chain([text.len()]).nth(n as usize);
    let range = at(start)?..at(end).unwrap_or(text.len());
    (range.start < range.end).then_some(range)
}
