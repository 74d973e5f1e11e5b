//! The risk of a text as a page.

use inkveil::style::features::sentence;
use inkveil::style::{Memory, StyleMap};
use inkveil_report::{ScorePage, ScoreTrait};

use super::answer::{Answer, quote};
use super::inputs::Input;
use super::map;

pub(super) fn html(input: &Input, answer: &Answer, memory: &Memory, plane: &StyleMap) -> String {
    let mut page = ScorePage {
        title: "How this text stands out".to_owned(),
        warning: "This page quotes the text and lists what makes it recognisable. Keep it to yourself."
            .to_owned(),
        ..ScorePage::default()
    };
    let Answer::Measured(measured) = answer else {
        page.text = answer.in_words(&input.text).trim_end().to_owned();
        return page.html();
    };
    let caution = measured.caution().map(|caution| ("caution", caution));
    let facts = measured.lines().into_iter().chain(caution);
    page.facts = facts.map(|(name, line)| (name.to_owned(), line)).collect();
    page.score = Some(("risk".to_owned(), measured.risk.score));
    page.traits_title = "Habits that identify it".to_owned();
    page.no_traits = "No single habit stands out.".to_owned();
    let habits = measured.habits.iter();
    page.traits =
        habits.map(|habit| ScoreTrait { text: sentence(habit), quote: quote(&input.text, habit) }).collect();
    let about = format!(
        "Each dot is a style that texts of the memory share. Larger dots have more texts; hollow dots are outliers. \
         The map shows two of {} directions, so two dots that look close may be far apart.",
        memory.dimension()
    );
    let dots = map::of(memory, plane, Some(&measured.vector));
    page.map = Some(("Where it is among other styles".to_owned(), dots, about));
    page.note = "This is a measurement with one encoder, not a guarantee. An attacker with other tools, or with more of \
                 your texts, may see more."
        .to_owned();
    page.html()
}
