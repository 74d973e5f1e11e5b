//! Names that a form of address or a greeting introduces, in languages other than English.

use super::letters::is_listed;
use super::rule::{Edges, Rule, Verdict};
use crate::kind::Kind;

/// Forms of address before a name. `Don`, `Sr` and `Mr` are left out: English has them with other meanings.
const TITLES: &[&str] = &[
    "herr",
    "herrn",
    "frau",
    "fräulein",
    "familie",
    "monsieur",
    "madame",
    "mme",
    "mlle",
    "mademoiselle",
    "maître",
    "señor",
    "señora",
    "señorita",
    "sra",
    "srta",
    "doña",
    "signor",
    "signora",
    "signorina",
    "sig",
    "dottor",
    "dott",
    "dottoressa",
    "avv",
    "senhor",
    "senhora",
    "exmo",
    "exma",
    "dhr",
    "mevr",
    "mevrouw",
    "meneer",
    "famille",
    "famiglia",
    "família",
    "docteur",
];

/// Words of a greeting before a name.
const GREETINGS: &[&str] = &[
    "hallo", "liebe", "lieber", "bonjour", "coucou", "salut", "cher", "chère", "hola", "querido", "querida",
    "estimado", "estimada", "ciao", "caro", "cara", "gentile", "olá", "oi", "hoi", "beste", "lieve", "moin",
    "servus",
];

/// Words before the name of the writer.
const CALLED: &[&str] = &["heiße", "heisse", "appelle", "llamo", "chiamo", "chamo", "heet"];

/// Particles of family names.
const PARTICLES: &str = "(?:von der|von|zu|van der|van den|van de|van|de la|de los|de las|de|del|della|dos|das|da|do|du|di|ten|ter|le|la)";
const NAME: &str =
    "[A-ZÀ-ÖØ-Þ](?:[a-zà-öø-ÿß]{1,20}|['’][A-ZÀ-ÖØ-Þ][a-zà-öø-ÿ]{1,20})(?:-[A-ZÀ-ÖØ-Þ][a-zà-öø-ÿß]{1,20})?";

pub(super) fn rules() -> Vec<Rule> {
    let person = |name: &'static str, about: &'static str, score: f32| {
        Rule::new(name, Kind::Person, about, score).edges(Edges::Word)
    };
    let names = format!("(?:{PARTICLES} )?{NAME}(?: (?:{PARTICLES} )?{NAME}){{0,2}}");
    let more = r"(?:\.ra|\.ssa|\.)?(?: (?:Dr|Prof|Dott|Dra|Ing|Dipl|med|Doktor)\.?){0,3}";
    vec![
        person("name-after-title", "A name after a form of address such as Herr or Madame.", 0.75)
            .led(TITLES, format!("{more} ({names})"))
            .filtered(not_a_role),
        person("name-after-greeting", "A name after a greeting such as Hallo or Bonjour.", 0.6)
            .led(GREETINGS, format!(r" ({NAME}(?: {NAME})?)[,!:;\n]"))
            .filtered(not_a_role),
        person("name-of-writer", "A name after words such as ich heiße or je m'appelle.", 0.75)
            .led(CALLED, format!("(?:-me)? ({names})"))
            .filtered(not_a_role),
    ]
}

/// Words after a form of address or a greeting that are no names.
const ROLES: &str = "\
    Präsident Präsidentin Professor Professorin Doktor Minister Ministerin Bundeskanzler Kollegen Kolleginnen \
    Freunde Damen Herren Herr Frau Nachbarn Zusammen Welt Leute Eltern Président Présidente Ministre Monsieur Madame \
    Mesdames Messieurs Tous Collègues Maire Presidente Ministro Ministra Director Directora Señor Señora Todos Amigos \
    Presidentessa Signor Signora Dottor Cliente Tutti Senhor Senhora Presidência Colega Colegas Heer Mevrouw Allemaal \
    Collega Voorzitter Dr Prof";

fn not_a_role(text: &str) -> Verdict {
    let first = text.split(' ').next().unwrap_or_default();
    if is_listed(ROLES, first) { Verdict::Invalid } else { Verdict::Unsure }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{finds, ignores};

    #[test]
    fn names_after_titles() {
        finds(
            "name-after-title",
            &[
                "Herr [[Müller]] kommt.",
                "an Frau Dr. [[Anna von der Heide]],",
                "Mme [[Dupont]] a appelé",
                "Madame [[Lefèvre-Martin]].",
                "la señora [[García Pérez]]",
                "Sig.ra [[Rossi]] è",
                "Sig. [[D'Angelo]]",
                "dhr. [[van den Berg]] belt",
                "o senhor [[João da Silva]]",
                "Familie [[Schäfer]]",
            ],
        );
        ignores(
            "name-after-title",
            &[
                "Frau und Herr",
                "Herr Präsident",
                "the frau was",
                "Madame Présidente",
                "Sr. Manager",
                "Señor Director",
                "Mevrouw",
            ],
        );
    }

    #[test]
    fn names_after_greetings() {
        finds(
            "name-after-greeting",
            &[
                "Hallo [[Anna]], wie",
                "Liebe [[Sabine]],",
                "Bonjour [[Marie]]!",
                "Hola [[Pedro]],",
                "Ciao [[Marco]],",
                "Olá [[João Pedro]],",
                "Beste [[Sanne]],",
            ],
        );
        ignores(
            "name-after-greeting",
            &[
                "Hallo zusammen,",
                "Hallo Welt!",
                "Liebe Kollegen,",
                "Bonjour Madame,",
                "Hola Todos,",
                "oi you",
            ],
        );
        finds(
            "name-of-writer",
            &[
                "ich heiße [[Klaus Becker]]",
                "je m'appelle [[Luc]].",
                "me llamo [[Ana María López]]",
                "mi chiamo [[Luca Bianchi]]",
                "chamo-me [[Rita]]",
            ],
        );
        ignores("name-of-writer", &["ich heiße nicht", "on appelle un", "me llamo así", "heet water"]);
    }
}
