//! Companies, hospitals, schools and authorities; jobs.

use crate::generator::Generator;
use crate::letters::capitalised;
use crate::lists::List;

impl Generator {
    pub(crate) fn company(&mut self) -> String {
        let word = self.entry(List::CompanyWords);
        let field = self.entry(List::CompanyFields);
        let suffix = self.entry(List::CompanySuffixes);
        let (one, two) = (self.person().family, self.person().family);
        match self.dice.below(40) {
            0..6 => format!("{word} {field} {suffix}"),
            6..11 => format!("{word} {field}"),
            11..14 => format!("{word} {suffix}"),
            14..17 => format!("{one} & {two}"),
            17 => format!("{one} and {two}"),
            18..21 => format!("{one} {field}"),
            21..23 => format!("{one} {suffix}"),
            23 => format!("{one}, {two} and {}", self.person().family),
            24 => format!("{one}-{two}"),
            25..27 => format!("{one} & {two} {suffix}"),
            27..29 => format!("{} {field}", self.city()),
            29 => format!("{word}{}", field.to_lowercase()),
            30 => format!("{word} & {}", self.entry(List::CompanyWords)),
            31 => format!("The {word} {field}"),
            32 => format!("{word} {} {field}", self.entry(List::CompanyWords)),
            33 => format!("{one} {field} {suffix}"),
            34 => format!("{} {suffix}", self.dice.fill_one(&["@@@", "@@", "@&@", "@@@@"])),
            35 => format!("{} of {}", field, self.city()),
            36 => format!("{one}'s {field}"),
            37 => format!("{one}, {suffix}"),
            38 => format!("{} {}", self.dice.fill("@@@"), field),
            _ => word,
        }
    }

    pub(crate) fn hospital(&mut self) -> String {
        let kind = self.entry(List::HospitalKinds);
        match self.dice.below(10) {
            0..4 => format!("{} {kind}", self.entry(List::Saints)),
            4..7 => format!("{} {kind}", self.city()),
            7 => format!("{} {kind}", self.person().family),
            8 => format!("{} {kind}", self.entry(List::CompanyWords)),
            _ => format!("{kind} of {}", self.city()),
        }
    }

    pub(crate) fn school(&mut self) -> String {
        let kind = self.entry(List::SchoolKinds);
        match self.dice.below(12) {
            0..3 => format!("{} {kind}", self.city()),
            3..5 => format!("{} {kind}", self.person().family),
            5 => format!("{} {} {kind}", self.person().given, self.person().family),
            6 => format!("{} {kind}", self.entry(List::Saints)),
            7 => format!("University of {}", self.city()),
            8 => format!("{} {kind}", self.entry(List::Streets)),
            9 => format!("{} University", self.entry(List::StatesUs)),
            10 => format!("{} {kind}", self.entry(List::CompanyWords)),
            _ => format!("{kind} of {}", self.city()),
        }
    }

    pub(crate) fn agency(&mut self) -> String {
        let agency = self.entry(List::Agencies);
        match self.dice.below(8) {
            0 => format!("{} {agency}", self.city()),
            1 => format!("{} {agency}", self.entry(List::StatesUs)),
            2 => format!("{} {agency}", self.entry(List::Nationalities)),
            3 => format!("{agency} of {}", self.entry(List::Countries)),
            _ => agency,
        }
    }

    pub(crate) fn job(&mut self) -> String {
        let job = self.entry(List::Jobs);
        let (level, area) = (self.entry(List::JobLevels), self.entry(List::JobAreas));
        match self.dice.below(20) {
            0..7 => job,
            7..10 => titled(&job),
            10..12 => format!("{} {job}", level.to_lowercase()),
            12..14 => format!("{level} {}", titled(&job)),
            14..16 => {
                let role = self.dice.one_of(ROLES);
                format!("{level} {} {role}", titled(&area))
            }
            16 => format!("{} {}", titled(&area), self.dice.one_of(ROLES)),
            17 => format!("{area} {}", self.dice.one_of(ROLES).to_lowercase()),
            18 => format!(
                "{} of {}",
                self.dice.one_of(&["Head", "Director", "Vice President", "VP"]),
                titled(&area)
            ),
            _ => self
                .dice
                .one_of(&["CEO", "CFO", "CTO", "COO", "CIO", "CMO", "GP", "RN", "HGV driver", "MD", "VP"])
                .to_owned(),
        }
    }

    pub(crate) fn job_area(&mut self) -> String {
        let area = self.entry(List::JobAreas);
        if self.dice.chance(50) { titled(&area) } else { area }
    }
}

const ROLES: &[&str] = &[
    "Manager",
    "Coordinator",
    "Analyst",
    "Specialist",
    "Officer",
    "Engineer",
    "Consultant",
    "Director",
    "Assistant",
    "Administrator",
    "Associate",
    "Supervisor",
    "Technician",
    "Advisor",
    "Lead",
    "Executive",
    "Representative",
    "Planner",
    "Strategist",
    "Architect",
    "Agent",
    "Clerk",
    "Developer",
    "Designer",
    "Liaison",
    "Producer",
    "Facilitator",
    "Orchestrator",
];

/// Capitalises all words except short function words: "Head of Public Affairs".
fn titled(text: &str) -> String {
    let word = |word: &str| match word {
        "of" | "and" | "the" | "in" | "for" => word.to_owned(),
        _ => capitalised(word),
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::testing::generator;

    #[test]
    fn titles_leave_small_words_small() {
        assert_eq!(titled("health and safety officer"), "Health and Safety Officer");
    }

    #[test]
    fn organisations_vary() {
        let mut generator = generator(1);
        let companies: HashSet<String> = (0..500).map(|_| generator.company()).collect();
        let jobs: HashSet<String> = (0..500).map(|_| generator.job()).collect();
        assert!(companies.len() > 450 && jobs.len() > 300, "{} {}", companies.len(), jobs.len());
    }
}
