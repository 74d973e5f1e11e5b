//! Special categories: what Article 9 of the GDPR names, and what HIPAA and other laws add.
//!
//! The sentences are not those of the rules' tests, and the lists have words that the rules do not know.

use super::Class;

const WHO: &[&str] = &[
    "my brother",
    "my neighbour",
    "Maria",
    "the applicant",
    "our new hire",
    "she",
    "he",
    "my boss",
    "Ahmed",
    "my roommate",
];

const WHOM: &[&str] = &[
    "my brother",
    "my neighbour",
    "Maria",
    "the applicant",
    "our new hire",
    "my boss",
    "Ahmed",
    "my roommate",
];

macro_rules! said {
    ($($name:literal [$($template:literal),* $(,)?] [$($value:literal),* $(,)?];)*) => {
        pub(super) static CLASSES: &[Class] = &[$(Class {
            name: $name,
            templates: &[$($template),*],
            lists: &[("who", WHO), ("whom", WHOM), ("v", &[$($value),*])],
            change: None,
        }),*];
    };
}

said! {
    "orientation" ["{who} is [[{v}]]", "I think {who} is [[{v}]]", "{who} told everyone about being [[{v}]]", "nobody knows that {who} is [[{v}]]"]
        ["gay", "lesbian", "bisexual", "asexual", "queer", "homosexual", "pansexual", "attracted to men"];
    "gender identity" ["{who} is {v}", "{who} came out as {v} at work", "is {who} {v}?"]
        ["[[transgender]]", "[[trans]]", "[[non-binary]]", "[[intersex]]", "[[genderfluid]]", "a [[trans woman]]"];
    "sex life" ["{who} [[{v}]] a colleague", "{who} says he [[{v}]] someone from work", "last year {who} [[{v}]] my best friend"]
        ["had an affair with", "slept with", "had sex with", "hooked up with", "cheated with"];
    "sex life, things" ["{who} talked about a [[{v}]]", "{who} regrets the [[{v}]]", "after the [[{v}]] she got tested, says {who}"]
        ["one-night stand", "threesome", "sex tape", "open marriage", "fetish"];
    "ethnicity" ["{who} is [[{v}]].", "{who} is [[{v}]] and new in town", "because {who} was [[{v}]], they said"]
        ["black", "Latino", "Hispanic", "Romani", "Aboriginal", "biracial", "Kurdish", "African American", "Native American", "Asian"];
    "religion" ["{who} is [[{v}]]", "{who} was raised [[{v}]]", "everyone knows {who} is a [[{v}]]"]
        ["Catholic", "Muslim", "Jewish", "Hindu", "Sikh", "Buddhist", "Mormon", "atheist", "Baptist", "Quaker"];
    "religious practice" ["{who} {v}", "I heard that {who} {v}", "since spring {who} {v} again"]
        ["[[converted to Islam]]", "[[goes to mass]]", "[[wears a hijab]]", "[[keeps kosher]]", "[[left the church]]", "[[prays five times a day]]"];
    "political opinion" ["{who} is a [[{v}]]", "{who} has always been a [[{v}]]", "at home {who} is a proud [[{v}]]"]
        ["communist", "socialist", "Republican", "libertarian", "anarchist", "Marxist", "Tory", "fascist", "monarchist"];
    "vote" ["{who} {v}", "{who} said he {v} last time", "of course {who} {v}"]
        ["[[voted Labour]]", "[[voted Republican]]", "voted for the [[Greens]]", "[[voted leave]]", "[[votes Tory]]"];
    "union membership" ["{who} is a [[{v}]]", "they fired {whom} for being a [[{v}]]", "{who} became a [[{v}]] in May"]
        ["union member", "shop steward", "union rep", "trade unionist", "union organiser"];
    "union action" ["{who} [[{v}]]", "last week {who} [[{v}]]", "the reason: {who} [[{v}]]"]
        ["joined the union", "pays union dues", "organised the strike", "joined the picket line", "went on strike"];
    "pregnancy" ["{who} had {v}", "{who} told HR about {v}", "nobody knew of {v}, but {who} did"]
        ["an [[abortion]]", "a [[miscarriage]]", "a [[stillbirth]]", "[[IVF]]", "a [[C-section]]"];
    "health, adjectives" ["{who} is [[{v}]]", "{who} is [[{v}]] and off work", "since when is {who} [[{v}]]?"]
        ["pregnant", "HIV-positive", "bipolar", "diabetic", "alcoholic", "suicidal", "autistic", "epileptic", "infertile", "depressed"];
    "health, things" ["{who} has {v}", "{who} was treated for {v}", "they say {who} suffers from {v}"]
        ["[[cancer]]", "[[depression]]", "[[herpes]]", "[[dementia]]", "an [[eating disorder]]", "[[epilepsy]]", "[[hepatitis C]]", "[[PTSD]]", "[[panic attacks]]", "[[lupus]]"];
    "addiction" ["{who} is {v}", "{who} was {v} for years", "my mother says {who} is {v}"]
        ["a [[recovering alcoholic]]", "[[addicted to painkillers]]", "a [[heroin addict]]", "in [[rehab]]", "a [[drug addict]]"];
    "drugs" ["{who} uses [[{v}]]", "{who} was caught with [[{v}]]", "police found [[{v}]] at the flat of {whom}"]
        ["heroin", "cocaine", "crystal meth", "fentanyl", "cannabis", "ecstasy", "LSD", "oxycodone"];
    "medication" ["{who} takes [[{v}]]", "{who} is on [[{v}]] since May", "the doctor gave {whom} [[{v}]]"]
        ["sertraline", "lithium", "methadone", "insulin", "Truvada", "Ritalin", "antidepressants", "metformin"];
    "disability" ["{who} is {v}", "{who} has been {v} since birth", "at work {who} hides being {v}"]
        ["[[deaf]]", "[[disabled]]", "[[dyslexic]]", "[[paralysed]]", "a [[wheelchair user]]", "an [[amputee]]"];
    "biometric data" ["they took the [[{v}]] of {whom}", "{who} gave a [[{v}]]", "the [[{v}]] of {whom} is on file"]
        ["fingerprints", "iris scan", "voiceprint", "retina scan", "palm print", "face template"];
    "genetic data" ["{who} carries {v}", "{who} tested positive for {v}", "a lab found {v} in the sample of {whom}"]
        ["[[BRCA1]]", "[[BRCA2]]", "the [[Huntington's gene]]", "[[sickle cell trait]]", "a [[genetic mutation]]", "[[APOE4]]"];
    "crime, suffered" ["{who} was [[{v}]]", "{who} was [[{v}]] as a student", "I know that {who} was [[{v}]]"]
        ["raped", "sexually assaulted", "molested", "stabbed", "mugged", "trafficked", "stalked"];
    "crime, committed" ["{who} was [[{v}]]", "{who} was [[{v}]] in 2019", "before that {who} was [[{v}]]"]
        ["convicted of fraud", "arrested", "jailed", "charged with assault", "convicted", "sentenced", "indicted"];
    "crime, status" ["{who} is {v}", "{who} is still {v}", "the letter says {who} is {v}"]
        ["[[on parole]]", "[[on probation]]", "[[in prison]]", "a [[felon]]", "a [[registered sex offender]]", "[[behind bars]]"];
    "crime, things" ["{who} has a [[{v}]]", "{who} told us about a [[{v}]]", "the court file of {whom} shows a [[{v}]]"]
        ["criminal record", "restraining order", "DUI", "felony", "prior conviction", "burglary"];
    "family, relatives" ["my [[{v}]] knows about it", "talk to her [[{v}]]", "his [[{v}]] moved out", "Maria's [[{v}]] called"]
        ["husband", "wife", "daughter", "son", "mother-in-law", "stepfather", "ex-husband", "girlfriend", "twins", "nephew"];
    "family, changes" ["{who} got [[{v}]]", "{who} was [[{v}]] at thirty", "it hurts {whom} to be [[{v}]]"]
        ["divorced", "widowed", "adopted", "separated", "remarried"];
    "immigration status" ["{who} is {v}", "{who} is {v} and afraid", "the landlord knows {who} is {v}"]
        ["[[undocumented]]", "an [[asylum seeker]]", "a [[refugee]]", "[[stateless]]", "an [[illegal immigrant]]", "a [[green card holder]]"];
    "immigration, events" ["{who} {v}", "in 2015 {who} {v}", "his file says {who} {v}"]
        ["[[overstayed a visa]]", "was [[deported]]", "was [[denied asylum]]", "[[crossed the border illegally]]", "lost the [[work permit]]"];
    "finances, status" ["{who} is [[{v}]]", "{who} is [[{v}]] again", "we learned that {who} is [[{v}]]"]
        ["bankrupt", "in debt", "on food stamps", "behind on rent", "unemployed", "on benefits", "overdrawn"];
    "finances, things" ["{who} has a bad [[{v}]]", "the [[{v}]] of {whom} is known", "{who} worries about the [[{v}]]"]
        ["credit score", "mortgage", "credit card debt", "payday loan", "salary", "eviction notice", "net worth"];
}
