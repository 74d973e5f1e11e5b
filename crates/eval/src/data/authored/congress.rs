//! Tweets of members, committees and groups of the US Congress.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use inkveil_nn::SplitMix;
use serde::Deserialize;

use super::passage::fitting;
use crate::Outcome;
use crate::files::Row;

/// So many accounts, those with the most tweets.
const ACCOUNTS: usize = 50;

#[derive(Deserialize)]
struct Tweet {
    id: String,
    screen_name: String,
    text: String,
}

pub(super) fn read(corpus: &Path, seed: u64) -> Outcome<Vec<Row>> {
    let mut accounts: BTreeMap<String, Vec<Row>> = BTreeMap::new();
    for tweet in unpacked(&corpus.join("tweets.tar.gz"))? {
        let mut random = SplitMix::named(seed, &tweet.id, &[]);
        let Some(text) = own(&tweet.text).and_then(|text| fitting(text, &mut random)) else { continue };
        let row = Row { id: tweet.id, author: tweet.screen_name.clone(), label: None, text: text.to_owned() };
        accounts.entry(tweet.screen_name).or_default().push(row);
    }
    let mut accounts: Vec<Vec<Row>> = accounts.into_values().collect();
    // The sort is stable: of equally many tweets the order of names decides.
    accounts.sort_by_key(|rows| std::cmp::Reverse(rows.len()));
    accounts.truncate(ACCOUNTS);
    Ok(accounts.into_iter().flatten().collect())
}

/// One list of tweets after the other, as `tar` writes the files of the archive.
fn unpacked(archive: &Path) -> Outcome<Vec<Tweet>> {
    let output = Command::new("tar").arg("-xzOf").arg(archive).output()?;
    if !output.status.success() {
        return Err(format!("{}: tar could not unpack it", archive.display()).into());
    }
    let days = serde_json::Deserializer::from_slice(&output.stdout).into_iter::<Vec<Tweet>>();
    let days: Vec<Vec<Tweet>> = days
        .collect::<Result<_, _>>()
        .map_err(|_| format!("{}: a file in it is no list of tweets", archive.display()))?;
    Ok(days.into_iter().flatten().collect())
}

/// What the account wrote itself: nothing of a retweet, and not what a tweet quotes.
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
    fn only_own_words_count() {
        assert_eq!(own("RT @someone Good morning"), None);
        assert_eq!(
            own(" So true. http://a.example QT @someone Tea is good "),
            Some("So true. http://a.example")
        );
        assert_eq!(own("QT @someone Tea is good"), Some(""));
        assert_eq!(own("Just tea"), Some("Just tea"));
    }
}
