//! The roles of words.

/// A role of words. A word may have several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
#[rustfmt::skip]
pub(super) enum Role {
    FirstSingular, FirstPlural, Second, Third, Conjunction, Pointer, Be, TakesNot, Participle, Modal, Negation, Hedge,
    HedgingVerb, Intensifier, Certainty, Filler, Connective, Politeness, Chat, Laughter, Strong, Clipped, Spoken,
    MissingApostrophe, Yeah, NumberWord, Name, Abbreviation, AbbreviationAtEnd, NotAdverb, NotGerund, TypingSlip,
    WrongJoin, Misspelling, BritishOur, AmericanOur, BritishIse, AmericanIze, BritishRe, AmericanEr, BritishDouble,
    AmericanSingle, BritishWord, AmericanWord, PastT, PastEd, WithS, WithoutS,
}

/// A set of roles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Roles(pub(super) u64);

impl Roles {
    pub(super) fn has(self, role: Role) -> bool {
        self.0 & 1 << role as u8 != 0
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(super) fn insert(&mut self, role: Role) {
        self.0 |= 1 << role as u8;
    }
}
