//! The risk of a text as a page, and memories of styles as maps.

use inkveil_report::{Dot, DotMap, ScorePage, ScoreTrait};
use inkveil_style::features::sentence;
use inkveil_style::{Memory, MemoryGeometry, StyleAssessment, StyleMap, quote};

/// A memory as a map: a dot for each prototype, and the style of a text among them. Dots grow with the number of texts
/// of a prototype; prototypes that are outliers are hollow.
pub fn style_map(memory: &Memory, geometry: Option<&MemoryGeometry<'_>>, text: Option<&[f32]>) -> DotMap {
    let map = StyleMap::of(memory);
    let dot = |(index, at): (usize, [f64; 2])| Dot {
        at,
        weight: memory.weights()[index] as f64,
        hollow: geometry.is_some_and(|geometry| geometry.prototype_means()[index] > geometry.tau()),
    };
    DotMap {
        title: "StyleMap of writing styles".to_owned(),
        dots: map.prototypes(memory).into_iter().enumerate().map(dot).collect(),
        highlight: text.map(|vector| (map.place(vector), "this text".to_owned())),
    }
}

/// The assessment of a text as a page, with the text among the styles of the memory. **Private**: it quotes the text.
pub fn style_page(
    text: &str,
    assessment: &StyleAssessment,
    memory: &Memory,
    geometry: &MemoryGeometry<'_>,
) -> String {
    let mut page = ScorePage {
        title: "How this text stands out".to_owned(),
        warning: "This page quotes the text and lists what makes it recognisable. Keep it to yourself."
            .to_owned(),
        ..ScorePage::default()
    };
    let StyleAssessment::Measured(measured) = assessment else {
        page.text = assessment.in_words(text).trim_end().to_owned();
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
        habits.map(|habit| ScoreTrait { text: sentence(habit), quote: quote(text, habit) }).collect();
    let about = format!(
        "Each dot is a style that texts of the memory share. Larger dots have more texts; hollow dots are outliers. \
         The map shows two of {} directions, so two dots that look close may be far apart.",
        memory.dimension()
    );
    let map = style_map(memory, Some(geometry), Some(&measured.vector));
    page.map = Some(("Where it is among other styles".to_owned(), map, about));
    page.note = "This is a measurement with one encoder, not a guarantee. An attacker with other tools, or with more of \
                 your texts, may see more."
        .to_owned();
    page.html()
}
