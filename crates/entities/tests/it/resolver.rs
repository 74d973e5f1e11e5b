//! Which mentions are of the same entity.

use std::collections::HashMap;

use inkveil_detect::{EntryFlags, Kind};
use inkveil_entities::with_repeated_names;
use proptest::prelude::*;

use crate::{ids, marked};

/// Checks that spans have the same entity if and only if they have the same label.
fn assert_resolved(source: &str) {
    let marked = marked(source);
    let ids = ids(&marked);
    let mut by_label: HashMap<&str, _> = HashMap::new();
    for (at, (label, id)) in marked.labels.iter().zip(&ids).enumerate() {
        if label.starts_with('t') {
            continue;
        }
        let mention = &marked.text[marked.spans[at].range()];
        let first = *by_label.entry(label.as_str()).or_insert(*id);
        assert_eq!(*id, first, "{mention} in: {source}");
    }
    for (one, id) in &by_label {
        for (other, of) in &by_label {
            assert!(one == other || id != of || id.is_none(), "{one} and {other} in: {source}");
        }
    }
}

#[test]
fn forms_of_one_name_are_one_person() {
    for source in [
        "{p1:Ana Novak} wrote. {t:Ms} {p1:Novak} waits. {p1:Ana's} letter is from {e1:a.novak@barlow.org}. Best, {p1:Ana}",
        "{p1:ANA NOVAK} ({p1:Novak, Ana}) met {p2:Karl-Erik Sund}. {p2:Sund’s} car. {p1:A. Novak} and {p2:Karl}.",
        "{p1:Katherine Hale} is {p1:Kate} to friends; {p1:Kate Hale} signs {p1:KH} and {u1:khale}.",
        "{p1:Ana} called. Later {p1:Ana Novak} sent {u1:@ana_novak85}.",
        "{p1:Ludwig van der Berg} and {p1:Mr van der Berg}: {p1:Berg} paid.",
        "{p1:Dr. Ana M. Novak} or {p1:Ana Maria Novak}; {p1:Dr Novak} agrees.",
        "{p1:Patrick Gordon of Auchleuchries} was a general. {p1:Gordon} fought. {p1:Jens Patrick Gordon} won.",
        "{p1:Wei Chen} said. {p1:Chen Wei} signed.",
        "{p1:Simon Whitcombe} called. Tell the {p1:Whitcombes} or the {p1:Whitcombes'} lawyer.",
        "{p1:José Núñez}: {e1:jose.nunez@gmail.com}, {p1:JOSE NUNEZ}",
    ] {
        assert_resolved(source);
    }
}

#[test]
fn different_people_stay_apart() {
    for source in [
        "{p1:Mr Novak} and {p2:Mrs Novak} came. {p1:Mr Novak} spoke, {p2:Mrs Novak} did not.",
        "{p1:Ana Novak} married {p2:Peter Novak}. {t:Mr} {p2:Novak} works; {t:Ms} {p1:Novak} rests.",
        "{p1:Ana Novak} and {p2:Ana Horak} met. {p2:Ana Horak} left. Then {p2:Ana} called {p1:Ana Novak}.",
        "{p1:Robert Hale} and {p2:Roberta Lund} are not related. {p2:Lund} wrote to {p1:Hale}.",
        "{p1:Ana M. Novak} is not {p2:Ana P. Novak}.",
        "{p1:Ana Novak} knows {p2:Eva}.",
        "{p1:Ana Novak} of the north; {e2:eva.horak@barlow.org} is {p2:Eva Horak}",
    ] {
        assert_resolved(source);
    }
}

#[test]
fn forms_of_one_organisation_are_one() {
    for source in [
        "{o1:Barclays Bank plc} called. {o1:Barclays} pays. {o1:The Barclays Bank} and {o1:BARCLAYS}.",
        "{o1:Advisory, Conciliation and Arbitration Service} ({o1:ACAS}) wrote. {o1:ACAS's} rules.",
        "{o1:Hart Logistics Ltd} is not {o2:Hartmann Logistics Ltd}; {o2:Hartmann} won.",
        "{o1:University of Ghent} and {o2:University of Leeds}",
        "{o1:ACAS} only",
    ] {
        assert_resolved(source);
    }
    let defined = ids(&marked(
        "{o1:Quayside Analytics Limited} (\"{l1:Quayside}\"), {o2:Hart Ltd} (the “{p1:Hart}”). {l1:Quayside} pays {l2:Hart}. \
         {o3:Leeds Docks Ltd} is in {l3:Leeds}.",
    ));
    assert_eq!(defined[0], defined[1], "a name that the text defines for an organisation");
    assert_eq!((defined[0], defined[2]), (defined[4], defined[5]));
    assert_eq!(defined[2], defined[3]);
    assert_ne!(defined[6], defined[7], "a place with the name of an organisation");
    let mistaken = ids(&marked(
        "{o1:Barlow Bank plc} called. {p1:Barlow} pays {p2:Ana Lund}; {o2:Lund Ltd}, {p2:Lund}.",
    ));
    assert_eq!(mistaken[0], mistaken[1], "a person with the name of an organisation of the text");
    assert_eq!(mistaken[2], mistaken[4], "but not if a person has the name");
}

#[test]
fn a_country_has_its_adjective() {
    assert_resolved("{l1:Leeds, England} and {l1:Leeds}; {l2:England}.");
    assert_resolved("{l1:Slovenia} has {r1:Slovenian} law; {l2:Norway} does not. {l3:Leeds}, {l3:LEEDS}.");
}

#[test]
fn debug_output_shows_no_names() {
    let marked = marked("{p1:Ana Novak} of {o1:Hart Ltd}");
    let entities = crate::resolve(&marked);
    assert_eq!(format!("{entities:?}"), "Entities(1 people, 1 organisations, 0 places)");
}

#[test]
fn names_are_found_again() {
    let marked = marked(
        "{p1:Ana Novak} of {o1:Hart Logistics Ltd} and {p2:Will May}. Then Ana met Hart; Novak's car. Will you help? \
         Banana, Anas, ana. Ask Will. Write to {e1:eva.horak@x.org}, says Eva, or Regnhild Horak.\nWill\n",
    );
    let meaning = |word: &str| match word {
        "Will" | "May" | "Ask" | "Then" => EntryFlags::ORDINARY,
        _ => EntryFlags::default(),
    };
    assert_eq!(added(&marked, &meaning), ["Ana", "Hart", "Novak", "Will", "Eva", "Regnhild Horak", "Will"]);
}

/// Returns the texts of the spans that are new or have become names.
fn added<'t>(marked: &'t crate::Marked, flags: &dyn Fn(&str) -> EntryFlags) -> Vec<&'t str> {
    let spans = with_repeated_names(&marked.text, marked.spans.clone(), flags);
    let new = spans.iter().filter(|span| !marked.spans.contains(span));
    new.map(|span| &marked.text[span.range()]).collect()
}

#[test]
fn names_that_are_also_words_are_found() {
    let (given, family) = (EntryFlags::GIVEN, EntryFlags::FAMILY);
    let flags = |word: &str| match word {
        "Rupert" => given,
        "Leeds" => given | family | EntryFlags::CITY,
        "will" | "van" => EntryFlags::ORDINARY,
        "Asa" => given,
        "Autumn" | "Amber" | "Don" | "Will" | "Grace" => given | EntryFlags::ORDINARY,
        "Canon" => given | EntryFlags::ORDINARY,
        "June" | "April" => given | EntryFlags::CALENDAR | EntryFlags::ORDINARY,
        "Church" | "Great" | "Bishop" => family | EntryFlags::ORDINARY,
        "The" | "Thanks" => EntryFlags::ORDINARY,
        _ => EntryFlags::default(),
    };
    let cases: [(&str, &[&str]); 48] = [
        ("It wasn't Autumn's fault.", &["Autumn"]),
        ("Autumn's colours are here, and June's bill, says {p1:Ana}.", &[]),
        ("{p1:Don Leyva} called. Don's number is new.", &["Don"]),
        ("{p1:Don Leyva} called. Don not call back.", &[]),
        ("{p1:Don Leyva} called. Don asked for help.", &["Don"]),
        ("{p1:Don Leyva} called. Don can't come.", &["Don"]),
        ("I am {p1:Amber Baker}.\n{r1:Amber}", &["Amber"]),
        ("Her eyes are {r1:Amber}, says {p1:Ana Baker}.", &[]),
        ("Dear team, Autumn {p1:Rocki} told me.", &["Autumn Rocki"]),
        ("Kind regards\nAutumn {p1:Ipsen}", &["Autumn Ipsen"]),
        ("Will {p1:Ipsen} come? Thanks {p2:Ana}.", &[]),
        ("My name is {p1:Haley} Church and I live here.", &["Haley Church"]),
        ("Opened by Church, {p1:Haley} (Leeds).", &["Church, Haley"]),
        ("After Church, {p1:Haley} called.", &[]),
        ("You can't reach Autumn, so ask {p1:Ana}.", &["Autumn"]),
        ("We met in Autumn, the Autumn of Grace, says {p1:Ana}.", &[]),
        ("So ask Ms Church (12).", &["Church"]),
        ("So ask {t1:Ms Bishop} (12).", &["Ms", "Bishop"]),
        ("Opened by {t1:Bishop}, {p1:Haley} (Leeds).", &["Bishop, Haley"]),
        ("Today {t1:Dean} {p1:Church} called.", &["Dean Church"]),
        ("My name is Canon Great and I live here.", &["Canon Great"]),
        ("Dear team, Autumn Church told me.", &["Autumn Church"]),
        ("We met at the Grace Church today.", &[]),
        ("Opened by Church, Alice, {e1:achurch@x.org}.", &["Church, Alice"]),
        ("The bill of {e1:church_alice7@x.org} goes to Alice {l1:Church}.", &["Alice Church"]),
        ("The bill of {e1:info@x.org} goes to the Alice {l1:Church}.", &[]),
        ("I am {p1:April Great}. Paid in {d1:April}.\n{d2:April}", &["April"]),
        ("Write to {p1:Ana} after {p2:April}.", &["April"]),
        ("From: {l1:Rupert} {o1:Church}\nAsk {t1:Ms} {o1:Church} soon.", &["Rupert Church", "Church"]),
        ("Ask {t1:Ms} {o1:Church Ltd} soon.", &[]),
        ("Opened by {o1:Great, Asa} ({e1:asa91@x.org}).", &["Great, Asa"]),
        ("Opened by {o1:Great, Asa} today.", &[]),
        ("Grace: hi\nHope: hi {p1:Grace}", &["Grace"]),
        ("Grace: hi\nGrace is good, {p1:Hope}", &[]),
        ("Ask {p1:Ana Great}. The Greats or the {o1:Greats} know.", &["Greats", "Greats"]),
        ("Ask {p1:Ana}. The Greats know it.", &[]),
        ("It is from {t1:Mr} {p1:Bishop}. Ask {t2:Bishop} or {t3:Bishop} {p1:Ana}.", &["Bishop"]),
        ("Can you {p1:will Grace} or {p2:van Zyxa} now?", &["Grace"]),
        ("Is {d1:Autumn}'s party on? The sun of {d2:Autumn}'s end.", &["Autumn"]),
        ("{d1:Autumn}'s colours are here, says {p1:Ana}.", &[]),
        ("From {l1:Rupert} {p1:Zyxa}.", &["Rupert Zyxa"]),
        ("From {l1:Leeds} {p1:Zyxa} came.", &[]),
        ("Ask {p1:Zyxa} {l1:Leeds}.", &[]),
        ("{o1:Zyxa Mills Ltd} (\"{l1:Zyxa}\") pays. {p1:Zyxa} owes {p2:Ana}.", &["Zyxa", "Zyxa"]),
        ("Write to {p1:April Great} or ask for {p2:April}.", &[]),
        ("{p1:Haley} {l1:Church} wrote. {p2:Alice Church} is her sister.", &["Haley Church"]),
        ("{p1:Zyxa} told me. It is from Zyxa Church.", &["Zyxa Church"]),
        ("Thanks to {t1:Ms} {p1:Church}. I saw Church's car and Great Hall.", &["Church"]),
    ];
    for (text, expected) in cases {
        assert_eq!(added(&marked(text), &flags), expected, "{text}");
    }
}

#[test]
fn a_name_that_is_completed_later_is_one_person() {
    let (given, family) = (EntryFlags::GIVEN, EntryFlags::FAMILY);
    let flags = |word: &str| match word {
        "Alice" => given,
        "Church" => family | EntryFlags::ORDINARY,
        _ => EntryFlags::default(),
    };
    for source in [
        "{p1:Alice} called. The letter is from Alice Church. Ask Ms Church. Write to {e1:achurch@x.org}.",
        "{p1:Alice} {l1:Church} called. Ask {t1:Ms} {p1:Church} or {p1:Alice Church}.",
        "Opened by {l1:Church}, {p1:Alice} ({e1:alice.church@x.org}). {p1:Alice} waits.",
    ] {
        let marked = marked(source);
        let spans = with_repeated_names(&marked.text, marked.spans.clone(), &flags);
        let entities = inkveil_entities::Resolver::default().resolve(&marked.text, &spans);
        let people: Vec<_> = (0..spans.len()).filter_map(|span| entities.of(span)).collect();
        assert!(people.len() > 2 && people.iter().all(|id| *id == people[0]), "{people:?} in {source}");
    }
}

#[test]
fn a_word_that_is_a_person_elsewhere_is_no_company() {
    for known in [EntryFlags::default(), EntryFlags::GIVEN] {
        let marked = marked("It broke {o1:Chidi}'s build. {p1:Chidi} told {o2:Hart Tools}.");
        let spans = with_repeated_names(&marked.text, marked.spans.clone(), &|_| known);
        let kinds: Vec<&Kind> = spans.iter().map(|span| &span.kind).collect();
        assert_eq!(kinds, [&Kind::Person, &Kind::Person, &Kind::Organisation], "{known:?}");
    }
}

/// Detection may take a name for a title. Only known titles are kept.
#[test]
fn a_name_that_was_taken_for_a_title_is_replaced() {
    let marked = marked("Thanks, {t1:Launcelot}. Ask {t2:Dr} {p1:Lang}.");
    let drawn = crate::draw(&marked, 1, inkveil_entities::Scope::Document(0));
    let replaced: Vec<Option<String>> = (0..3).map(|span| drawn.replacement(span)).collect();
    assert!(replaced[0].as_deref().is_some_and(|name| name != "Launcelot"), "{replaced:?}");
    assert_eq!(replaced[1].as_deref(), Some("Dr"));
}

proptest! {
    #[test]
    fn any_text_and_spans_are_accepted(words in prop::collection::vec("\\PC{0,12}", 0..12), kinds in prop::collection::vec(0_usize..7, 12)) {
        let letters = ["p", "t", "o", "l", "r", "e", "u"];
        let mut source = String::new();
        for (word, kind) in words.iter().zip(kinds) {
            let word = word.replace(['{', '}', ':'], " ");
            source.push_str(&format!("{{{}:{word}}} ", letters[kind]));
        }
        let marked = marked(&source);
        prop_assert_eq!(ids(&marked).len(), marked.spans.len());
        let flags = |word: &str| if word.len().is_multiple_of(2) { EntryFlags::GIVEN | EntryFlags::FAMILY } else { EntryFlags::default() };
        let mut end = 0;
        for span in with_repeated_names(&marked.text, marked.spans.clone(), &flags) {
            prop_assert!(span.start >= end && marked.text.get(span.range()).is_some());
            end = span.end;
        }
        let identities = crate::draw(&marked, 1, inkveil_entities::Scope::Job);
        for span in 0..marked.spans.len() {
            let _ = identities.replacement(span);
        }
    }
}
