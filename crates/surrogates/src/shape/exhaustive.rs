//! Shapes of all short texts: what a shape reads, checked case by case.

use std::collections::HashMap;

use inkveil_detect::Kind;

use super::runs::bucketed;
use super::{Shape, ShapeLevel};

/// Returns all texts of up to `longest` characters of an alphabet.
fn texts(alphabet: &[char], longest: usize) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut last = all.clone();
    for _ in 0..longest {
        last = last.iter().flat_map(|text| alphabet.iter().map(move |c| format!("{text}{c}"))).collect();
        all.extend(last.iter().cloned());
    }
    all
}

/// A coarse shape follows from the exact one, and the shape of a kind from nothing, so no level keeps
/// more than the next.
#[test]
fn each_level_is_a_function_of_the_next_for_all_short_texts() {
    let all = texts(&['a', 'B', '7', '-', ' ', '.', '/'], 4);
    for kind in Kind::ALL.iter().chain([&Kind::Custom("ward".into())]) {
        let mut coarse: HashMap<Shape, Shape> = HashMap::new();
        for text in &all {
            let of = |level| Shape::of(text, kind, level);
            let found = coarse.entry(of(ShapeLevel::Exact)).or_insert_with(|| of(ShapeLevel::Coarse));
            assert_eq!(*found, of(ShapeLevel::Coarse), "{kind}: {text:?}");
            assert_eq!(of(ShapeLevel::Kind), Shape::of("", kind, ShapeLevel::Kind), "{kind}: {text:?}");
        }
    }
}

/// The exact shape of a code reads the class of each character and its signs. Which digit and which
/// letter of a class it is does not matter.
#[test]
fn codes_are_read_by_classes_for_all_short_texts() {
    let class = |c: char| match c {
        '0'..='9' => '0',
        'a'..='f' => 'a',
        'g'..='z' => 'g',
        'A'..='F' => 'A',
        'G'..='Z' => 'G',
        sign => sign,
    };
    let kinds = [
        Kind::PostalCode,
        Kind::Imei,
        Kind::CreditCard,
        Kind::CardCode,
        Kind::Iban,
        Kind::MedicalRecord,
        Kind::BankCode,
        Kind::NationalId,
        Kind::Passport,
        Kind::DriverLicence,
        Kind::Plate,
        Kind::Id,
        Kind::Custom("ward".into()),
    ];
    let all = texts(&['0', '7', 'b', 'e', 'k', 'x', 'B', 'E', 'K', 'X', '-', ' '], 4);
    for kind in kinds {
        let mut shapes: HashMap<String, Shape> = HashMap::new();
        for text in &all {
            let classes: String = text.chars().map(class).collect();
            let shape = Shape::of(text, &kind, ShapeLevel::Exact);
            assert_eq!(*shapes.entry(classes).or_insert_with(|| shape.clone()), shape, "{kind}: {text:?}");
        }
    }
}

/// A coarse code keeps a bucket of its length: 1–2, 3–4, 5–8, 9–16, 17–32 or more.
#[test]
fn there_are_six_buckets_of_lengths() {
    let bucket = |length: usize| [2, 4, 8, 16, 32].into_iter().find(|most| length <= *most).unwrap_or(64);
    assert!((1..=4096).all(|length| bucketed(length) == bucket(length)));
}
