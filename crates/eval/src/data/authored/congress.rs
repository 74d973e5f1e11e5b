//! Tweets of members, committees and groups of the US Congress.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use flate2::read::GzDecoder;
use inkveil_nn::SplitMix;
use serde::Deserialize;

use super::passage::fitting;
use super::text::{AuthoredText, FoundTexts};
use crate::Error;

/// The number of accounts, those with the most tweets.
const ACCOUNTS: usize = 50;

/// The most bytes of an unpacked archive.
const MOST: u64 = 1 << 30;

/// The block size of tar archives.
const BLOCK: usize = 512;

#[derive(Deserialize)]
struct Tweet {
    id: String,
    screen_name: String,
    text: String,
}

pub(super) fn read(corpus: &Path, seed: u64) -> Result<FoundTexts, Error> {
    let archive = corpus.join("tweets.tar.gz");
    let mut accounts: BTreeMap<String, Vec<AuthoredText>> = BTreeMap::new();
    for tweet in unpacked(&archive)? {
        let mut random = SplitMix::named(seed, &tweet.id, &[]);
        let Some(text) = own(&tweet.text).and_then(|text| fitting(text, &mut random)) else { continue };
        let row = AuthoredText { author: tweet.screen_name.clone(), label: None, text: text.to_owned() };
        accounts.entry(tweet.screen_name).or_default().push(row);
    }
    let mut accounts: Vec<Vec<AuthoredText>> = accounts.into_values().collect();
    // The sort is stable, so accounts with the same number of tweets are in alphabetical order.
    accounts.sort_by_key(|rows| std::cmp::Reverse(rows.len()));
    accounts.truncate(ACCOUNTS);
    Ok((accounts.into_iter().flatten().collect(), vec![archive]))
}

/// The tweets of all files in the archive, one list after the other.
fn unpacked(archive: &Path) -> Result<Vec<Tweet>, Error> {
    let failed = |error: std::io::Error| Error::io("unpack the archive", error).in_file(archive);
    let mut bytes = Vec::new();
    let file = File::open(archive).map_err(|error| Error::io("read the archive", error).in_file(archive))?;
    GzDecoder::new(file).take(MOST).read_to_end(&mut bytes).map_err(failed)?;
    let mut all = Vec::new();
    for day in contents(&bytes).ok_or_else(|| Error::format("not a tar archive").in_file(archive))? {
        let tweets: Vec<Tweet> = serde_json::from_slice(day)
            .map_err(|_| Error::format("a file in the archive is not a list of tweets").in_file(archive))?;
        all.extend(tweets);
    }
    Ok(all)
}

/// The contents of the files of a tar archive; none if it is not one. A header of 512 bytes has the
/// length in octal digits and the kind; the file follows, padded to 512 bytes.
fn contents(mut archive: &[u8]) -> Option<Vec<&[u8]>> {
    let mut all = Vec::new();
    while !archive.is_empty() {
        let (header, rest) = archive.split_at_checked(BLOCK)?;
        if header.iter().all(|byte| *byte == 0) {
            break;
        }
        let digits = std::str::from_utf8(&header[124..136]).ok()?.trim_matches(['\0', ' ']);
        let length = usize::from_str_radix(digits, 8).ok()?;
        let file = rest.get(..length)?;
        // Folders and links have other kinds.
        if matches!(header[156], b'0' | 0) {
            all.push(file);
        }
        archive = rest.get(length.checked_next_multiple_of(BLOCK)?..)?;
    }
    Some(all)
}

/// The account's own words: nothing of a retweet, and no quoted tweet.
fn own(text: &str) -> Option<&str> {
    let text = text.trim();
    if text.starts_with("RT @") {
        return None;
    }
    Some(text.find("QT @").map_or(text, |at| text[..at].trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_an_archive_are_found_and_damaged_archives_are_refused() {
        let entry = |kind: u8, text: &str| {
            let mut block = vec![0; BLOCK];
            block[124..136].copy_from_slice(format!("{:011o}\0", text.len()).as_bytes());
            block[156] = kind;
            block.extend(text.bytes());
            block.resize(block.len().next_multiple_of(BLOCK), 0);
            block
        };
        let long = "tea ".repeat(200);
        let archive = [entry(b'5', ""), entry(b'0', "rain"), entry(0, &long), vec![0; 2 * BLOCK]].concat();
        assert_eq!(contents(&archive).unwrap(), [b"rain".as_slice(), long.as_bytes()]);
        assert_eq!(contents(&archive[..3 * BLOCK + 100]), None);
        assert_eq!(contents(&[7; BLOCK]), None);
        assert_eq!(contents(&[]).unwrap().len(), 0);
    }

    #[test]
    fn retweets_and_quotes_are_removed() {
        assert_eq!(own("RT @someone Good morning"), None);
        assert_eq!(
            own(" So true. http://a.example QT @someone Tea is good "),
            Some("So true. http://a.example")
        );
        assert_eq!(own("QT @someone Tea is good"), Some(""));
        assert_eq!(own("Just tea"), Some("Just tea"));
    }
}
