//! Times of day.

use crate::kind::Kind;
use crate::rules::rule::{Edges, Rule, Verdict};

const ZONE: &str = concat!(
    "(?: ?(?:UTC|GMT|[ECMP][SD]?T|CES?T|BST|IST|JST|Z)(?:[+-][0-9]{1,2}(?::?[0-9]{2})?)?",
    "| ?[+-][0-9]{2}:?[0-9]{2})?",
);
const HALF: &str = r"[AaPp](?:\.[Mm]\.?|[Mm])";

pub(super) fn rules() -> Vec<Rule> {
    vec![
        Rule::new("time", Kind::Time, "A time of day.", 0.55)
            .shape(format!(
                r"[0-2]?[0-9]:[0-5][0-9](?::[0-5][0-9](?:[.,][0-9]{{1,6}})?)?(?: ?(?:{HALF}|Uhr|hrs?))?{ZONE}"
            ))
            .checked("clock", clock, 0.8)
            .near(["at", "time", "from", "until", "till", "by", "um", "à", "a las", "alle", "om"], 0.85)
            .edges(Edges::Strict),
        Rule::new("time-hour", Kind::Time, "An hour of the day.", 0.85)
            .shape(format!(r"(?:0?[1-9]|1[0-2])(?:[.:][0-5][0-9])? ?{HALF}{ZONE}"))
            .shape(r"(?:[01]?[0-9]|2[0-4]) ?(?:o'clock|O'Clock|Uhr|uhr|uur)")
            .shape(r"(?:[01]?[0-9]|2[0-4])[.:][0-5][0-9] ?(?:Uhr|uhr|uur)")
            .edges(Edges::Strict),
        Rule::new("time-french", Kind::Time, "A time of day with an h.", 0.7)
            .shape("(?:[01]?[0-9]|2[0-3]) ?[hH] ?[0-5][0-9]")
            .shape("(?:[01]?[0-9]|2[0-3])h")
            .checked("French clock", french, 0.75)
            .edges(Edges::Strict),
    ]
}

fn clock(text: &str) -> Verdict {
    let hour: u32 = text.split(':').next().and_then(|hour| hour.parse().ok()).unwrap_or(99);
    let half = text.bytes().any(|b| b.is_ascii_alphabetic());
    match (hour, text.find(':')) {
        (24.., _) => Verdict::Invalid,
        (_, Some(2)) => Verdict::Valid,
        _ if half || text.matches(':').count() == 2 => Verdict::Valid,
        // `3:16` may also be a verse or a score.
        _ => Verdict::Unsure,
    }
}

fn french(text: &str) -> Verdict {
    // `24h` and `1h` are often durations.
    if text.len() > 3 { Verdict::Valid } else { Verdict::Invalid }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{finds, ignores};

    #[test]
    fn time() {
        finds(
            "time",
            &[
                "at [[14:30]].",
                "[[23:59:59]] sharp",
                "[[2:30 pm]]",
                "[[09:15:00.250 UTC]]",
                "[[8:05 a.m.]] today",
                "um [[14:30 Uhr]]",
                "[[10:00 GMT+2]]",
                "2021-03-04 [[12:30]]",
            ],
        );
        ignores("time", &["25:30", "14:60", "1:2", "12:30:45:10", "14:300", "a14:30", "00:1A:2B:3C:4D:5E"]);
    }

    #[test]
    fn hour() {
        finds(
            "time-hour",
            &["at [[9am]].", "[[2 PM]] sharp", "by [[11 p.m.]] on", "[[5 o'clock]] tea", "um [[18 Uhr]]"],
        );
        ignores("time-hour", &["13am", "9 amps", "0 am", "9ams", "I am 9", "19 ampere"]);
    }

    #[test]
    fn french() {
        finds("time-french", &["à [[14h30]]", "[[9h05]].", "[[20 h 15]]", "vers [[18H45]]", "([[7h30]])"]);
        ignores("time-french", &["24h", "14h60", "3h", "25h10", "14h300", "h30"]);
    }
}
