//! Special categories: rules over the word groups of [`crate::special`]. Their scores count as certain, so that
//! the kind is theirs where a tagger only sees a trait.

use super::rule::{Edges, Rule, Trigger};
use crate::kind::Kind;
use crate::special::{find_at, first_words};

macro_rules! rules_of {
    ($($kind:ident $name:literal $about:literal $score:literal;)*) => {
        fn word_rules() -> Vec<Rule> {
            vec![$(
                Rule::new($name, Kind::$kind, $about, $score)
                    .parsed(Trigger::Words(first_words(&Kind::$kind)), |text, at, found| {
                        found.extend(find_at(&Kind::$kind, text, at));
                    })
                    .edges(Edges::Word),
            )*]
        }
    };
}

rules_of! {
    Orientation "orientation-said" "Sexual orientation, gender identity or sex life of a person." 0.82;
    Ethnicity "ethnicity-said" "Racial or ethnic origin of a person." 0.82;
    Belief "belief-said" "The religion or belief of a person." 0.82;
    Politics "politics-said" "A political opinion or membership in a party or union." 0.82;
    Health "health-said" "The health of a person in plain words." 0.82;
    Medication "drug-said" "A drug that a person takes." 0.82;
    Biometric "biometric-said" "Biometric or genetic data of a person." 0.82;
    Crime "crime-said" "A conviction or an offence of a person, or against one." 0.82;
    Family "family-said" "A relative of a person, or a change in a family." 0.82;
    Immigration "immigration-said" "The immigration status of a person." 0.82;
    Finance "finance-said" "The financial circumstances of a person." 0.82;
}

pub(super) fn rules() -> Vec<Rule> {
    let mut rules = word_rules();
    let party = r"(?i: for)(?: the)? ([A-Z][\p{L}-]{1,20}(?: [A-Z][\p{L}-]{1,20}){0,2})";
    rules.push(
        Rule::new("vote-said", Kind::Politics, "Whom somebody voted for.", 0.82)
            .led(&["voted", "votes", "voting", "vote"], party)
            .edges(Edges::Word),
    );
    rules
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{finds, ignores};

    #[test]
    fn what_is_said_of_a_person_is_found() {
        finds(
            "orientation-said",
            &[
                "my brother is [[gay]]",
                "Ana told us she is [[bisexual]].",
                "he had an [[open marriage]] for years",
            ],
        );
        ignores("orientation-said", &["The Gay Divorcee is a film", "trans fats are bad"]);
        finds(
            "crime-said",
            &["he was [[raped]]", "she is [[on parole]] until May", "my uncle was [[convicted]]"],
        );
        ignores("crime-said", &["charged with 5 volts", "a conviction of the court"]);
        finds("family-said", &["my [[husband]] knows", "Ana's [[daughter]]", "she got [[divorced]]"]);
        ignores("family-said", &["the parent node and its children", "a mother board"]);
        finds("politics-said", &["my boss is a [[communist]]", "she is a [[shop steward]]"]);
        ignores("politics-said", &["the communist party", "a conservative estimate of his speed"]);
        finds("vote-said", &["she voted for the [[Greens]]", "he votes for [[Labour]]."]);
        ignores("vote-said", &["they voted for a new chair"]);
        finds("health-said", &["she is [[pregnant]]", "he is [[HIV-positive]]", "I had an [[abortion]]"]);
        ignores("health-said", &["alcoholic drinks", "the abort handler"]);
        finds("immigration-said", &["our nanny is [[undocumented]]", "he is an [[asylum seeker]]"]);
        finds("finance-said", &["he went to court and is [[bankrupt]]", "my [[credit score]] is low"]);
        finds("ethnicity-said", &["the suspect is [[black]].", "a [[black]] woman sat there"]);
        ignores("ethnicity-said", &["a black box", "black and white photos"]);
        finds("belief-said", &["she is [[Muslim]]", "my tenant is a [[Jehovah's Witness]]"]);
        finds("drug-said", &["he uses [[heroin]]"]);
        finds("biometric-said", &["her [[fingerprints]] were taken", "carrier of [[BRCA1]]"]);
    }
}
