use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use inkveil_detect::rules::RuleSet;
use proptest::prelude::*;

use super::*;
use crate::ShapeLevel;
use crate::testing::words;

static RULES: LazyLock<RuleSet> = LazyLock::new(RuleSet::builtin);
static SURROGATES: LazyLock<Surrogates> = LazyLock::new(|| {
    let pack = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/en"));
    Surrogates::open(&pack.join(Surrogates::FILE)).unwrap()
});

fn draw_at(level: ShapeLevel, kind: &Kind, text: &str, seed: u64) -> String {
    SURROGATES.draw(&Shape::of(text, kind, level), words(seed))
}

fn draw(kind: &Kind, text: &str, seed: u64) -> String {
    draw_at(ShapeLevel::Exact, kind, text, seed)
}

/// Returns whether a rule finds the whole value as its kind, in a sentence.
fn is_found(kind: &Kind, before: &str, value: &str) -> bool {
    let text = format!("{before}{value}");
    let mut found = Vec::new();
    RULES.find(&text, &mut found);
    found.iter().any(|span| {
        span.kind == *kind && span.score >= 0.5 && span.start <= before.len() && span.end >= text.len()
    })
}

/// For each kind, the text before a value, and originals whose surrogates the rules must find as that
/// kind.
const FOUND: &[(Kind, &str, &[&str])] = &[
    (Kind::Username, "follow ", &["@river_fox92"]),
    (Kind::Age, "she is ", &["47 years old", "a 3-month-old", "47 y/o", "forty-seven years old"]),
    (Kind::Age, "aged ", &["47"]),
    (
        Kind::PostalCode,
        "zip code ",
        &["94110", "94110-1234", "SW1A 2AA", "m1 1ae", "K1A 0B1", "1234 AB", "12-345"],
    ),
    (Kind::Coordinates, "at ", &["40.7128, -74.0060", "40.712800,-74.006000", "40°26'46\"N 79°58'56\"W"]),
    (
        Kind::Date,
        "born on ",
        &[
            "31/12/1999",
            "12/31/1999",
            "3/4/2020",
            "2020-01-31",
            "2020-01-31T12:30:45Z",
            "31.12.1999",
            "12 March 1987",
            "March 12th, 1987",
            "Mar 3, 2021",
            "the 3rd of May",
            "Tuesday, 4 June 2019",
            "12 MAR 1987",
        ],
    ),
    (Kind::Time, "at ", &["14:30", "9:15 pm", "23:59:59", "2 PM", "5 o'clock", "14h30"]),
    (Kind::Email, "write to ", &["anna@keller.de", "anything"]),
    (
        Kind::Phone,
        "call ",
        &[
            "+44 20 7946 0018",
            "+1 415 555 0123",
            "(415) 555-0123",
            "415-555-0123",
            "020 7946 0018",
            "+359 88 123 4567",
        ],
    ),
    (Kind::Url, "see ", &["https://a.org/b/c", "http://a.org", "www.a.org", "a.org/x"]),
    (Kind::IpAddress, "from ", &["10.0.0.1", "2001:db8::1", "10.0.0.0/8"]),
    (Kind::MacAddress, "card ", &["00:1A:2B:3C:4D:5E", "001a.2b3c.4d5e"]),
    (Kind::Imei, "imei ", &["490154203237518", "49-015420-323751-8"]),
    (Kind::UserAgent, "agent ", &["Mozilla"]),
    (
        Kind::CreditCard,
        "paid with ",
        &[
            "4111 1111 1111 1111",
            "378282246310005",
            "3782 822463 10005",
            "5500-0055-5555-5559",
            "4222222222222",
        ],
    ),
    (Kind::CreditCard, "card ", &["**** **** **** 1234", "xxxx-xxxx-xxxx-1234"]),
    (Kind::CardCode, "cvv ", &["123", "1234"]),
    (Kind::CardCode, "expires ", &["12/27", "03/2028"]),
    (
        Kind::Iban,
        "to ",
        &[
            "GB82 WEST 1234 5698 7654 32",
            "DE89370400440532013000",
            "NO93 8601 1117 947",
            "nl91abna0417164300",
        ],
    ),
    (Kind::BankCode, "swift code ", &["DEUTDEFF", "DEUTDEFF500"]),
    (Kind::BankCode, "routing number ", &["021000021"]),
    (Kind::BankCode, "sort code ", &["12-34-56"]),
    (Kind::BankAccount, "account number ", &["12345678"]),
    (Kind::Money, "paid ", &["$1,204.50", "1.204,50 €", "CHF 500", "5 million dollars", "£20", "12 euros"]),
    (
        Kind::Crypto,
        "send to ",
        &[
            "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
            "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy",
            "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
            "BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4",
            "0xde709f2102306220921060314715629080e2fb77",
            "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh",
            "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
        ],
    ),
    (Kind::NationalId, "ssn ", &["078-05-1120"]),
    (Kind::Vin, "", &["1HGCM82633A004352", "wdb1240511b123456"]),
    (Kind::Plate, "", &["AB12 CDE"]),
    (Kind::Id, "order number ", &["INV-2020-001", "12345678"]),
    (Kind::Id, "", &["123e4567-e89b-42d3-a456-426614174000"]),
    (Kind::Password, "password: ", &["hunter22", "correct horse"]),
    (Kind::Secret, "", &["-----BEGIN KEY-----"]),
];

#[test]
fn the_rules_find_surrogates_as_their_kind() {
    let mut missed = Vec::new();
    for (kind, before, texts) in FOUND {
        for text in *texts {
            for level in [ShapeLevel::Coarse, ShapeLevel::Exact] {
                let mut values = (0..40).map(|seed| draw_at(level, kind, text, seed));
                let first = values.find(|value| !is_found(kind, before, value));
                missed.extend(first.map(|value| format!("{level}: {before}{value} for {text}")));
            }
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn the_rules_find_most_surrogates_of_keys() {
    let found = (0..200).filter(|seed| {
        is_found(
            &Kind::Secret,
            "api_key = ",
            &draw(&Kind::Secret, "q7Rk2mZx9TbW4cYh8LnD3vGs6JfP1aEd5Uo", *seed),
        )
    });
    let found = found.count();
    assert!(found > 190, "{found}");
}

#[test]
fn texts_of_the_same_shape_have_the_same_surrogates() {
    for (kind, one, other) in [
        (Kind::Person, "Anna Keller", "John Smith"),
        (Kind::Date, "12 March 1987", "30 April 2001"),
        (Kind::Phone, "+44 20 7946 0018", "+49 30 1234 5678"),
        (Kind::CreditCard, "4111 1111 1111 1111", "5500 0055 5555 5559"),
        (Kind::Email, "anna@keller.de", "j.smith@work.example"),
        (Kind::Money, "$1,204.50", "$9,871.03"),
        (Kind::Location, "Lisbon", "Ghana"),
        (Kind::Custom("ward".into()), "Ward-12", "Unit-98"),
    ] {
        assert_eq!(draw(&kind, one, 5), draw(&kind, other, 5), "{kind}");
        assert_ne!(draw(&kind, one, 5), draw(&kind, one, 6), "{kind}");
    }
}

#[test]
fn surrogates_of_kinds_with_many_values_vary() {
    let texts = [
        (Kind::Person, "Anna Keller"),
        (Kind::Organisation, "Acme Ltd"),
        (Kind::Location, "Lisbon"),
        (Kind::Address, "12 Elm Road, Leeds"),
        (Kind::Date, "12 March 1987"),
        (Kind::Email, "a@b.de"),
        (Kind::Phone, "+44 20 7946 0018"),
        (Kind::CreditCard, "4111 1111 1111 1111"),
        (Kind::Username, "anna"),
    ];
    for (kind, text) in texts {
        let values: HashSet<String> = (0..100).map(|seed| draw(&kind, text, seed)).collect();
        assert!(values.len() > 80, "{kind}: {}", values.len());
    }
}

#[test]
fn a_constant_random_stream_does_not_hang() {
    for kind in Kind::ALL {
        for level in ShapeLevel::ALL {
            for word in [0, 1, u64::MAX] {
                assert!(!SURROGATES.draw(&Shape::of("A-12", kind, level), move || word).is_empty());
            }
        }
    }
}

fn kinds() -> impl Strategy<Value = Kind> {
    let custom = Kind::Custom("ward".into());
    proptest::sample::select(Kind::ALL.iter().cloned().chain([custom]).collect::<Vec<_>>())
}

/// Returns another character of the same class, which changes the content but not the pattern.
fn another(c: char) -> char {
    match c {
        '0'..='9' => '7',
        'A'..='Z' => 'R',
        'a'..='z' => 'r',
        other => other,
    }
}

/// The share of random identifiers of 16 letters and digits that no other one resembles.
/// `examples/unique_shapes.rs` prints it for more of them.
#[test]
fn random_identifiers_are_not_unique_by_their_coarse_shape() {
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let mut dice = crate::dice::Dice::new(words(1));
    let identifiers: Vec<String> = (0..20_000).map(|_| dice.string_of(letters, 16)).collect();
    let unique = |level| {
        let mut shapes: HashMap<Shape, usize> = HashMap::new();
        for identifier in &identifiers {
            *shapes.entry(Shape::of(identifier, &Kind::Id, level)).or_default() += 1;
        }
        shapes.values().filter(|count| **count == 1).count() as f64 / identifiers.len() as f64
    };
    assert!(unique(ShapeLevel::Exact) > 0.5, "{}", unique(ShapeLevel::Exact));
    assert!(unique(ShapeLevel::Coarse) < 0.001, "{}", unique(ShapeLevel::Coarse));
    assert_eq!(unique(ShapeLevel::Kind), 0.0);
}

/// Texts of many formats, so that equal shapes are common.
fn originals() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[A-Za-z0-9]{16}",
        "[A-Z]{2,4}-[0-9]{2,8}",
        "[0-9]{1,2}[/.-][0-9]{1,2}[/.-](19|20)[0-9]{2}",
        "[A-Z][a-z]{2,8}( [A-Z][a-z]{2,8}){0,2}",
        "[+]?[0-9]{2,3} [0-9]{3,4} [0-9]{3,4}",
        "[$€£]?[0-9]{1,7}([.][0-9]{2})?",
        "[-+(0-9A-Za-z .,:/@'#$€\n]{0,40}",
    ]
}

fn levels() -> impl Strategy<Value = ShapeLevel> {
    proptest::sample::select(ShapeLevel::ALL.to_vec())
}

proptest! {
    /// The generator receives the shape and nothing else, so with the same random words two originals of
    /// the same shape have the same surrogate.
    #[test]
    fn originals_of_the_same_kind_and_shape_have_the_same_surrogates(
        one in originals(), other in originals(), kind in kinds(), seed in any::<u64>()
    ) {
        for level in ShapeLevel::ALL {
            let shapes = [&one, &other].map(|text| Shape::of(text, &kind, level));
            let values = shapes.each_ref().map(|shape| SURROGATES.draw(shape, words(seed)));
            if shapes[0] == shapes[1] {
                prop_assert_eq!(&values[0], &values[1]);
            }
            prop_assert!(level != ShapeLevel::Kind || shapes[0] == shapes[1]);
        }
    }

    /// A surrogate tells no more about its original than the shape does: its own shape is the same.
    #[test]
    fn a_coarse_code_has_the_shape_of_its_original(text in "[A-Za-z0-9]{1,40}([-_/][A-Za-z0-9]{1,20}){0,3}", seed in any::<u64>()) {
        let kind = Kind::Custom("ward".into());
        let places = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count().next_power_of_two();
        let value = draw_at(ShapeLevel::Coarse, &kind, &text, seed);
        let separators = |text: &str| text.chars().filter(|c| !c.is_alphanumeric()).collect::<String>();
        prop_assert_eq!(separators(&value), separators(&text));
        prop_assert!(places(&value) >= places(&text).min(64));
    }

    #[test]
    fn any_text_of_any_kind_has_a_surrogate(
        text in any::<String>(), kind in kinds(), level in levels(), seed in any::<u64>()
    ) {
        let value = draw_at(level, &kind, &text, seed);
        prop_assert!(!value.trim().is_empty());
        prop_assert!(value.len() < 1000);
        prop_assert_eq!(value, draw_at(level, &kind, &text, seed));
    }

    #[test]
    fn texts_that_resemble_a_format_have_surrogates(
        text in "[-+(0-9A-Za-z .,:/@'#$€\n]{0,40}", kind in kinds(), seed in any::<u64>()
    ) {
        prop_assert!(!draw(&kind, &text, seed).trim().is_empty());
    }

    #[test]
    fn codes_of_the_same_pattern_have_the_same_surrogates(text in "[0-9A-Zg-z./ -]{1,30}", seed in any::<u64>()) {
        let other: String = text.chars().map(another).collect();
        let hexadecimal = |text: &str| !text.contains(|c: char| matches!(c, 'G'..='Z' | 'g'..='z'));
        prop_assume!(hexadecimal(&text) == hexadecimal(&other));
        for kind in [Kind::Id, Kind::Passport, Kind::MedicalRecord, Kind::NationalId, Kind::Custom("ward".into())] {
            prop_assert_eq!(draw(&kind, &text, seed), draw(&kind, &other, seed));
        }
    }

    #[test]
    fn no_character_of_a_foreign_script_passes(
        marked in "[\u{4e00}-\u{4e20}\u{1f980}-\u{1f990}α-ω]{1,20}", kind in kinds(), seed in any::<u64>()
    ) {
        let text = format!("{marked} {marked}-{marked}");
        for level in ShapeLevel::ALL {
            let value = draw_at(level, &kind, &text, seed);
            // A person gets a name from a list of the same script, and two names may share letters.
            let from_list = |c: char| kind == Kind::Person && c.is_alphabetic();
            prop_assert!(!value.contains(|c: char| marked.contains(c) && !from_list(c)), "{kind}");
        }
    }
}
