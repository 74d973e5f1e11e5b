//! Explains settings in words.

use inkveil_lexicon::CasingPolicy;
use inkveil_privacy::Epsilon;

use super::TextConfig;
use crate::{
    AtZero, Budget, Budgets, Consistency, Group, Grouping, MechanismName, MechanismSettings, Preset,
    TaskVector, TextSettings, TextVeil,
};

impl TextConfig {
    /// Explains the settings with one line each: its name, and its meaning. With a veil, the recommendations of the pack
    /// are known too. Tasks are counted and not shown, because they may be private.
    pub fn in_words(&self, pack: &str, veil: Option<&TextVeil>) -> Vec<(&'static str, String)> {
        let settings = &self.settings;
        let lexicon = veil.map(|veil| veil.lexicon().kind()).or(settings.lexicon);
        let lexicon = lexicon.map_or("as the pack recommends", |kind| kind.name());
        let mut lines = vec![
            ("pack", pack.to_owned()),
            ("lexicon", lexicon.to_owned()),
            ("sensitive", sensitive(settings)),
            ("needed", needed(settings, veil)),
            ("budgets", said(settings.budget)),
        ];
        if let Some(budgets) = veil.map(TextVeil::budgets).or_else(|| without_curves(settings.budget)) {
            lines.extend(Group::ALL.map(|group| ("", format!("{group}: {}", amount(budgets.of(group))))));
        }
        let replaced = match (settings.at_zero, &self.model) {
            (AtZero::Fill, Some(model)) => format!("fill, with {model}"),
            (AtZero::Surrogate, _) => format!("surrogate, shape {}", settings.shape),
            (how, _) => how.name().to_owned(),
        };
        let casing = match settings.casing {
            CasingPolicy::AsOriginal => "original",
            CasingPolicy::AsVocabulary => "vocabulary",
        };
        lines.extend([("mechanism", mechanism(&settings.mechanism)), ("at ε = 0", replaced)]);
        // Shown only if it was set.
        lines.extend(match settings.consistent {
            Consistency::None => None,
            scope => Some(("consistent", format!("within the {}", scope.name()))),
        });
        lines.extend([
            ("identifiers", settings.identifiers.name().to_owned()),
            ("punctuation", settings.punctuation.name().to_owned()),
            ("casing", casing.to_owned()),
        ]);
        lines
    }
}

fn sensitive(settings: &TextSettings) -> String {
    let detect = &settings.detect;
    let mut words = match settings.grouping {
        Grouping::Text => format!("by the whole text, tier {}", detect.tier),
        Grouping::Public => "by each word alone, with rules and lists of names".to_owned(),
    };
    let own = [
        (detect.rules.len(), "custom rule", "custom rules"),
        (detect.lists.len(), "custom list", "custom lists"),
        (detect.deny.len(), "denied phrase", "denied phrases"),
        (detect.allow.len(), "allowed phrase", "allowed phrases"),
    ];
    for (count, one, several) in own {
        if count > 0 {
            words += &format!(", {count} {}", if count == 1 { one } else { several });
        }
    }
    words
}

fn needed(settings: &TextSettings, veil: Option<&TextVeil>) -> String {
    let count = settings.tasks.len();
    if count == 0 {
        return "no word: there is no task".to_owned();
    }
    let by = match settings.task_vector {
        TaskVector::Tokens => "the mean of its tokens",
        TaskVector::Weighted => "the weighted mean of its tokens",
        TaskVector::Sentence => "its sentence embedding",
        TaskVector::Context => "its sentence embedding and that of each word in its text",
    };
    let tasks = if count == 1 { format!("1 task, by {by}") } else { format!("{count} tasks, each by {by}") };
    match veil.map(TextVeil::threshold).or(settings.threshold) {
        Some(threshold) => format!("relevance of at least {threshold}, for {tasks}"),
        None => format!("relevance as the pack recommends, for {tasks}"),
    }
}

/// A budget as the user gave it.
fn said(budget: Budget) -> String {
    match budget {
        Budget::Preset(preset) => format!("preset {preset}"),
        Budget::Base(base) => format!("{} times 2 : 1 : 4 : 3", base.readable()),
        Budget::Each(_) => "one for each group".to_owned(),
        Budget::Uniform(_) => "the same for every word".to_owned(),
        Budget::TargetSurvival(share) => {
            format!("a sensitive word survives unchanged with probability at most {share}")
        }
    }
}

/// The budgets of the groups, if they are known without a pack.
fn without_curves(budget: Budget) -> Option<Budgets> {
    match budget {
        Budget::Preset(Preset::Paper(row)) => row.budgets().ok(),
        Budget::Base(base) => Budgets::from_base(base.get()).ok(),
        Budget::Each(budgets) => Some(budgets),
        Budget::Uniform(budget) => Some(Budgets::uniform(budget)),
        Budget::Preset(_) | Budget::TargetSurvival(_) => None,
    }
}

fn amount(epsilon: Epsilon) -> String {
    if epsilon.is_zero() {
        "ε = 0, replaced".to_owned()
    } else if epsilon.is_infinite() {
        "ε = inf, kept".to_owned()
    } else {
        format!("ε = {}", epsilon.readable())
    }
}

/// A mechanism with its parameters.
fn mechanism(mechanism: &MechanismSettings) -> String {
    let name = mechanism.name;
    match name {
        MechanismName::Polar => format!("{name}, calibration {}", mechanism.calibration),
        MechanismName::PolarRadial => format!(
            "{name}, calibration {}, ε of the length {}",
            mechanism.calibration,
            mechanism.radial_epsilon.readable()
        ),
        MechanismName::LaplaceL1 => format!("{name}, nearest by {}", mechanism.nearest_by.name()),
        MechanismName::Mahalanobis => format!("{name}, ellipse {}", mechanism.ellipse),
        MechanismName::TruncatedExponential => format!("{name}, failure {}", mechanism.failure),
        _ => name.to_string(),
    }
}
