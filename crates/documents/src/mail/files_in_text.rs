//! Files inside the text of a mail: as uuencode, and as blocks such as keys and certificates.
//!
//! They are text for a veil, but a reader does not see what they hold, for example the name on a certificate.

use std::collections::BTreeMap;

/// Returns a text without the files in it, and how many there were.
pub(super) fn without_files(text: &str) -> (String, u64) {
    let (mut kept, mut count) = (String::with_capacity(text.len()), 0);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    // Where blocks end, by their labels, the last place first.
    let mut ends: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, line) in lines.iter().enumerate().rev() {
        if let Some(label) = label(line, "-----END ") {
            ends.entry(label).or_default().push(index);
        }
    }
    let mut at = 0;
    while at < lines.len() {
        match file_end(&lines, at, &mut ends) {
            Some(end) => {
                count += 1;
                at = end;
            }
            None => {
                kept.push_str(lines[at]);
                at += 1;
            }
        }
    }
    (kept, count)
}

/// The line behind the file that begins at a line.
fn file_end(lines: &[&str], at: usize, ends: &mut BTreeMap<&str, Vec<usize>>) -> Option<usize> {
    let first = lines.get(at)?;
    if is_uuencoded(first.trim_end()) && lines.get(at + 1).is_some_and(|line| is_data(line)) {
        // A file that was cut off ends with its last line of data.
        let data = at + 1 + lines[at + 1..].iter().take_while(|line| is_data(line)).count();
        let end = usize::from(lines.get(data).is_some_and(|line| line.trim_end() == "end"));
        return Some(data + end);
    }
    // A signed message has no end of its own, only its signature has. Its text stays.
    let places = ends.get_mut(label(first, "-----BEGIN ")?)?;
    while places.last().is_some_and(|place| *place < at) {
        places.pop();
    }
    places.last().map(|place| place + 1)
}

/// What a block is, for example `CERTIFICATE`, if a line begins or ends one.
fn label<'l>(line: &'l str, sign: &str) -> Option<&'l str> {
    line.trim_end().strip_prefix(sign)?.strip_suffix("-----")
}

/// Whether a line begins a file: `begin 644 name`.
fn is_uuencoded(line: &str) -> bool {
    let mut words = line.split(' ');
    words.next() == Some("begin")
        && words.next().is_some_and(|mode| {
            matches!(mode.len(), 3 | 4) && mode.bytes().all(|byte| matches!(byte, b'0'..=b'7'))
        })
        && words.next().is_some_and(|name| !name.is_empty())
}

/// Whether a line is data: its first character says how many bytes follow, and four characters hold three of them.
fn is_data(line: &str) -> bool {
    let line = line.trim_end_matches(['\r', '\n']).as_bytes();
    let Some((&first @ b' '..=b'`', rest)) = line.split_first() else { return false };
    let bytes = usize::from(first - b' ') % 64;
    let needed = bytes.div_ceil(3) * 4;
    // Blanks at the end are lost on the way, and some programs add a character.
    rest.iter().all(|byte| matches!(byte, b' '..=b'`'))
        && rest.len() <= needed + 1
        && rest.len() + 3 >= needed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_go_and_the_text_around_them_stays() {
        let text = "Hello\nbegin 644 ana.txt\n#0V%T\n`\nend\nSee you\nbegin 2024 with us\nend\n";
        assert_eq!(without_files(text), ("Hello\nSee you\nbegin 2024 with us\nend\n".to_owned(), 1));
        let text = "-----BEGIN PGP SIGNED MESSAGE-----\r\n\r\nHello\r\n-----BEGIN PGP SIGNATURE-----\r\nQW5h\r\n-----END PGP SIGNATURE-----\r\nBye";
        let kept = "-----BEGIN PGP SIGNED MESSAGE-----\r\n\r\nHello\r\nBye";
        assert_eq!(without_files(text), (kept.to_owned(), 1));
        let cut = "-----BEGIN CERTIFICATE-----\nno end";
        assert_eq!(without_files(cut), (cut.to_owned(), 0));
        assert_eq!(without_files("begin 644 a\nDear all,\n").1, 0);
    }
}
