//! The lists by name.

/// Whether unseen members can occur.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Names and the like: one part is for training and one is held out.
    Open,
    /// Countries and the like: complete, so nothing is held out.
    Closed,
}

macro_rules! lists {
    ($($list:ident $name:literal $class:ident;)*) => {
        /// The lists of names, places and words.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum List {
            $(#[doc = concat!("`", $name, ".txt`")] $list,)*
        }

        impl List {
            /// All lists.
            pub const ALL: &'static [List] = &[$(List::$list),*];

            /// Returns the name of its file without `.txt`.
            pub fn name(self) -> &'static str {
                match self { $(List::$list => $name,)* }
            }

            pub(super) fn class(self) -> Class {
                match self { $(List::$list => Class::$class,)* }
            }
        }
    };
}

lists! {
    GivenUs "given-us" Open;
    GivenHispanic "given-hispanic" Open;
    GivenAsian "given-asian" Open;
    GivenGerman "given-german" Open;
    GivenFrench "given-french" Open;
    GivenItalian "given-italian" Open;
    GivenPortuguese "given-portuguese" Open;
    GivenDutch "given-dutch" Open;
    GivenNordic "given-nordic" Open;
    GivenSlavic "given-slavic" Open;
    GivenEastern "given-eastern" Open;
    GivenBaltic "given-baltic" Open;
    GivenHungarian "given-hungarian" Open;
    GivenMediterranean "given-mediterranean" Open;
    GivenTurkish "given-turkish" Open;
    GivenArabic "given-arabic" Open;
    GivenIndian "given-indian" Open;
    GivenChinese "given-chinese" Open;
    GivenJapanese "given-japanese" Open;
    GivenKorean "given-korean" Open;
    GivenVietnamese "given-vietnamese" Open;
    GivenSoutheast "given-southeast" Open;
    GivenAfrican "given-african" Open;
    FamilyUs "family-us" Open;
    FamilyHispanic "family-hispanic" Open;
    FamilyAsian "family-asian" Open;
    FamilyGerman "family-german" Open;
    FamilyFrench "family-french" Open;
    FamilyItalian "family-italian" Open;
    FamilyPortuguese "family-portuguese" Open;
    FamilyDutch "family-dutch" Open;
    FamilyNordic "family-nordic" Open;
    FamilySlavic "family-slavic" Open;
    FamilyEastern "family-eastern" Open;
    FamilyBaltic "family-baltic" Open;
    FamilyHungarian "family-hungarian" Open;
    FamilyMediterranean "family-mediterranean" Open;
    FamilyTurkish "family-turkish" Open;
    FamilyArabic "family-arabic" Open;
    FamilyIndian "family-indian" Open;
    FamilyChinese "family-chinese" Open;
    FamilyJapanese "family-japanese" Open;
    FamilyKorean "family-korean" Open;
    FamilyVietnamese "family-vietnamese" Open;
    FamilySoutheast "family-southeast" Open;
    FamilyAfrican "family-african" Open;
    Titles "titles" Closed;
    Genders "genders" Closed;
    EyeColours "eye-colours" Closed;
    Marital "marital" Closed;
    Religions "religions" Closed;
    Languages "languages" Closed;
    Nationalities "nationalities" Closed;
    Countries "countries" Closed;
    StatesUs "states-us" Closed;
    Regions "regions" Closed;
    CountiesUs "counties-us" Open;
    CountiesUk "counties-uk" Closed;
    Cities "cities" Open;
    Places "places" Open;
    Streets "streets" Open;
    StreetsForeign "streets-foreign" Closed;
    StreetTypes "street-types" Closed;
    Currencies "currencies" Closed;
    Jobs "jobs" Open;
    JobLevels "job-levels" Closed;
    JobAreas "job-areas" Open;
    CompanyWords "company-words" Open;
    CompanyFields "company-fields" Open;
    CompanySuffixes "company-suffixes" Closed;
    Saints "saints" Closed;
    HospitalKinds "hospital-kinds" Closed;
    SchoolKinds "school-kinds" Closed;
    Agencies "agencies" Open;
    CardIssuers "card-issuers" Closed;
    AccountNames "account-names" Closed;
    Diseases "diseases" Open;
    Drugs "drugs" Open;
    Ordinary "ordinary" Closed;
}
