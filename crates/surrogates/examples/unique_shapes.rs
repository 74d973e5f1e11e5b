//! Prints the share of random identifiers that are unique by their shape alone, at each level.
//!
//! `cargo run --release -p inkveil-surrogates --example unique_shapes -- [COUNT] [LENGTH] [SEED]`
//! (default: 1000000 identifiers of 16 letters and digits, seed 1).

#![allow(clippy::print_stdout)]

use std::collections::HashMap;

use inkveil_detect::Kind;
use inkveil_surrogates::{Shape, ShapeLevel};

const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

fn main() {
    let mut numbers = std::env::args().skip(1).map_while(|number| number.parse::<u64>().ok());
    let (count, length) = (numbers.next().unwrap_or(1_000_000), numbers.next().unwrap_or(16));
    let mut state = numbers.next().unwrap_or(1);
    let identifiers: Vec<String> =
        (0..count).map(|_| (0..length).map(|_| letter(&mut state)).collect()).collect();
    println!("{count} random identifiers of {length} letters and digits");
    for level in ShapeLevel::ALL {
        let mut shapes: HashMap<Shape, u64> = HashMap::new();
        for identifier in &identifiers {
            *shapes.entry(Shape::of(identifier, &Kind::Id, level)).or_default() += 1;
        }
        let unique = shapes.values().filter(|count| **count == 1).count();
        let share = 100.0 * unique as f64 / count as f64;
        println!("{level:<7} {share:7.3} % unique by shape, {} different shapes", shapes.len());
    }
}

/// SplitMix64, which is good enough for a figure.
fn letter(state: &mut u64) -> char {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut word = *state;
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    let at = ((word ^ (word >> 31)) % LETTERS.len() as u64) as usize;
    char::from(LETTERS.get(at).copied().unwrap_or(b'0'))
}
