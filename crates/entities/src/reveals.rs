//! What replacements by identities and shifted values reveal.

/// A fact about the original that its replacements keep. The receipt of a release lists them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reveal {
    /// Two mentions are of the same entity.
    Repetitions,
    /// The form of a name.
    NameForm,
    /// The gender that a title, name or pronoun implies.
    Gender,
    /// The script of a name that is not in Latin letters.
    Script,
    /// Titles.
    Titles,
    /// Two people have the same family name.
    SharedFamilyName,
    /// Who owns a handle or address.
    HandleOwner,
    /// Which organisation owns a domain.
    DomainOwner,
    /// The form of an organisation's name.
    OrganisationForm,
    /// Whether a place is a country, a language, a state, a region, a county or another place.
    PlaceKind,
    /// The size of a city, in three classes.
    CitySize,
    /// The order of dates and the days between them.
    DateIntervals,
    /// Minutes of times of day, and the hours between them.
    Times,
    /// Ages to within a few years.
    Ages,
    /// The ratios of amounts.
    AmountRatios,
    /// Quantities with units.
    Quantities,
    /// The topic of a disease, medication or job.
    Topics,
}

impl Reveal {
    /// Returns the fact in words.
    pub fn about(self) -> &'static str {
        match self {
            Reveal::Repetitions => "which mentions are of the same person, organisation or place",
            Reveal::NameForm => "the form of each name: which parts of it are written, and their casing",
            Reveal::Gender => "the gender that a title, a given name or a pronoun implies",
            Reveal::Script => {
                "the script of names that are not in Latin letters, and whether their only word is a family name"
            }
            Reveal::Titles => "titles before and after names, which are kept",
            Reveal::SharedFamilyName => "which people share a family name",
            Reveal::HandleOwner => "which addresses and user names are built from which name, and how",
            Reveal::DomainOwner => "which addresses are at the domain of which organisation",
            Reveal::OrganisationForm => {
                "the legal form of organisations, words for their sort such as bank or hospital, and the number of words"
            }
            Reveal::PlaceKind => {
                "whether a place is a country, a language, a state of the United States, a region, a county or another place"
            }
            Reveal::CitySize => {
                "whether a city has more than a million people, more than 100,000, or fewer or an unknown number"
            }
            Reveal::DateIntervals => {
                "the order of dates and the days between them, and the minutes of times beside them; names of holidays; a date to within two years; one known date reveals all"
            }
            Reveal::Times => {
                "the minutes of times of day, their order and the hours between them; a time to within two hours"
            }
            Reveal::Ages => "ages to within three years, and the differences between ages",
            Reveal::AmountRatios => {
                "the currency and notation of amounts, their ratios, and amounts to within a third; one known amount reveals all"
            }
            Reveal::Quantities => "quantities with units, such as doses, which are kept",
            Reveal::Topics => {
                "the topic of diseases, medications and jobs, such as bones and joints; articles and plurals"
            }
        }
    }
}
