//! Dates.

use super::calendar::{
    FOREIGN_MONTH, FOREIGN_MONTHS, FOREIGN_SHORT_MONTH, FOREIGN_WEEKDAYS, MONTH, MONTHS, WEEKDAY, WEEKDAYS,
    named_date, numeric_date,
};
use crate::kind::Kind;
use crate::rules::rule::{Edges, Rule, Verdict};

const CONTEXT: [&str; 24] = [
    "date",
    "dated",
    "born",
    "birth",
    "dob",
    "d.o.b",
    "birthday",
    "on",
    "since",
    "until",
    "from",
    "by",
    "due",
    "expires",
    "issued",
    "admitted",
    "discharged",
    "died",
    "hired",
    "joined",
    "geboren",
    "né",
    "née",
    "nacido",
];

pub(super) fn rules() -> Vec<Rule> {
    let day = "[0-3]?[0-9](?:st|nd|rd|th|ST|ND|RD|TH)?";
    let year = "(?:[12][0-9]{3}|'[0-9]{2})";
    let day_month = format!(r"(?:the )?{day}(?: of|\.)?[ -]{{0,2}}{MONTH}");
    let month_day = format!(r"{MONTH}[ -](?:the )?{day}");
    vec![
        Rule::new("date-iso", Kind::Date, "A date with the year first, with the time after a T.", 0.8)
            .shape(r"[12][0-9]{3}-[01][0-9]-[0-3][0-9]")
            .shape(r"[12][0-9]{3}/[01]?[0-9]/[0-3]?[0-9]")
            .shape(r"[12][0-9]{3}\.[01][0-9]\.[0-3][0-9]")
            .checked("calendar", numeric_date, 0.92)
            .edges(Edges::Strict),
        Rule::new("date-time", Kind::Date, "A date and time in a machine format.", 0.95)
            .shape(concat!(
                "[12][0-9]{3}-[01][0-9]-[0-3][0-9][Tt][0-2][0-9]:[0-5][0-9](?::[0-6][0-9](?:[.,][0-9]{1,9})?)?",
                "(?:[Zz]|[+-][0-9]{2}:?[0-9]{2})?",
            ))
            .edges(Edges::Strict),
        Rule::new("date-numeric", Kind::Date, "A date with day and month first.", 0.45)
            .shape(r"[0-3]?[0-9]/[0-3]?[0-9]/(?:[12][0-9]{3}|'?[0-9]{2})")
            .shape(r"[0-3]?[0-9]\. ?[0-3]?[0-9]\. ?(?:[12][0-9]{3}|[0-9]{2})")
            .shape(r"[0-3]?[0-9]-[0-3]?[0-9]-(?:[12][0-9]{3}|[0-9]{2})")
            .checked("calendar", numeric_date, 0.85)
            .near(CONTEXT, 0.88)
            .edges(Edges::Strict)
            .never_after(&["version", "v", "ver", "section", "chapter", "release", "sort code"]),
        Rule::new("date-named", Kind::Date, "A date with the name of the month.", 0.85)
            .shape(format!("{day_month}(?:,?[ -]{year})?"))
            .shape_at(MONTHS, format!("{month_day}(?:,? {year})?"))
            .shape_at(MONTHS, format!(r"{MONTH},?(?: of)?[ -]{year}"))
            .shape_at(WEEKDAYS, format!(r"{WEEKDAY}\.?,? (?:the )?(?:{day_month}|{month_day})(?:,? {year})?"))
            .shape_at(&["the"], format!("{day_month}(?:,? {year})?"))
            .checked("day and year", named_date, 0.9)
            .edges(Edges::Word),
        Rule::new("date-foreign", Kind::Date, "A date with the name of the month in another language.", 0.8)
            .shape(format!(r"(?:1er|[0-3]?[0-9][.º]?) ?(?:de )?{FOREIGN_MONTH}(?: (?:del? )?[12][0-9]{{3}})?"))
            .shape(format!(r"(?:1er|[0-3]?[0-9][.º]?) ?(?:de )?{MONTH} del? [12][0-9]{{3}}"))
            .shape(format!(r"(?:1er|[0-3]?[0-9]\.?) ?{FOREIGN_SHORT_MONTH}(?: [12][0-9]{{3}})?"))
            .shape_at(FOREIGN_MONTHS, format!("{FOREIGN_MONTH} (?:del? )?[12][0-9]{{3}}"))
            .shape_at(
                FOREIGN_WEEKDAYS,
                format!(
                    r"(?i:{})(?:-feira)?\.?,? (?:le |el |den )?(?:1er|[0-3]?[0-9][.º]?) ?(?:de )?(?:{FOREIGN_MONTH}|{MONTH})(?: (?:del? )?[12][0-9]{{3}})?",
                    FOREIGN_WEEKDAYS.join("|")
                ),
            )
            .checked("day and year", named_date, 0.88)
            .edges(Edges::Word),
        Rule::new("date-month-year", Kind::Date, "A month and a year in digits.", 0.35)
            .shape(r"(?:0[1-9]|1[0-2])/(?:19|20)[0-9]{2}")
            .near(CONTEXT, 0.7)
            .edges(Edges::Strict),
        Rule::new("date-day-month", Kind::Date, "A day and a month in digits.", 0.0)
            .shape("[0-3]?[0-9]/[0-3]?[0-9]")
            .filtered(day_month_verdict)
            .only_near(["on", "date", "dated", "due", "by", "since", "until", "monday", "tuesday", "friday"], 0.6)
            .within(12)
            .edges(Edges::Strict),
        Rule::new("date-quarter", Kind::Date, "A quarter of a year.", 0.6)
            .shape("[Qq][1-4] ?(?:19|20)[0-9]{2}"),
        Rule::new("weekday", Kind::Date, "A day of the week.", 0.5)
            .shape_at(
                &WEEKDAYS_IN_FULL,
                "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|MONDAY|TUESDAY|WEDNESDAY|THURSDAY|FRIDAY|SATURDAY|SUNDAY",
            )
            .edges(Edges::Word),
        Rule::new("month", Kind::Date, "The name of a month.", 0.5)
            .shape_at(
                MONTHS,
                "January|February|April|June|July|August|September|October|November|December",
            )
            .edges(Edges::Word),
        Rule::new("year", Kind::Date, "A year near a word such as born or since.", 0.0)
            .shape("(?:19|20)[0-9]{2}")
            .only_near(["born", "birth", "graduated", "class of", "since", "died", "year", "in"], 0.55)
            .within(4)
            .edges(Edges::Strict),
    ]
}

const WEEKDAYS_IN_FULL: [&str; 7] =
    ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

fn day_month_verdict(text: &str) -> Verdict {
    let mut numbers = text.split('/').filter_map(|number| number.parse::<u32>().ok());
    match (numbers.next(), numbers.next()) {
        (Some(a), Some(b)) if (1..=31).contains(&a) && (1..=31).contains(&b) && a.min(b) <= 12 => {
            Verdict::Unsure
        }
        _ => Verdict::Invalid,
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{finds, ignores};

    #[test]
    fn iso() {
        finds(
            "date-iso",
            &[
                "on [[2021-03-04]].",
                "[[2021/3/4]] or so",
                "log [[1999-12-31]]",
                "[[2021.03.04]] 12:30",
                "([[2020-02-29]])",
            ],
        );
        ignores(
            "date-iso",
            &["2021-13-04", "2021-03-44", "0021-03-04", "2021-03-04-05", "12021-03-04", "2021-03"],
        );
        finds(
            "date-time",
            &[
                "at [[2021-03-04T12:30:00Z]]",
                "[[2021-03-04T12:30]]",
                "[[2021-03-04t12:30:00.123+02:00]],",
                "[[2021-03-04T12:30:00-0500]]",
                "\"[[1999-12-31T23:59:59.999999Z]]\"",
            ],
        );
        ignores(
            "date-time",
            &["2021-03-04 12:30", "2021-03-04T", "2021-03-04T12", "2021-03-04T12:99", "T12:30:00Z"],
        );
    }

    #[test]
    fn numeric() {
        finds(
            "date-numeric",
            &[
                "born [[12/03/1990]]",
                "[[03.04.2022]] war Sonntag",
                "[[3. 4. 2022]]",
                "on [[1/2/21]]",
                "[[31-12-1999]].",
                "due [[1-2-21]]",
                "[[31.12.99]]",
            ],
        );
        ignores(
            "date-numeric",
            &[
                "13/13/2021",
                "version 1.2.21",
                "1.2.3",
                "1.2.3.4",
                "32/01/2020",
                "1/2/3/2021",
                "12/03/199",
                "sort code 12-11-10",
            ],
        );
    }

    #[test]
    fn named() {
        finds(
            "date-named",
            &[
                "on [[3 March 2021]].",
                "until [[5 March]].",
                "on [[March 3rd, 2021]], he",
                "[[Mar 2021]] was",
                "[[12 march 2021]]",
                "[[the 12th of May]]",
                "[[12-Mar-2021]]",
                "by [[Sept. 5]], yes",
                "[[Tuesday, 4 June 2019]]",
                "[[fri 5 april]]",
                "[[3. April 2020]]",
                "[[May '98]]",
            ],
        );
        ignores(
            "date-named",
            &["march 99", "42 March", "May I come", "3 marches", "march 3000", "Mary 12", "12 mayors"],
        );
        finds(
            "date-foreign",
            &[
                "am [[3. März 2021]]",
                "le [[1er mai 2020]]",
                "el [[3 de marzo de 2021]]",
                "[[12 juillet 1990]]",
                "op [[4 maart 2022]]",
                "vom [[14. Dez. 2008]]",
                "desde [[marzo de 2020]]",
                "[[vendredi 18 décembre 2005]]",
                "[[quarta-feira, 22 de maio de 2011]]",
                "el [[3 de abril de 2021]]",
            ],
        );
        ignores("date-foreign", &["3 maisons", "99 mai", "März", "12 marsupials", "3 de la tarde"]);
    }

    #[test]
    fn parts() {
        finds(
            "date-month-year",
            &[
                "born [[03/1990]]",
                "since [[12/2020]]",
                "from [[01/2019]] on",
                "issued [[11/2021]].",
                "until [[06/2025]]",
            ],
        );
        ignores("date-month-year", &["13/2020", "03/1990", "12/2020/1", "1/2", "3/4/2020"]);
        finds(
            "date-day-month",
            &["on [[3/4]]", "due [[12/31]]", "by [[1/2]].", "Monday [[3/4]]", "until [[31/12]]"],
        );
        ignores("date-day-month", &["3/4 of it", "on 13/32", "ratio 1/2", "24/7", "on 3/4/5/6"]);
        finds(
            "date-quarter",
            &["in [[Q3 2021]]", "[[Q1 2020]].", "[[q4 2019]]", "[[Q2 1999]],", "for [[Q32021]]"],
        );
        ignores("date-quarter", &["Q5 2021", "Q3", "Q3 21", "FAQ3 2021", "Q3 20211"]);
        finds(
            "weekday",
            &[
                "on [[Monday]].",
                "[[Tuesday]] night",
                "every [[SUNDAY]]",
                "last [[Friday]],",
                "until [[Saturday]]",
            ],
        );
        ignores("weekday", &["monday", "Mon", "Fridays", "sundaes", "Day"]);
        finds(
            "month",
            &["in [[July]]", "[[April]] showers", "last [[December]].", "since [[October]]", "by [[June]],"],
        );
        ignores("month", &["May I", "March on", "july", "Juny", "Decembers"]);
        finds(
            "year",
            &["born in [[1984]]", "in [[2021]], we", "class of [[2010]]", "since [[1999]]", "year [[2023]]"],
        );
        ignores("year", &["1984 people", "in 1784", "in 20211", "2021-03-04", "in room 2021"]);
    }
}
