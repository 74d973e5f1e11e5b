//! Host names and top-level domains.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::rules::letters::char_at;

/// Limits of RFC 1035: 253 bytes for a name, 63 for a label.
const LONGEST_HOST: usize = 253;
const LONGEST_LABEL: usize = 63;

/// Returns the end of the host name that starts at `start`, and the number of its labels.
pub(super) fn host_end(text: &str, start: usize) -> Option<(usize, usize)> {
    let mut end = label_end(text, start)?;
    let mut labels = 1;
    while text[end..].starts_with('.') {
        let Some(next) = label_end(text, end + 1) else { break };
        (end, labels) = (next, labels + 1);
        if end - start > LONGEST_HOST {
            return None;
        }
    }
    Some((end, labels))
}

/// Returns the end of a label of letters, digits and inner hyphens.
fn label_end(text: &str, start: usize) -> Option<usize> {
    let (mut at, mut end) = (start, start);
    while let Some(c) = char_at(text, at).filter(|c| c.is_alphanumeric() || (*c == '-' && at > start)) {
        at += c.len_utf8();
        if c != '-' {
            end = at;
        }
        if at - start > LONGEST_LABEL {
            return None;
        }
    }
    (end > start).then_some(end)
}

/// How likely a last label marks a domain name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TopLevel {
    /// Rarely used for anything else: `com`, `org`.
    Generic,
    /// A country code or a newer domain that is not a word.
    Likely,
    /// Also a word or a file extension: `in`, `rs`.
    Ambiguous,
    Unknown,
}

const GENERIC: &str = "aero arpa biz com coop edu example gov info int mil museum net org";

const LIKELY: &str = "\
    ac academy ad ae af ag agency ai al an ao app aq ar asia attorney au aw ax az ba bank bayern bb bd \
    berlin bf bg bh bi bj blog bm bn bo br bs bt bw by bz ca capital cat cd cf cg ch chat ci ck cl \
    clinic cloud club cm cn co construction consulting cr cu cv cw cx cy cz de design dev digital dj dk \
    dm dz ec ee eg email engineering er es eu fi finance fj fk fm fo fr ga gallery gb gd ge gf gg gh gi \
    gl global gm gmbh gn gp gq gr group gt gu guru gw gy health hk hn holdings hospital hr ht hu id ie \
    il im inc international io iq ir je jm jo jobs jp ke kg kh ki km kn kp kr kw ky kz la lb lc legal li \
    lk llc london lr ls lt ltd lu lv ly ma mc media mg mh mk mn mo mobi money mp mq mr ms mt mu mv mw mx \
    mz na nc ne network news nf ng ni ninja nl np nr nrw nu nyc nz online pa paris pe pf pg ph \
    photography pk pn pr press pro properties pt pw qa re realty ro ru rw sa sb sc sd se services sg \
    shop si site sk sl sm sn social software solutions space sr ss st store studio sv swiss sx sy \
    systems sz tc td tech technology tel tf tg th tirol tj tk tl tm tn tokyo tr travel tt tv tw tz ua ug \
    uk university uy uz va vc ve ventures vg vi video vn vu web webs website wf wien wiki works world ws \
    xn xyz ye yt za zm zone zw рф";

const AMBIGUOUS: &str = "am as at be cc do et in is it md me ml mm my name no pl pm ps py rs sh so to us";

impl TopLevel {
    pub(super) fn of(label: &str) -> Self {
        let label = label.to_lowercase();
        let label = if label.starts_with("xn--") { "xn" } else { label.as_str() };
        KNOWN.get(label).copied().unwrap_or(TopLevel::Unknown)
    }
}

static KNOWN: LazyLock<HashMap<&'static str, TopLevel>> = LazyLock::new(|| {
    [(LIKELY, TopLevel::Likely), (AMBIGUOUS, TopLevel::Ambiguous), (GENERIC, TopLevel::Generic)]
        .into_iter()
        .flat_map(|(list, level)| list.split(' ').map(move |label| (label, level)))
        .collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_hosts() {
        assert_eq!(host_end("a.example.com/x", 0), Some((13, 3)));
        assert_eq!(host_end("example.com.", 0), Some((11, 2)));
        assert_eq!(host_end("ex-am.com-", 0), Some((9, 2)));
        assert_eq!(host_end("a..b", 0), Some((1, 1)));
        assert_eq!(host_end("-a", 0), None);
        assert_eq!(host_end("", 0), None);
        assert_eq!(host_end(&"a".repeat(70), 0), None);
        assert_eq!(host_end(&"a.".repeat(200), 0), None);
    }

    #[test]
    fn last_labels() {
        assert_eq!(TopLevel::of("COM"), TopLevel::Generic);
        assert_eq!(TopLevel::of("de"), TopLevel::Likely);
        assert_eq!(TopLevel::of("xn--p1ai"), TopLevel::Likely);
        assert_eq!(TopLevel::of("rs"), TopLevel::Ambiguous);
        assert_eq!(TopLevel::of("then"), TopLevel::Unknown);
        assert_eq!(TopLevel::of(""), TopLevel::Unknown);
    }
}
