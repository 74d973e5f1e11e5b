//! The counts of a text, and the sinks that receive them.

use std::ops::Range;

/// Something that observers count. Features are ratios of these counts; see [`super::table`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u16)]
#[rustfmt::skip]
pub(super) enum Sign {
    // Units, which other counts are related to.
    Words, Letters, Characters, Sentences, SentenceWords, SentenceWordsSquared, Lines, Paragraphs, Blocks, Windows,
    // Sentences.
    ShortSentence, LongSentence, StartsConjunction, StartsI, StartsPointer, StartsIntro, StartsAlike, AfterFirst,
    Question, Exclamation, TrailsOff, Unended, PassiveLike, Progressive,
    // Words.
    ShortWord, LongWord, LyAdverb, IngWord, AbstractNoun, Hyphenated, DigitNumber, WordNumber, Stretched,
    Doubled, FirstSingular, FirstPlural, SecondPerson, ThirdPerson,
    // Punctuation.
    Comma, FullStop, Semicolon, Colon, HyphenAsDash, DoubleHyphen, EnDash, EmDash, DashTight, DashSpaced, ThreeDots,
    Ellipsis, OddDots, ExclamationMark, QuestionMark, ManyExclamations, ManyQuestions, MixedMarks, Parenthesis,
    Bracket, StraightDouble, CurlyDouble, StraightSingle, CurlySingle, CurlyApostrophe, StraightApostrophe, MarkInside,
    MarkOutside, Slash, Ampersand, Percent, PercentWord, Currency, Oxford, NotOxford, CommaBut,
    PlainBut, Dotted, Undotted,
    // Spaces.
    TwoSpacesAfterStop, OneSpaceAfterStop, SpaceBeforeMark, NoSpaceAfterComma, SpaceAfterComma, NoSpaceAfterStop,
    DoubleSpace,
    // Contractions.
    NotShort, NotFull, BeShort, BeFull, WillShort, WillFull, AnyShort, AnyFull, ApostropheMissing, ApostropheWritten,
    SpokenForm, SpokenFull, Clipped, DroppedG,
    // Casing.
    LowerStart, UpperStart, LowerI, UpperI, Shouted, ShortCapitals, CapitalInside, MixedCase, LowerName, UpperName,
    LowerLine, CasedLine, CapitalAfterColon, LowerAfterColon,
    // Spelling.
    BritishOur, AmericanOur, BritishIse, AmericanIze, BritishRe, AmericanEr, BritishDouble, AmericanSingle,
    BritishWord, AmericanWord, PastT, PastEd, WithS, WithoutS, AnyBritish, AnyAmerican, Misspelling, TypingSlip,
    WrongJoin, SoundAlike, OfForHave, HaveForHave, Okay, Ok, Thanks, ThankYou, Yeah, Yes,
    // Vocabulary.
    DistinctInWindows, OnceInBlocks, Grammar, Hedge, Intensifier, Certainty, Filler, Connective, Politeness, Negation,
    Modal, Chat, Laughter, StrongWord,
    // Characters.
    Emoji, Emoticon, NosedEmoticon, PlainEmoticon, Capital, DigitCharacter, DoubleLetter, AccentedLetter,
    LetterE, LetterT, LetterS, LetterH, LetterW, LetterY,
    PairTh, PairHe, PairIn, PairEr, PairOu, PairLy,
    // Layout.
    OneSentenceParagraph, LineBreak, BlankLine, BulletLine, NumberedLine, HeadingLine, QuoteLine,
    TrailingSpace, Emphasis, Code, MarkdownLink, Link, Hashtag, Mention,
    /// The first of the function words; the others follow. It must stay last.
    FunctionWords,
}

impl Sign {
    pub(super) const fn slot(self) -> Slot {
        Slot(self as u16)
    }
}

/// The index of a count: a [`Sign`] or a function word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Slot(u16);

impl Slot {
    /// The number of counts.
    pub(super) const COUNT: usize = Sign::FunctionWords as usize + super::lists::FUNCTION_WORDS.len();

    pub(super) const fn function_word(index: usize) -> Self {
        Self(Sign::FunctionWords as u16 + index as u16)
    }

    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }
}

impl From<Sign> for Slot {
    fn from(sign: Sign) -> Self {
        sign.slot()
    }
}

/// Receives what observers find, and where. Counting and the search for examples are two sinks of
/// the same observers, so an example always shows something that was counted.
pub(super) trait Sink {
    /// Adds `amount` of something at a place. An empty place means no particular place.
    fn add(&mut self, what: impl Into<Slot>, amount: f64, place: Range<usize>);

    /// Adds one at a place.
    fn note(&mut self, what: impl Into<Slot>, place: Range<usize>) {
        self.add(what, 1.0, place);
    }

    /// Adds one of two choices at a place.
    fn choose(&mut self, first: bool, choices: (Sign, Sign), place: Range<usize>) {
        self.note(if first { choices.0 } else { choices.1 }, place);
    }

    /// Adds an amount at no particular place.
    fn count(&mut self, what: impl Into<Slot>, amount: usize) {
        self.add(what, amount as f64, 0..0);
    }
}

/// A sink that counts.
pub(super) struct Tally([f64; Slot::COUNT]);

impl Tally {
    pub(super) fn new() -> Self {
        Self([0.0; Slot::COUNT])
    }

    pub(super) fn get(&self, slot: Slot) -> f64 {
        self.0.get(slot.index()).copied().unwrap_or(0.0)
    }
}

impl Sink for Tally {
    fn add(&mut self, what: impl Into<Slot>, amount: f64, _: Range<usize>) {
        if let Some(count) = self.0.get_mut(what.into().index()) {
            *count += amount;
        }
    }
}
