//! One score with its details on a page.

use askama::Template;

use super::{rendered, whole};
use crate::dots::DotMap;
use crate::svg;

/// A page about one score: a gauge, facts, what contributes to it, and a map.
///
/// ```
/// use inkveil_report::{DotMap, ScorePage};
///
/// let page = ScorePage {
///     title: "How this text stands out".into(),
///     warning: "This page quotes the text.".into(),
///     score: Some(("risk".into(), 0.7)),
///     facts: vec![("risk".into(), "0.70 of 1".into())],
///     map: Some(("Map".into(), DotMap::default(), "Each dot is a style.".into())),
///     ..ScorePage::default()
/// };
/// assert!(page.html().contains("aria-label=\"risk 0.70 of 1\""));
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ScorePage {
    /// The title.
    pub title: String,
    /// Why the page is private.
    pub warning: String,
    /// A paragraph.
    pub text: String,
    /// The name of the score, and the score from 0 to 1.
    pub score: Option<(String, f64)>,
    /// Facts with their names.
    pub facts: Vec<(String, String)>,
    /// The heading of a list, and what to say if it is empty.
    pub traits_title: String,
    /// See `traits_title`.
    pub no_traits: String,
    /// What contributes to the score.
    pub traits: Vec<ScoreTrait>,
    /// A map with its heading and a sentence about it.
    pub map: Option<(String, DotMap, String)>,
    /// What a reader has to know about the score.
    pub note: String,
}

/// Something that contributes to a score.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ScoreTrait {
    /// A sentence about it.
    pub text: String,
    /// An example.
    pub quote: Option<String>,
}

#[derive(Template)]
#[template(path = "score.html")]
struct Body<'a> {
    page: &'a ScorePage,
    /// The name of the score, the score as text, and its place on the gauge in percent.
    gauge: Option<(&'a str, String, String)>,
    /// The heading, the drawing and the sentence about it.
    map: Option<(&'a str, String, &'a str)>,
}

impl ScorePage {
    /// Draws the page.
    pub fn html(&self) -> String {
        let gauge = self.score.as_ref().map(|(name, score)| {
            (name.as_str(), format!("{score:.2}"), format!("{:.1}", (100.0 * score).clamp(0.0, 100.0)))
        });
        let map =
            self.map.as_ref().map(|(title, map, note)| (title.as_str(), map.part("map"), note.as_str()));
        let styles = format!("{}{}", include_str!("../../styles/score.css"), svg::style());
        whole(&self.title, &styles, &rendered(&Body { page: self, gauge, map }))
    }
}
