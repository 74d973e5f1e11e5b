//! `/analyze`.

use inkveil::detect::{Allow, Detector, Kind, Settings, Span, Tier, UserRule, WordList};
use inkveil::presidio_name;
use inkveil::release::TurnText;

use super::PresidioError;
use crate::characters::Places;
use crate::engine::Engine;
use crate::json::Json;

pub(super) const NO_RECOGNIZERS: &str = "No matching recognizers were found to serve the request.";

/// How much context words raise the score of a recognizer of the request, and the least score with one.
const CONTEXT_GAIN: f64 = 0.35;
const LEAST_WITH_CONTEXT: f64 = 0.4;

pub(super) fn analyze(engine: &Engine, request: &Json) -> Result<Json, PresidioError> {
    let texts: Vec<&str> = match request.get("text") {
        Some(Json::String(text)) if !text.is_empty() => vec![text],
        Some(Json::Array(items)) if !items.is_empty() => {
            let texts: Option<Vec<&str>> = items.iter().map(Json::as_str).collect();
            texts.ok_or_else(|| PresidioError::new(400, "text must be a string or a list of strings"))?
        }
        _ => return Err(PresidioError::new(500, "No text provided")),
    };
    match request.str_of("language") {
        None => return Err(PresidioError::new(500, "No language provided")),
        Some("en") => {}
        Some(_) => return Err(PresidioError::new(500, NO_RECOGNIZERS)),
    }
    let failed = || PresidioError::new(500, "the text could not be analyzed");
    let turns: Vec<TurnText<'_>> =
        texts.iter().map(|text| TurnText { text, field: None, task: None }).collect();
    let mut found = engine.find(&turns).map_err(|_| failed())?;
    let own = ad_hoc(request)?;
    if let Some((detector, scores)) = &own {
        for (spans, more) in found.iter_mut().zip(detector.detect(&texts).map_err(|_| failed())?) {
            // Rules of ours would be found twice.
            let more = more.into_iter().filter(|span| matches!(span.kind, Kind::Custom(_)));
            spans.extend(more.map(|mut span| {
                if let Some(score) = scores.iter().find(|(name, ..)| span.reason.name == *name) {
                    span.score = if span.reason.context.is_some() { score.2 } else { score.1 };
                }
                span
            }));
            spans.sort_by_key(|span| (span.start, span.end));
        }
    }
    let filter = Filter::read(request)?;
    let explain = matches!(request.get("return_decision_process"), Some(Json::Bool(true)))
        || request.get("return_decision_process").and_then(Json::as_f64).is_some_and(|flag| flag != 0.0);
    let mut lists: Vec<Json> = Vec::new();
    for (text, spans) in texts.iter().zip(found) {
        let places = Places::new(text);
        let wanted = spans.iter().filter(|span| filter.wants(text, span));
        lists.push(Json::Array(wanted.map(|span| result(&places, span, explain)).collect()));
    }
    Ok(match request.get("text") {
        Some(Json::Array(_)) => Json::Array(lists),
        _ => lists.pop().unwrap_or(Json::Array(Vec::new())),
    })
}

fn result(places: &Places<'_>, span: &Span, explain: bool) -> Json {
    let score = || Json::Number(format!("{}", span.rounded_score()));
    let explanation = match explain {
        false => Json::Null,
        true => Json::object([
            ("recognizer", Json::text(format!("inkveil {}", span.reason.found_by.name()))),
            ("pattern_name", Json::text(span.reason.name.to_string())),
            ("pattern", Json::Null),
            ("original_score", score()),
            ("score", score()),
            ("textual_explanation", Json::text(span.reason.to_string())),
            ("score_context_improvement", Json::Number("0".to_owned())),
            ("supportive_context_word", Json::text(span.reason.context.as_deref().unwrap_or_default())),
            ("validation_result", span.reason.validator.as_ref().map_or(Json::Null, |_| Json::Bool(true))),
        ]),
    };
    Json::object([
        ("entity_type", Json::text(presidio_name(&span.kind))),
        ("start", Json::count(places.of(span.start))),
        ("end", Json::count(places.of(span.end))),
        ("score", score()),
        ("analysis_explanation", explanation),
    ])
}

/// Which results a request wants.
struct Filter {
    entities: Option<Vec<String>>,
    threshold: f64,
    allow: Option<Detector>,
}

impl Filter {
    fn read(request: &Json) -> Result<Self, PresidioError> {
        let names = |key: &str| -> Option<Vec<String>> {
            let items = request.get(key)?.items();
            Some(items.iter().filter_map(Json::as_str).map(str::to_owned).collect())
        };
        let allow = match names("allow_list").filter(|list| !list.is_empty()) {
            None => None,
            Some(list) => {
                let mut settings = Settings::of(Tier::Rules);
                settings.allow = match request.str_of("allow_list_match") {
                    Some("regex") => {
                        list.into_iter().map(|text| Allow::Pattern(format!("(?s).*(?:{text}).*"))).collect()
                    }
                    None | Some("exact") => {
                        list.into_iter().map(|text| Allow::Text { text, ignore_case: false }).collect()
                    }
                    Some(_) => {
                        return Err(PresidioError::new(
                            400,
                            "allow_list_match must either be set to 'exact' or 'regex'.",
                        ));
                    }
                };
                // A rule that finds everything shows what the list allows.
                settings.rules = vec![UserRule::new("anything", Kind::named("anything"), "(?s).+")];
                let wrong = |_| PresidioError::new(400, "allow_list holds a pattern that cannot be read");
                Some(Detector::open(None, settings).map_err(wrong)?)
            }
        };
        let threshold = request.get("score_threshold").and_then(Json::as_f64).unwrap_or_default();
        Ok(Self { entities: names("entities").filter(|list| !list.is_empty()), threshold, allow })
    }

    fn wants(&self, text: &str, span: &Span) -> bool {
        let name = presidio_name(&span.kind);
        let value = text.get(span.range()).unwrap_or_default();
        let is_allowed = |detector: &Detector| {
            let found = detector.detect(&[value]).unwrap_or_default();
            !found.iter().flatten().any(|span| span.start == 0 && span.end == value.len())
        };
        self.entities.as_ref().is_none_or(|list| list.contains(&name))
            && f64::from(span.rounded_score()) >= self.threshold
            && !self.allow.as_ref().is_some_and(is_allowed)
    }
}

type Scores = Vec<(String, f32, f32)>;

/// The recognizers of the request itself, with their scores without and with context.
fn ad_hoc(request: &Json) -> Result<Option<(Detector, Scores)>, PresidioError> {
    let recognizers = request.get("ad_hoc_recognizers").map(Json::items).unwrap_or_default();
    if recognizers.is_empty() {
        return Ok(None);
    }
    let wrong = |what: &str| {
        PresidioError::new(
            400,
            format!("Failed to parse /analyze request for AnalyzerEngine.analyze(). {what}"),
        )
    };
    let mut settings = Settings::of(Tier::Rules);
    settings.threshold = 0.0;
    let mut scores = Scores::new();
    for (number, recognizer) in recognizers.iter().enumerate() {
        let entity =
            recognizer.str_of("supported_entity").ok_or_else(|| wrong("supported_entity is missing"))?;
        let context: Vec<String> = recognizer
            .get("context")
            .map(Json::items)
            .unwrap_or_default()
            .iter()
            .filter_map(Json::as_str)
            .map(str::to_owned)
            .collect();
        for (index, pattern) in
            recognizer.get("patterns").map(Json::items).unwrap_or_default().iter().enumerate()
        {
            for (key, _) in pattern.fields() {
                if !matches!(key.as_str(), "name" | "regex" | "score") {
                    let key = if crate::positions::is_name(key) { key } else { "…" };
                    let what = format!("Pattern.__init__() got an unexpected keyword argument '{key}'");
                    return Err(wrong(&what));
                }
            }
            let (Some(regex), Some(score)) =
                (pattern.str_of("regex"), pattern.get("score").and_then(Json::as_f64))
            else {
                return Err(wrong("a pattern needs regex and score"));
            };
            let name = format!("ad-hoc {number} {index}");
            let with_context = (score + CONTEXT_GAIN).clamp(LEAST_WITH_CONTEXT, 1.0);
            let mut rule = UserRule::new(name.clone(), Kind::Custom(entity.into()), regex);
            // A rule with a low score is skipped, so the score of the request is set on what it finds.
            (rule.score, rule.context_score) = (0.5, 0.6);
            rule.context = context.clone();
            scores.push((name, score as f32, with_context as f32));
            settings.rules.push(rule);
        }
        let words: Vec<String> = recognizer
            .get("deny_list")
            .map(Json::items)
            .unwrap_or_default()
            .iter()
            .filter_map(Json::as_str)
            .map(str::to_owned)
            .collect();
        if !words.is_empty() {
            let mut list = WordList::new(format!("ad-hoc {number}"), Kind::Custom(entity.into()), words);
            list.score = 1.0;
            settings.lists.push(list);
        }
    }
    // Our own rules must not cover what these find.
    let kinds =
        settings.rules.iter().map(|rule| &rule.kind).chain(settings.lists.iter().map(|list| &list.kind));
    settings.only = Some(kinds.cloned().collect());
    let detector = Detector::open(None, settings).map_err(|_| wrong("a pattern cannot be read"))?;
    Ok(Some((detector, scores)))
}
