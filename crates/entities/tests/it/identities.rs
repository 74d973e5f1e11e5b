//! One identity for each entity, in every form.

use std::collections::HashSet;

use inkveil_detect::ListedSpeech;
use inkveil_entities::{Reveal, Scope};

use crate::{draw, marked, replaced};

const LETTER: &str = "{p1:Ana Novak} wrote. {t:Ms} {p1:Novak} waits. {p1:Ana's} letter is from {e1:a.novak@hart.org}. \
    {o1:Hart Logistics Ltd} ({o1:Hart}) is in {l1:Slovenia}; the {r1:Slovenian} {p1:A. Novak}, {p1:A.N.}, {u1:@ana_novak85}.";

#[test]
fn every_form_is_made_from_one_identity() {
    for seed in 0..200 {
        let words = replaced(LETTER, seed, Scope::Document(seed));
        let [
            full,
            title,
            family,
            possessive,
            email,
            company,
            short,
            country,
            adjective,
            initial,
            letters,
            handle,
        ] = words.as_slice()
        else {
            panic!("{words:?}")
        };
        let (given, own_family) = full.split_once(' ').unwrap();
        assert_eq!(title, "Ms");
        assert_eq!(family, own_family);
        assert_eq!(*possessive, format!("{given}'s"));
        let first = |name: &str| name.chars().next().unwrap();
        assert_eq!(*initial, format!("{}. {own_family}", first(given)));
        assert_eq!(*letters, format!("{}.{}.", first(given), first(own_family)));
        assert!(company.starts_with(short.as_str()) && company.ends_with(" Logistics Ltd"), "{company}");
        let (mailbox, domain) = email.split_once('@').unwrap();
        assert!(mailbox.chars().nth(1) == Some('.') && mailbox.is_ascii(), "{email}");
        let first = short.to_lowercase().chars().next().unwrap();
        assert!(domain.ends_with("logistics.example"), "{email}");
        assert!(!first.is_ascii() || domain.starts_with(first), "{email} {short}");
        assert!(handle.starts_with('@') && handle.contains('_') && handle.len() > 5, "{handle}");
        assert!(!country.is_empty() && !adjective.is_empty());
        assert!(!words.iter().any(|word| word.contains("Novak") || word.contains("novak")), "{words:?}");
    }
}

#[test]
fn languages_become_languages() {
    for seed in 0..100 {
        let source = "I speak {r1:English} and some {r2:Turkish}. We met in {l3:Slovenia}, at a {r3:Slovenian} school.";
        let words = replaced(source, seed, Scope::Document(seed));
        assert!(words[..2].iter().all(|word| inkveil_surrogates::is_language(word)), "{words:?}");
        assert!(words[0] != words[1] && words[2] != words[3], "{words:?}");
    }
}

#[test]
fn a_family_has_the_plural_of_its_name() {
    for seed in 0..100 {
        let source = "{p1:Simon Whitcombe} and {p2:Ana Lund} called. Ask the {p1:Whitcombes} or the {p2:Lunds'} lawyer.";
        let words = replaced(source, seed, Scope::Document(seed));
        let [simon, ana, one, other] = words.as_slice() else { panic!("{words:?}") };
        let plural = |name: &str| {
            let family = name.split(' ').next_back().unwrap().to_owned();
            let is_sibilant = ["s", "x", "z", "ch", "sh"].iter().any(|end| family.ends_with(end));
            family + if is_sibilant { "es" } else { "s" }
        };
        assert_eq!((one, other), (&plural(simon), &(plural(ana) + "'")));
    }
}

/// The text need not name one of them, and a name that ends with an s is the name of a family, too.
#[test]
fn a_family_is_named_without_its_members() {
    let is_plural = |one: &str, name: &str| ["s", "es"].iter().any(|end| one == format!("{name}{end}"));
    for seed in 0..50 {
        let words = |source: &str| replaced(source, seed, Scope::Document(seed));
        let alone = words("The {p1:Bakers} called. The {p2:Marshes} did not.");
        assert!(alone[0].ends_with('s') && alone[1].ends_with("s") && alone[0] != alone[1], "{alone:?}");
        let titled = words("The {p1:Bakers} called. {t:Mr} {p1:Baker} waits.");
        assert!(is_plural(&titled[0], &titled[2]), "{titled:?}");
        let several =
            words("{t:Mrs} {p1:Rogers} waits. The {p1:Rogers} are here. Read the {p1:Rogers} report.");
        assert!(is_plural(&several[2], &several[1]) && several[3] == several[1], "{several:?}");
    }
}

#[test]
fn the_gender_of_names_and_titles_is_kept() {
    for seed in 0..100 {
        let words =
            replaced("{p1:Ana Novak} and {t:Mr} {p2:Horak}, {p3:Xyzzy Lund}. He left.", seed, Scope::Job);
        let given = words[0].split(' ').next().unwrap();
        let ana = marked(&format!("{{p1:Mr Lund}} {{p2:{given} Lund}}"));
        let ids = crate::ids(&ana);
        assert_ne!(ids[0], ids[1], "{given} is a name of women, so Mr does not fit");
    }
}

#[test]
fn relatives_share_a_family_name_and_other_people_do_not() {
    let words = replaced("{p1:Ana Novak}, {p2:Peter Novak}, {p3:Eva Horak}", 7, Scope::Document(0));
    let family: Vec<&str> = words.iter().map(|word| word.split(' ').next_back().unwrap()).collect();
    assert!(family[0] == family[1] && family[0] != family[2], "{words:?}");
    let given: HashSet<&str> = words.iter().map(|word| word.split(' ').next().unwrap()).collect();
    assert_eq!(given.len(), 3);
}

#[test]
fn short_forms_stay_short_forms() {
    for seed in 0..100 {
        let words =
            replaced("{p1:Katherine Hale}, {p1:Kate}, {p1:Kate Hale}, {p1:Katherine}", seed, Scope::Job);
        let (whole, short) = (words[0].split(' ').next().unwrap(), &words[1]);
        assert_eq!((words[2].split(' ').next().unwrap(), words[3].as_str()), (short.as_str(), whole));
        assert_ne!(whole, short, "each form can be restored");
    }
}

#[test]
fn the_scope_decides_where_identities_are_the_same() {
    let full = |source: &str, scope| replaced(source, 3, scope)[0].clone();
    let (one, other) = ("{p1:Ana Novak} came.", "Then {p1:Ana Novak} left. {p1:Ana}.");
    assert_eq!(full(one, Scope::Job), full(other, Scope::Job));
    assert_eq!(full(one, Scope::Document(1)), full(other, Scope::Document(1)));
    assert_ne!(full(one, Scope::Document(1)), full(one, Scope::Document(2)));
    let later = replaced("Then {p1:Ana} came. {p1:Ana Novak} left.", 3, Scope::Document(9));
    let before = replaced("Then {p1:Ana} came.", 3, Scope::Document(9));
    assert_eq!(before[0], later[0], "a longer conversation keeps the identities of its start");
}

#[test]
fn words_for_the_sort_of_an_organisation_are_kept() {
    for seed in 0..50 {
        let words = replaced(
            "{o1:University of Ghent}, {o2:the Inspectorate}, {o3:St. Mary Hospital}, {o4:ACAS}, {o5:HART BANK PLC}",
            seed,
            Scope::Document(0),
        );
        assert!(words[0].starts_with("University of ") && !words[0].contains("Ghent"), "{words:?}");
        assert_eq!(words[1], "the Inspectorate");
        assert!(words[2].ends_with(" Hospital"), "{words:?}");
        assert!(words[3].len() == 4 && words[3].chars().all(|c| c.is_ascii_uppercase()), "{words:?}");
        assert!(words[4].ends_with(" BANK PLC") && words[4] == words[4].to_uppercase(), "{words:?}");
    }
}

#[test]
fn what_is_kept_is_listed() {
    let reveals = crate::resolve(&marked(LETTER)).reveals();
    for expected in
        [Reveal::Repetitions, Reveal::Gender, Reveal::Titles, Reveal::HandleOwner, Reveal::DomainOwner]
    {
        assert!(reveals.contains(&expected), "{expected:?}");
    }
    assert!(!reveals.contains(&Reveal::SharedFamilyName));
    let couple = crate::resolve(&marked("{p1:Ana Novak}, {p2:Peter Novak}")).reveals();
    assert!(couple.contains(&Reveal::SharedFamilyName) && !couple.contains(&Reveal::Repetitions));
}

#[test]
fn forms_for_answers_stand_for_the_same_form_of_the_original() {
    let marked = marked(LETTER);
    let identities = draw(&marked, 5, Scope::Job);
    let full = identities.replacement(0).unwrap();
    let (given, family) = full.split_once(' ').unwrap();
    let pairs: Vec<(&str, &str)> = identities.forms().iter().flat_map(|forms| forms.pairs()).collect();
    for (form, original) in [
        (full.clone(), "Ana Novak"),
        (given.to_owned(), "Ana"),
        (family.to_owned(), "Novak"),
        (format!("{family}, {given}"), "Novak, Ana"),
        (format!("{}. {family}", &given[..1]), "A. Novak"),
    ] {
        assert!(pairs.contains(&(form.as_str(), original)), "{form}");
    }
    assert_eq!(format!("{identities:?}"), "Identities(12 replacements)");
}

/// Whatever a span holds, no word or number of it passes, except titles and letters after a name.
#[test]
fn no_part_of_a_name_passes() {
    let long = "Ana Mariax Petrax Evax Norax Leax Ivax Idax Adax Unax Novakx";
    for source in
        [format!("{{p1:{long}}}"), "{p1:Ana Novakx 1985 (born Horakx)}".into(), "{p1:Ana of Bledx}".into()]
    {
        for seed in 0..50 {
            let written = &replaced(&source, seed, Scope::Document(seed))[0];
            for word in ["Novakx", "Petrax", "Unax", "1985", "Horakx", "Bledx", "Leax", "Adax"] {
                assert!(!written.split(' ').any(|other| other == word), "{written}");
            }
        }
    }
}

/// Texts whose mentions have the same facts have the same replacements, whatever the names are. Within a
/// document, names are addressed by their order, except family names and domains, which are hashed.
#[test]
fn replacements_depend_on_the_facts_alone() {
    let facts = |source: &str| {
        let marked = marked(source);
        let entities = crate::resolve(&marked);
        let of = |at: usize| entities.facts(at, &marked.text[marked.spans[at].range()]);
        (0..marked.spans.len()).map(of).collect::<Vec<_>>()
    };
    let (one, other) = (
        "{p1:Ana} met {p2:Karl}. {p1:Ana's} {o1:Hart Bank}",
        "{p1:Eva} met {p2:Peter}. {p1:Eva's} {o1:Lund Bank}",
    );
    assert_eq!(facts(one), facts(other));
    for seed in 0..20 {
        assert_eq!(replaced(one, seed, Scope::Document(1)), replaced(other, seed, Scope::Document(1)));
    }
    for different in [
        "{p1:Karl} met {p2:Karl}. {p1:Karl's} {o1:Hart Bank}",
        "{p1:Ana} met {p2:Eva}. {p1:Ana's} {o1:Hart Bank}",
        "{p1:ANA} met {p2:Karl}. {p1:Ana's} {o1:Hart Bank}",
        "{p1:Ana} met {p2:Karl}. {p1:Ana's} {o1:Hart Hospital}",
    ] {
        assert_ne!(facts(one), facts(different), "{different}");
    }
}

/// A later text of a conversation keeps the names that an earlier one gave.
#[test]
fn known_names_are_kept() {
    let marked = marked("{p1:Ana Novak} and {p2:Eva}; {p1:Ana}");
    let key = inkveil_privacy::NoiseKey::insecure_from_seed(1);
    let known = |original: &str| (original == "Ana").then(|| "Karla".to_owned());
    let source = inkveil_entities::Source {
        lists: &crate::LISTS,
        key: &key,
        scope: Scope::Job,
        is_free: &|_, _| true,
        known: &known,
    };
    let identities =
        inkveil_entities::Identities::draw(&source, &marked.text, &marked.spans, &crate::resolve(&marked));
    assert!(identities.replacement(0).unwrap().starts_with("Karla "));
    assert_eq!(identities.replacement(2).as_deref(), Some("Karla"));
    assert_ne!(identities.replacement(1).as_deref(), Some("Karla"));
}

#[test]
fn spans_that_reach_into_their_surroundings_are_left_to_surrogates() {
    assert_eq!(replaced("It was he{p1:. Will} or {p2:Ana\n\nNovak}", 1, Scope::Job), ["", ""]);
}

#[test]
fn a_name_in_another_script_gets_one_in_the_same_script() {
    let names = [
        "Иван Петров",
        "Анна Сергеевна Смирнова",
        "王小红",
        "김민수",
        "田中",
        "Γιώργος Παπαδόπουλος",
        "محمد أحمد",
        "משה כהן",
    ];
    let letter: Vec<String> =
        names.iter().enumerate().map(|(n, name)| format!("{{p{}:{name}}}", n + 1)).collect();
    let letter = letter.join(", ");
    for seed in 0..100 {
        let words = replaced(&letter, seed, Scope::Document(seed));
        for (name, word) in names.iter().zip(&words) {
            assert!(
                ListedSpeech::of_name(word).is_some() && !word.contains(|c: char| c.is_ascii_alphabetic()),
                "{name}: {word}"
            );
            assert_eq!(word.split(' ').count(), name.split(' ').count(), "{name}: {word}");
        }
        let father = words[1].split(' ').nth(1).unwrap();
        assert!(father.ends_with("вна"), "{father}");
        assert!(words[2].chars().count() >= 2 && words[3].chars().count() >= 3, "{words:?}");
    }
    let reveals = |source: &str| crate::resolve(&marked(source)).reveals();
    assert!(reveals("{p1:Иван Петров}").contains(&Reveal::Script));
    assert!(!reveals("{p1:Ivan Petrov}").contains(&Reveal::Script));
}
