//! Measures how many mentions of replaced names, dates and amounts are restored in answers that write
//! them in other forms.

use std::collections::BTreeMap;

use inkveil_detect::Kind;
use inkveil_entities::{Entities, Identities, Resolver, Scope, Source, Values};
use inkveil_notation::{DayOrder, WrittenDate};
use inkveil_privacy::{NoiseAddress, NoiseKey, Purpose};
use inkveil_restore::{MapBuilder, ReplacementMap, RestoreOptions, Restorer};
use inkveil_surrogates::Lists;

use super::GeneratedArgs;
use super::documents::{Document, document};
use super::people::Casting;

/// The random stream of answers.
const ANSWERS: Purpose = Purpose::named("generated answers");

/// Sentences of answers. `#` is a mention.
const SENTENCES: &[&str] = &[
    "# should reply first.",
    "I would ask # about it.",
    "In short, #'s point is fair, and # disagrees.",
    "- #: still open",
    "**#** wrote on # that # is due.",
    "The letter to # could say that # (#) is late.",
    "\"#\" is mentioned twice; see #.",
];

/// A mention in an answer: what the model writes, and what the reader must see.
struct Said {
    form: &'static str,
    veiled: String,
    original: String,
}

pub(super) fn run(args: &GeneratedArgs, lists: &Lists) -> anyhow::Result<()> {
    let mut counts: BTreeMap<&'static str, (usize, usize)> = BTreeMap::new();
    let mut whole = 0;
    let mut shown = 0;
    for number in 0..args.documents {
        let document = document(lists, args.seed, number, true);
        let key = NoiseKey::insecure_from_seed(args.seed ^ 0x5eed);
        let (map, said) = veil(&document, lists, &key, number)?;
        let stream = key.stream(NoiseAddress::record(number).purpose(ANSWERS), &());
        let mut casting = Casting { lists, held_out: true, stream };
        let restorer = Restorer::new(&map, RestoreOptions::default())?;
        let mut right = true;
        for _ in 0..4 {
            let (veiled, expected, forms) = answer(&mut casting, &said);
            let restored = restorer.restore_text(&veiled).0;
            right &= restored == expected;
            if restored != expected && shown < args.show {
                shown += 1;
                println!("--- {veiled}\n    {restored}\n    {expected}");
            }
            for mention in forms {
                let (restored, all) = counts.entry(mention.form).or_default();
                *all += 1;
                *restored += usize::from(restorer.restore_text(&mention.veiled).0 == mention.original);
            }
        }
        whole += usize::from(right);
    }
    println!("{} dialogues, seed {}, held-out names", args.documents, args.seed);
    let (restored, all) = counts.values().fold((0, 0), |sum, count| (sum.0 + count.0, sum.1 + count.1));
    for (form, (restored, all)) in &counts {
        println!("{form}: {restored} of {all}, {:.2} %", 100.0 * *restored as f64 / *all as f64);
    }
    println!("mentions restored: {restored} of {all}, {:.2} %", 100.0 * restored as f64 / all.max(1) as f64);
    let share = 100.0 * whole as f64 / args.documents.max(1) as f64;
    println!("dialogues restored byte for byte: {whole} of {}, {share:.2} %", args.documents);
    Ok(())
}

/// Replaces the mentions of a document. Returns the map and what an answer may say about each mention.
fn veil(
    document: &Document,
    lists: &Lists,
    key: &NoiseKey,
    number: u64,
) -> anyhow::Result<(ReplacementMap, Vec<Said>)> {
    let Document { text, spans, .. } = document;
    let entities: Entities = Resolver::default().resolve(text, spans);
    let lower = text.to_lowercase();
    // A name that the text contains could not be told from the replacement.
    let is_free = |form: &str, _: &str| !lower.contains(&form.to_lowercase());
    let scope = Scope::Document(number);
    let identities = Identities::draw(
        &Source { lists, key, scope, is_free: &is_free, known: &|_| None },
        text,
        spans,
        &entities,
    );
    let values = Values::draw(key, scope, false).for_text(text, spans);
    let mut map: MapBuilder = ReplacementMap::builder();
    let mut said = Vec::new();
    for (at, span) in spans.iter().enumerate() {
        let original = &text[span.range()];
        let written =
            identities.replacement(at).or_else(|| values.replacement_at(&span.kind, original, span.start));
        let Some(replacement) = written.filter(|written| written != original) else { continue };
        map.add(&replacement, original, span.kind.name())?;
        match span.kind {
            Kind::Date => said.extend(dates(&replacement, original)),
            Kind::Money => said.extend(amounts(&replacement, original)),
            _ => {
                said.push(Said { form: "as in the text", veiled: replacement, original: original.to_owned() })
            }
        }
    }
    for forms in identities.forms() {
        for (replacement, original) in forms.pairs() {
            map.add(replacement, original, forms.kind().name())?;
        }
    }
    // What an answer writes is made from the full names, and not from the forms in the map.
    for (at, span) in spans.iter().enumerate() {
        let (Some(label), Some(replacement)) = (document.labels[at], identities.replacement(at)) else {
            continue;
        };
        let original = &text[span.range()];
        let Some(person) = document.people.get(label) else { continue };
        if span.kind == Kind::Person && original == person.full() {
            said.extend(names(&replacement, original));
        }
    }
    Ok((map.build(), said))
}

fn names(replacement: &str, original: &str) -> Vec<Said> {
    let (Some((given, family)), Some((own_given, own_family))) =
        (replacement.split_once(' '), original.split_once(' '))
    else {
        return Vec::new();
    };
    let initial = |name: &str| name.chars().next().unwrap_or('x');
    let said = |form, veiled: String, original: String| Said { form, veiled, original };
    vec![
        said("full name", replacement.to_owned(), original.to_owned()),
        said("first name", given.to_owned(), own_given.to_owned()),
        said("surname", family.to_owned(), own_family.to_owned()),
        said("possessive", format!("{given}’s"), format!("{own_given}’s")),
        said("title and surname", format!("Dr {family}"), format!("Dr {own_family}")),
        said(
            "initial and surname",
            format!("{}. {family}", initial(given)),
            format!("{}. {own_family}", initial(own_given)),
        ),
        said(
            "initials",
            format!("{}.{}.", initial(given), initial(family)),
            format!("{}.{}.", initial(own_given), initial(own_family)),
        ),
        said("upper case", replacement.to_uppercase(), original.to_uppercase()),
        said("surname first", format!("{family}, {given}"), format!("{own_family}, {own_given}")),
        said("name in a longer name", format!("the {family} Trust"), format!("the {own_family} Trust")),
        said("line break in a name", format!("{given}\n{family}"), original.to_owned()),
    ]
}

fn dates(replacement: &str, original: &str) -> Vec<Said> {
    let read = |text: &str| WrittenDate::read(text, DayOrder::DayFirst).and_then(|written| written.date());
    let (Some(own), Some(date)) = (read(replacement), read(original)) else { return Vec::new() };
    let notations = [
        ("date in figures", "27/12/2025"),
        ("date as in ISO 8601", "2025-12-27"),
        ("date in US words", "December 27, 2025"),
        ("date with an ordinal", "27th December 2025"),
    ];
    notations
        .into_iter()
        .filter_map(|(form, notation)| {
            let notation = WrittenDate::read(notation, DayOrder::DayFirst)?;
            Some(Said { form, veiled: notation.write(own), original: notation.write(date) })
        })
        .chain([Said {
            form: "date as written",
            veiled: replacement.to_owned(),
            original: original.to_owned(),
        }])
        .collect()
}

fn amounts(replacement: &str, original: &str) -> Vec<Said> {
    let said = |form, change: fn(&str) -> String| Said {
        form,
        veiled: change(replacement),
        original: change(original),
    };
    vec![
        said("amount as written", str::to_owned),
        said("amount without separators", |text| text.replace(',', "")),
        said("amount with decimals", |text| format!("{text}.00")),
        said("amount in words of its currency", |text| format!("{} pounds", text.trim_start_matches('£'))),
    ]
}

/// Writes an answer with mentions, and what it must read after restoring.
fn answer<'s>(casting: &mut Casting<'_>, said: &'s [Said]) -> (String, String, Vec<&'s Said>) {
    let (mut veiled, mut expected, mut forms) = (String::new(), String::new(), Vec::new());
    for (at, part) in casting.pick(SENTENCES).split('#').enumerate() {
        if at > 0 && !said.is_empty() {
            let mention = casting.pick(said);
            veiled.push_str(&mention.veiled);
            expected.push_str(&mention.original);
            forms.push(mention);
        }
        veiled.push_str(part);
        expected.push_str(part);
    }
    (veiled, expected, forms)
}
