//! Versions of Python packages, ordered as PEP 440 says.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// A version such as `1.2.0rc1`. A local part (`+cpu`) counts last.
#[derive(Debug, Clone)]
pub(crate) struct Version {
    text: String,
    epoch: u64,
    release: Vec<u64>,
    /// Phase (a, b, rc) and number; none for a final release.
    pre: Option<(Phase, u64)>,
    post: Option<u64>,
    dev: Option<u64>,
    local: Vec<LocalPart>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    Alpha,
    Beta,
    Candidate,
}

/// Words come before numbers.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum LocalPart {
    Word(String),
    Number(u64),
}

/// A text is not a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NotAVersion;

impl Version {
    /// Whether this is a release for everyone.
    pub(crate) fn is_final(&self) -> bool {
        self.pre.is_none() && self.dev.is_none()
    }

    /// What decides the order: a development version comes before its pre-releases, these before the final one.
    fn key(&self) -> impl Ord + '_ {
        let zeros = self.release.iter().rev().take_while(|n| **n == 0).count();
        let release = &self.release[..self.release.len() - zeros];
        let pre = match (self.pre, self.post, self.dev) {
            (Some((phase, number)), ..) => (1, Some(phase), number),
            (None, None, Some(_)) => (0, None, 0),
            (None, ..) => (2, None, 0),
        };
        let post = self.post.map_or(0, |n| n.saturating_add(1));
        let dev = self.dev.unwrap_or(u64::MAX);
        (self.epoch, release, pre, post, dev, &self.local)
    }
}

impl PartialEq for Version {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Version {}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for Version {
    type Err = NotAVersion;

    fn from_str(text: &str) -> Result<Self, NotAVersion> {
        let text = text.trim().to_ascii_lowercase();
        if text.len() > 100 || !text.is_ascii() {
            return Err(NotAVersion);
        }
        let mut rest = Rest(text.strip_prefix('v').unwrap_or(&text));
        let mut epoch = 0;
        let mut release = vec![rest.number().ok_or(NotAVersion)?];
        if rest.take("!") {
            epoch = release[0];
            release[0] = rest.number().ok_or(NotAVersion)?;
        }
        while rest.0.starts_with('.') && rest.0[1..].starts_with(|c: char| c.is_ascii_digit()) {
            rest.take(".");
            release.push(rest.number().ok_or(NotAVersion)?);
        }
        let pre = rest.labelled(&[
            ("alpha", Phase::Alpha),
            ("a", Phase::Alpha),
            ("beta", Phase::Beta),
            ("b", Phase::Beta),
            ("preview", Phase::Candidate),
            ("pre", Phase::Candidate),
            ("rc", Phase::Candidate),
            ("c", Phase::Candidate),
        ]);
        let post = match rest.0.strip_prefix('-') {
            // `1.0-1` is an old way to write `1.0.post1`.
            Some(digits) if digits.starts_with(|c: char| c.is_ascii_digit()) => {
                rest.take("-");
                rest.number()
            }
            _ => rest.labelled(&[("post", ()), ("rev", ()), ("r", ())]).map(|(_, number)| number),
        };
        let dev = rest.labelled(&[("dev", ())]).map(|(_, number)| number);
        let local = if rest.take("+") { rest.local().ok_or(NotAVersion)? } else { Vec::new() };
        if !rest.0.is_empty() {
            return Err(NotAVersion);
        }
        Ok(Self { epoch, release, pre, post, dev, local, text })
    }
}

/// What has not been read yet; ASCII only, so it can be cut anywhere.
struct Rest<'a>(&'a str);

impl Rest<'_> {
    fn take(&mut self, start: &str) -> bool {
        match self.0.strip_prefix(start) {
            Some(rest) => {
                self.0 = rest;
                true
            }
            None => false,
        }
    }

    fn number(&mut self) -> Option<u64> {
        let end = self.0.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.0.len());
        let (digits, rest) = self.0.split_at(end);
        let number = digits.parse().ok()?;
        self.0 = rest;
        Some(number)
    }

    /// A label with a number, both with separators before them: `.post2`, `rc1`, `-dev`.
    fn labelled<T: Copy>(&mut self, labels: &[(&str, T)]) -> Option<(T, u64)> {
        let bare = self.0.strip_prefix(['.', '-', '_']).unwrap_or(self.0);
        let (rest, meaning) =
            labels.iter().find_map(|(label, meaning)| Some((bare.strip_prefix(label)?, *meaning)))?;
        self.0 = rest;
        let number = rest.strip_prefix(['.', '-', '_']).unwrap_or(rest);
        if number.starts_with(|c: char| c.is_ascii_digit()) {
            self.0 = number;
        }
        Some((meaning, self.number().unwrap_or(0)))
    }

    fn local(&mut self) -> Option<Vec<LocalPart>> {
        let parts = std::mem::take(&mut self.0);
        parts
            .split(['.', '-', '_'])
            .map(|part| match part.parse() {
                _ if part.is_empty() || !part.bytes().all(|b| b.is_ascii_alphanumeric()) => None,
                Ok(number) => Some(LocalPart::Number(number)),
                Err(_) => Some(LocalPart::Word(part.to_owned())),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> Version {
        text.parse().unwrap_or_else(|_| panic!("{text}"))
    }

    #[test]
    fn the_order_of_pep_440() {
        let ordered = [
            "1.0.dev1",
            "1.0a1.dev1",
            "1.0a1",
            "1.0a2",
            "1.0b1",
            "1.0rc1",
            "1.0",
            "1.0+cpu",
            "1.0+5",
            "1.0.post1.dev1",
            "1.0.post1",
            "1.0.1",
            "1.1",
            "1.10",
            "2.0",
            "1!0.1",
        ];
        for pair in ordered.windows(2) {
            assert!(version(pair[0]) < version(pair[1]), "{pair:?}");
        }
    }

    #[test]
    fn ways_to_write_one_version() {
        for (a, b) in [
            ("1.0", "1.0.0"),
            ("v1.0", "1.0"),
            ("1.0-1", "1.0.post1"),
            ("1.0.RC1", "1.0rc1"),
            ("1.0-alpha", "1.0a0"),
            ("1.0_rev2", "1.0.post2"),
            ("1.0c1", "1.0rc1"),
        ] {
            assert_eq!(version(a), version(b), "{a} {b}");
        }
        assert!(
            version("1.0.post1").is_final()
                && !version("0.2.0a8").is_final()
                && !version("1.dev0").is_final()
        );
        assert_eq!(version("0.2.0a8").to_string(), "0.2.0a8");
    }

    #[test]
    fn what_is_no_version() {
        for bad in ["", "a", "1.0x", "1..0", "1.0+", "1.0 1", "é", "99999999999999999999999"] {
            assert_eq!(bad.parse::<Version>().err(), Some(NotAVersion), "{bad:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "[0-9.!+abcdevrost_-]{0,20}") {
            let _ = text.parse::<Version>();
        }
    }
}
