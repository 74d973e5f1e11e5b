//! The layout of a text: its paragraphs and list items, and what is no prose and stays as it is.

use std::ops::Range;

/// A block of lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    /// Its bytes in the text, without the marker of a list item.
    pub(super) range: Range<usize>,
    /// Whether it is prose: no heading, quote, table or code.
    pub(super) is_prose: bool,
}

/// What the line before leaves open.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    Nothing,
    Paragraph,
    Item,
    /// Lines of a heading, a quote or a table.
    Fixed,
    /// Code between lines of this mark.
    Code(&'static str),
}

/// Returns the blocks of a text: paragraphs, list items, and runs of lines that are no prose. What lies between them is
/// white space and the markers of lists.
pub(super) fn blocks(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let (mut open, mut at) = (Open::Nothing, 0);
    for line in text.split_inclusive('\n') {
        let (start, end) = (at, at + line.len());
        at = end;
        let content = line.trim();
        let (before, block) = (open, |start, is_prose| Block { range: start..end, is_prose });
        let (after, new) = match before {
            Open::Code(mark) if content.starts_with(mark) => (Open::Nothing, None),
            Open::Code(_) => (before, None),
            _ if content.is_empty() => {
                open = Open::Nothing;
                continue;
            }
            _ => match (fence(content), item(content)) {
                (Some(mark), _) => (Open::Code(mark), Some(block(start, false))),
                _ if is_fixed(content) && before == Open::Fixed => (before, None),
                _ if is_fixed(content) => (Open::Fixed, Some(block(start, false))),
                // A number that begins a wrapped line is no marker.
                (_, Some(Item { length, numbered })) if !(numbered && before == Open::Paragraph) => {
                    let indent = line.len() - line.trim_start().len();
                    (Open::Item, Some(block(start + indent + length, true)))
                }
                _ if matches!(before, Open::Paragraph | Open::Item) => (before, None),
                _ => (Open::Paragraph, Some(block(start, true))),
            },
        };
        open = after;
        match (new, blocks.last_mut()) {
            (Some(new), _) => blocks.push(new),
            (None, Some(last)) => last.range.end = end,
            (None, None) => {}
        }
    }
    blocks
}

/// The mark of a line that begins or ends code.
fn fence(line: &str) -> Option<&'static str> {
    ["```", "~~~"].into_iter().find(|mark| line.starts_with(mark))
}

/// Whether a line is a heading, a quote or a row of a table.
fn is_fixed(line: &str) -> bool {
    let heading = line.trim_start_matches('#');
    let is_heading = heading.len() < line.len() && heading.starts_with(' ');
    is_heading || line.starts_with('>') || (line.starts_with('|') && line.matches('|').count() > 1)
}

/// The marker of a list item.
struct Item {
    /// Its bytes, with the space after it.
    length: usize,
    numbered: bool,
}

fn item(line: &str) -> Option<Item> {
    if let Some(rest) = ["- ", "* ", "+ ", "• "].into_iter().find_map(|marker| line.strip_prefix(marker)) {
        return Some(Item { length: line.len() - rest.len(), numbered: false });
    }
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = line.len() - rest.len();
    let rest = rest.strip_prefix(['.', ')'])?.strip_prefix(' ')?;
    (1..=3).contains(&digits).then_some(Item { length: line.len() - rest.len(), numbered: true })
}

/// Returns the links and the code within a passage. A rewrite must have them unchanged.
pub(super) fn fixed_parts(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    for (at, _) in text.match_indices("://") {
        // The scheme, such as https.
        let start = text[..at]
            .rfind(|c: char| !c.is_ascii_alphanumeric())
            .map_or(0, |before| before + text[before..].chars().next().map_or(1, char::len_utf8));
        if start == at {
            continue;
        }
        let rest = &text[start..];
        let end = rest.find(|c: char| c.is_whitespace() || "()<>[]\"'`".contains(c)).unwrap_or(rest.len());
        parts.push(rest[..end].trim_end_matches(['.', ',', ';', ':', '!', '?']));
    }
    // Code with its marks, so that a word is no code.
    let marks: Vec<usize> = text.match_indices('`').map(|(at, _)| at).collect();
    let code = marks.chunks_exact(2).filter(|pair| pair[1] > pair[0] + 1);
    parts.extend(code.filter_map(|pair| text.get(pair[0]..=pair[1])));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Vec<(&str, bool)> {
        blocks(text).into_iter().map(|block| (text[block.range].trim(), block.is_prose)).collect()
    }

    #[test]
    fn headings_quotes_tables_and_code_are_no_prose() {
        let text = "# The title\nWe went home.\nIt rained.\n\n> He wrote this.\n> And this.\nI did not.\n\n\
            | a | b |\n|---|---|\n\n```sh\nrun this\n\n# and this\n```\nThe end. #no heading\n";
        assert_eq!(
            parts(text),
            [
                ("# The title", false),
                ("We went home.\nIt rained.", true),
                ("> He wrote this.\n> And this.", false),
                ("I did not.", true),
                ("| a | b |\n|---|---|", false),
                ("```sh\nrun this\n\n# and this\n```", false),
                ("The end. #no heading", true),
            ]
        );
        assert_eq!(parts("```\nnever closed\n\nat all"), [("```\nnever closed\n\nat all", false)]);
    }

    #[test]
    fn list_items_are_blocks_without_their_markers() {
        let text = "Bring:\n- some tea\n  and milk\n* bread\n\n1. Go there.\n2) Come back on page\n12. That was it.\n";
        let expected =
            ["Bring:", "some tea\n  and milk", "bread", "Go there.", "Come back on page", "That was it."];
        assert_eq!(parts(text), expected.map(|part| (part, true)));
        assert_eq!(parts("It is on page\n12. That was it."), [("It is on page\n12. That was it.", true)]);
        assert_eq!(parts("-no item\n1.5 litres"), [("-no item\n1.5 litres", true)]);
        assert_eq!(blocks("  - tea")[0].range, 4..7);
    }

    #[test]
    fn links_and_code_are_fixed() {
        assert_eq!(
            fixed_parts(
                "See [it](https://a.example/x?y=1), or http://b.example. Run `cargo test` – ‘ü://’ it`s"
            ),
            ["https://a.example/x?y=1", "http://b.example", "`cargo test`"]
        );
        assert!(fixed_parts("No link: at 10:30 it`s fine.").is_empty());
    }
}
