//! The explanation for a terminal: a legend of the groups, then one row per word.

use inkveil::Group;
use inkveil::explain::{ExplainedDocument, ExplainedUnit, VeilTerms, rounded};
use owo_colors::OwoColorize as _;

use super::shown::in_cell;
use super::style;
use crate::table;

const HEADER: [&str; 7] = ["", "kind", "relevance", "group", "ε", "treatment", "replacement"];

/// Columns with numbers.
const NUMBERS: [usize; 2] = [2, 4];

/// The legend before the first table.
pub(in crate::text) fn legend(terms: &VeilTerms) -> Vec<String> {
    let mut lines = vec![
        "Each word is sensitive or not, and needed for the task or not. This makes four groups, each with a budget ε:"
            .to_owned(),
    ];
    let epsilons = Group::ALL.map(|group| terms.budgets.of(group).readable());
    let width = epsilons.iter().map(|epsilon| epsilon.chars().count()).max().unwrap_or(0);
    for (group, epsilon) in Group::ALL.into_iter().zip(&epsilons) {
        let name = format!("{:<22}", group.to_string());
        lines.push(format!(
            "  {} ε = {epsilon:<width$}  {}",
            name.style(style(group)),
            terms.treatment(group)
        ));
    }
    if let Some(meaning) = terms.meaning() {
        lines.push(format!("A smaller ε reveals less about a word; {meaning}."));
    }
    lines
}

/// The outcome of each word of a document. Kept punctuation is left out.
pub(in crate::text) fn table(document: &ExplainedDocument, terms: &VeilTerms) -> String {
    let needed = match document.has_task {
        true => format!(
            "Relevance is the cosine with the task. A word is needed if {}; so is the whole name or phrase it belongs to.",
            terms.needed_if
        ),
        false => "There is no task, so no word counts as needed.".to_owned(),
    };
    let words: Vec<&ExplainedUnit> = document.units.iter().filter(|unit| unit.is_word()).collect();
    let mut header = HEADER;
    header[0] = terms.unit;
    let drawn = table::drawn(&header, words.iter().map(|unit| row(document, unit)), NUMBERS).to_string();
    // Cells have no line breaks, so every word has one line. Borders and header have no group.
    let rows = drawn.lines().enumerate().map(|(number, line)| {
        match number.checked_sub(HEADER_LINES).and_then(|word| words.get(word)) {
            Some(unit) => line.style(style(unit.group)).to_string(),
            None => line.to_owned(),
        }
    });
    let heading = document.original.line.map(|line| format!("line {line}"));
    heading.into_iter().chain([needed]).chain(rows).collect::<Vec<_>>().join("\n")
}

/// The upper border, the header and the line below it.
const HEADER_LINES: usize = 3;

fn row(document: &ExplainedDocument, unit: &ExplainedUnit) -> [String; 7] {
    [
        in_cell(document.original_of(unit)),
        unit.kind.as_ref().map_or_else(String::new, |kind| in_cell(kind.name())),
        unit.relevance.map_or_else(String::new, |relevance| format!("{:.2}", rounded(relevance))),
        unit.group.to_string(),
        unit.epsilon.readable(),
        unit.outcome(),
        document.replacement_of(unit).map_or_else(String::new, in_cell),
    ]
}

#[cfg(test)]
mod tests {
    use inkveil::detect::Kind;
    use inkveil::explain::samples::{document, terms, unit};
    use inkveil::{ReplacementReason, Treatment};

    use super::*;

    fn sample() -> ExplainedDocument {
        let mut person = unit(0..8, Group::Sensitive, Treatment::Replaced(ReplacementReason::Budget));
        (person.kind, person.relevance) = (Some(Kind::Person), Some(-0.04));
        let mut knee = unit(12..16, Group::Needed, Treatment::Kept);
        knee.relevance = Some(0.6666);
        let units = vec![
            person,
            unit(9..11, Group::Neither, Treatment::Noise),
            knee,
            unit(16..17, Group::Neither, Treatment::Punctuation),
        ];
        document("Ana Lima is knee.", units)
    }

    #[test]
    fn every_word_has_a_row_in_the_colour_of_its_group() {
        let drawn = table(&sample(), &terms());
        let row = |word: &str| drawn.lines().find(|line| line.contains(word)).unwrap();
        let colour = |code: &str| format!("\u{1b}[{code}m");
        assert!(row("Ana Lima").starts_with(&colour("31")) && row("knee").starts_with(&colour("32")));
        assert!(!row(" is ").contains('\u{1b}') && !row("relevance").contains('\u{1b}'));
        assert!(row("Ana Lima").contains("person") && row("Ana Lima").contains("the budget is 0"));
        // A line for each word; what is above it, four lines of borders and header, and no line for the full stop.
        assert_eq!(drawn.lines().count(), 1 + 4 + 3, "{drawn}");
    }

    #[test]
    fn without_a_task_it_says_so() {
        let drawn = table(&ExplainedDocument { has_task: false, ..sample() }, &terms());
        assert!(drawn.starts_with("There is no task"));
    }

    #[test]
    fn the_legend_explains_the_groups() {
        let lines: Vec<String> =
            legend(&terms()).iter().map(|line| anstream::adapter::strip_str(line).to_string()).collect();
        assert_eq!(
            lines[1..],
            [
                "  1 sensitive and needed ε = 30   noised: each becomes a nearby word, or stays by chance",
                "  2 sensitive            ε = 0    replaced",
                "  3 needed               ε = inf  kept unchanged",
                "  4 neither              ε = 90   noised: each becomes a nearby word, or stays by chance",
                "A smaller ε reveals less about a word; ε is per unit of chordal distance, for each token \
                 (polar, calibration paper).",
            ]
        );
    }
}
