//! Linked surrogates: mentions of one person are forms of one identity.

use inkveil_detect::{Kind, Tier};
use inkveil_lexicon::LexiconKind;
use inkveil_privacy::{Epsilon, NoiseKey};
use inkveil_restore::{ReplacementMap, RestoreOptions, Restorer};
use inkveil_text::{
    AtZero, Consistency, Document, Links, Preset, Replacements, TextSettings, TextVeil, Veiled,
};

use crate::{open, settings, veil};

const MEMO: &str = "Ana Novak works at Vandermeer Logistics Ltd. Ms Novak wrote to Peter Lund on 1 May 2019 and on \
    30 October 2019. Ana's letter is from ana.novak@vandermeer.org. Vandermeer paid £60,317. Best regards, Ana";

fn linked(scope: Consistency, links: Links, restorable: bool) -> TextVeil {
    let mut settings = settings(LexiconKind::Words, "0,0,inf,inf");
    settings.at_zero = AtZero::Surrogate;
    settings.consistent = scope;
    settings.link = links;
    settings.restorable = restorable;
    open(settings)
}

/// Returns the replacements of an original that are whole spans.
fn of<'v>(veiled: &'v Veiled<'_>, original: &str) -> Vec<&'v str> {
    veiled.replacements().filter(|r| r.original == original).map(|r| r.replacement).collect()
}

#[test]
fn one_person_has_one_identity() {
    for (scope, restorable) in [
        (Consistency::Document, false),
        (Consistency::Job, false),
        (Consistency::Document, true),
        (Consistency::Job, true),
    ] {
        let opened = linked(scope, Links::Names, restorable);
        for seed in 0..10 {
            let veiled = veil(&opened, MEMO, seed);
            let text = veiled.text();
            let full = of(&veiled, "Ana Novak")[0];
            let (given, family) = full.split_once(' ').unwrap();
            assert!(text.contains(&format!("Ms {family} wrote")), "{text}");
            assert!(text.contains(&format!("{given}'s letter")), "{text}");
            assert!(text.ends_with(&format!("Best regards, {given}")), "{text}");
            assert!(!text.contains("Novak") && !text.contains("Vandermeer"), "{text}");
        }
    }
}

/// The gazetteer knows none of these words as names: they are of the fifth that is held out.
#[test]
fn names_that_are_also_words_are_replaced() {
    let opened = linked(Consistency::Document, Links::Names, false);
    let text = "Dear team, Penny Frost told me to contact you. You can't reach Autumn, so ask Ms Lynch.";
    let veiled = veil(&opened, text, 1);
    for name in ["Penny Frost", "Autumn", "Lynch"] {
        assert!(veiled.replacements().any(|pair| pair.original.ends_with(name)), "{name}");
    }
}

#[test]
fn without_links_each_original_has_a_surrogate_of_its_own() {
    let opened = linked(Consistency::Document, Links::None, false);
    let apart = (0..10).filter(|seed| {
        let veiled = veil(&opened, MEMO, *seed);
        let family = of(&veiled, "Ana Novak")[0].split(' ').next_back().unwrap().to_owned();
        !veiled.text().contains(&format!("Ms {family}"))
    });
    assert!(apart.count() > 8);
}

#[test]
fn dates_keep_their_order_and_the_receipt_states_it() {
    let opened = linked(Consistency::Document, Links::All, false);
    let veiled = veil(&opened, MEMO, 3);
    let date = |original: &str| {
        let written = of(&veiled, original)[0].to_owned();
        inkveil_notation::WrittenDate::read(&written, Default::default()).unwrap().date().unwrap().days()
    };
    assert_eq!(date("30 October 2019") - date("1 May 2019"), 182);
    assert_ne!(of(&veiled, "1 May 2019")[0], "1 May 2019");
    assert!(of(&veiled, "£60,317")[0].starts_with('£'));
    let receipt = veiled.receipt();
    assert!(receipt.verify().is_empty());
    let moved = receipt.groups().iter().find(|group| group.mechanism() == Some("shift")).unwrap();
    assert_eq!(moved.epsilon(), Epsilon::INFINITE);
    let shown = receipt.render().replace('\n', " ");
    for words in ["order of dates", "ratios", "which mentions are of the same person", "gender", "titles"] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
}

#[test]
fn weekdays_stay_if_asked_for_and_the_receipt_states_it() {
    let opened = linked(Consistency::Document, Links::Weekdays, false);
    for seed in 0..5 {
        let veiled = veil(&opened, MEMO, seed);
        let weekday = |written: &str| {
            let date =
                inkveil_notation::WrittenDate::read(written, Default::default()).unwrap().date().unwrap();
            date.weekday()
        };
        let moved = of(&veiled, "1 May 2019")[0];
        assert_ne!(moved, "1 May 2019");
        assert_eq!(weekday(moved), weekday("1 May 2019"));
        assert!(veiled.receipt().render().contains("weekdays of dates"));
    }
}

#[test]
fn doses_are_kept() {
    let opened = linked(Consistency::Document, Links::All, false);
    for seed in 0..5 {
        let veiled = veil(&opened, "Ana Novak, aged 47, takes 40 mg of citalopram.", seed);
        assert!(veiled.text().contains("40 mg"), "{}", veiled.text());
    }
}

#[test]
fn answers_with_other_forms_are_restored() {
    for scope in [Consistency::Document, Consistency::Job] {
        let opened = linked(scope, Links::All, true);
        let veiled = veil(&opened, MEMO, 5);
        let mut pairs = ReplacementMap::builder();
        for replaced in veiled.replacements().chain(veiled.forms()) {
            pairs.add(replaced.replacement, replaced.original, replaced.kind).unwrap();
        }
        let map = pairs.build();
        let restorer = Restorer::new(&map, RestoreOptions::default()).unwrap();
        assert_eq!(restorer.restore_text(veiled.text()).0, MEMO);
        let full = of(&veiled, "Ana Novak")[0];
        let (given, family) = full.split_once(' ').unwrap();
        let (initial, amount) = (given.chars().next().unwrap(), of(&veiled, "£60,317")[0].replace(',', ""));
        let answer = format!(
            "Dear Mrs {family}, {given}’s claim ({initial}. {family}) is {amount}. {}!",
            full.to_uppercase()
        );
        assert_eq!(
            restorer.restore_text(&answer).0,
            "Dear Mrs Novak, Ana’s claim (A. Novak) is £60317. ANA NOVAK!"
        );
    }
}

/// A country that an earlier text replaced is never written as it was.
#[test]
fn a_later_text_keeps_countries_and_places() {
    let opened = linked(Consistency::Job, Links::Names, true);
    for seed in 0..20 {
        let key = NoiseKey::insecure_from_seed(seed);
        let mut known = Replacements::default();
        let texts = ["Ana Novak flew from Lyon to Portugal.", "Ana missed Lyon when she was in Portugal."];
        let mut veiled = |at: usize| {
            opened.veil_all_with(&mut known, &[Document::new(texts[at])], at as u64, &key).unwrap().remove(0)
        };
        let (first, later) = (veiled(0), veiled(1));
        assert_eq!(of(&later, "Lyon"), of(&first, "Lyon"));
        assert_eq!(of(&later, "Portugal"), of(&first, "Portugal"));
        assert_ne!(of(&later, "Portugal"), ["Portugal"]);
    }
}

/// The next text of a conversation keeps the identities of the first.
#[test]
fn a_later_text_keeps_the_identities() {
    let opened = linked(Consistency::Job, Links::Names, true);
    let key = NoiseKey::insecure_from_seed(4);
    let mut known = Replacements::default();
    let first = opened.veil_all_with(&mut known, &[Document::new("Ana Novak called.")], 0, &key).unwrap();
    let later =
        opened.veil_all_with(&mut known, &[Document::new("Then Ana Horak met Ana Novak.")], 1, &key).unwrap();
    let name = of(&first[0], "Ana Novak")[0];
    assert_eq!(of(&later[0], "Ana Novak"), [name]);
}

/// Diseases and jobs keep their topic, unless a task does not need them.
#[test]
fn surrogates_keep_their_topic_and_fit_the_article() {
    use inkveil_entities::Topic;
    let text = "She works as a nurse. He is an accountant. Both have asthma.";
    let mut settings = TextSettings::of(Preset::Prompt);
    settings.detect.tier = Tier::Fast;
    let opened = open(settings);
    for seed in 0..20 {
        let veiled = veil(&opened, text, seed);
        for (kind, original, article) in
            [(Kind::Job, "nurse", "a "), (Kind::Job, "accountant", "an "), (Kind::Health, "asthma", "have ")]
        {
            let Some(written) = of(&veiled, original).first().copied() else { continue };
            let topic = |text: &str| Topic::of(&kind, text).map(Topic::name);
            assert_eq!(topic(written), topic(original), "{}", veiled.text());
            assert!(veiled.text().contains(&format!("{article}{written}")), "{}", veiled.text());
        }
    }
    let replaced: usize =
        ["nurse", "accountant", "asthma"].iter().map(|word| of(&veil(&opened, text, 1), word).len()).sum();
    assert!(replaced > 0, "nothing was found");
}

/// A span over two lines is replaced line by line.
#[test]
fn line_breaks_are_kept() {
    let opened = linked(Consistency::Document, Links::All, false);
    let text = "Ines: I live at 12 Elm Road,\nLyon\nYusuf: Call Ana Novak\nMaria Lang";
    for seed in 0..10 {
        let veiled = veil(&opened, text, seed);
        assert_eq!(veiled.text().lines().count(), 4, "{}", veiled.text());
    }
}

/// Mentions of one person share the number of a placeholder.
#[test]
fn placeholders_of_one_person_are_linked() {
    let mut settings = TextSettings::of(Preset::Placeholders);
    settings.detect.tier = Tier::Fast;
    let opened = open(settings);
    let veiled = veil(&opened, "Ana Novak called. Ms Novak was angry. Ana wrote to Peter Lang.", 1);
    assert_eq!(of(&veiled, "Ana Novak"), of(&veiled, "Ana"), "{}", veiled.text());
    assert!(veiled.text().contains("[person 2]"), "{}", veiled.text());
}

/// A name that is hidden in one place is hidden wherever the text repeats it, also without identities.
#[test]
fn names_that_are_repeated_are_found_without_links() {
    let opened = open(TextSettings::of(Preset::Strict));
    let text =
        "[19:02] Will: anyone free?\n[19:03] Nadia: ask Autumn Lynch.\n[19:04] Will: is Autumn's bike back?";
    let veiled = veil(&opened, text, 1);
    assert!(!veiled.text().contains("Will") && !veiled.text().contains("Autumn"), "{}", veiled.text());
    assert!(!veiled.text().contains("[date]"), "{}", veiled.text());
}
