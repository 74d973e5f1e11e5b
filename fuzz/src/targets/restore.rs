//! Any text with any map: restored in pieces it is the same as restored at once, and JSON stays JSON.

use inkveil_restore::{PieceRestorer, ReplacementMap, RestoreOptions, Restorer};

use super::BORDER;

/// The kinds of the pairs, in turn.
const KINDS: [&str; 5] = ["person", "date", "money", "location", "id"];

pub fn run(bytes: &[u8]) {
    let Some((how, rest)) = bytes.split_first() else { return };
    let input = String::from_utf8_lossy(rest);
    let parts: Vec<&str> = input.split(BORDER).collect();
    let Some((text, pairs)) = parts.split_last() else { return };
    let mut builder = ReplacementMap::builder();
    for (index, pair) in pairs.chunks_exact(2).enumerate() {
        let _ = builder.add(pair[0], pair[1], KINDS[index % KINDS.len()]);
    }
    let json = how & 1 != 0;
    let options = RestoreOptions::default().parts(how & 2 != 0).json(json);
    let restorer = Restorer::new(&builder.build(), options).expect("a small map");
    let (whole, _) = restorer.restore_text(text);
    if json && super::is_json(text) {
        assert!(super::is_json(&whole), "JSON is broken");
    }
    // Pieces of 1 to 16 characters.
    let (mut pieces, mut joined) = (PieceRestorer::new(&restorer), String::new());
    let size = usize::from(how >> 4) + 1;
    let chars: Vec<char> = text.chars().collect();
    for piece in chars.chunks(size) {
        joined.push_str(&pieces.push(&piece.iter().collect::<String>()));
    }
    joined.push_str(&pieces.finish());
    assert_eq!(whole, joined);
}
