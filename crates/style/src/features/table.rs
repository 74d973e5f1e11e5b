//! The table of features: their names and how they are measured.

use super::feature::{Feature, FeatureGroup, FeatureUnit, Measure};
use super::lists::FUNCTION_WORDS;
use super::sign::{Sign, Slot};

/// Returns all features, in the order of the values of a [`Profile`](super::Profile).
///
/// ```
/// use inkveil_style::features::{Profile, features};
///
/// let profile = Profile::of("Well, I think so.");
/// assert_eq!(profile.values().len(), features().len());
/// ```
pub fn features() -> &'static [Feature] {
    &TABLE
}

static TABLE: [Feature; NAMED.len() + FUNCTION_WORDS.len()] = {
    let mut table = [NAMED[0]; NAMED.len() + FUNCTION_WORDS.len()];
    let mut n = 0;
    while n < table.len() {
        table[n] = if n < NAMED.len() { NAMED[n] } else { function_word(n - NAMED.len()) };
        n += 1;
    }
    table
};

const fn function_word(index: usize) -> Feature {
    let (_, name, label) = FUNCTION_WORDS[index];
    let measure = Measure::Rate { of: Slot::function_word(index), per: Sign::Words };
    Feature {
        name,
        group: FeatureGroup::FunctionWords,
        label,
        unit: FeatureUnit::PerThousandWords,
        shown: true,
        measure,
    }
}

const fn feature(
    name: &'static str,
    group: FeatureGroup,
    label: &'static str,
    unit: FeatureUnit,
    measure: Measure,
) -> Feature {
    Feature { name, group, label, unit, shown: true, measure }
}

/// A number per 1000 words.
const fn rate(name: &'static str, group: FeatureGroup, label: &'static str, of: Sign) -> Feature {
    feature(
        name,
        group,
        label,
        FeatureUnit::PerThousandWords,
        Measure::Rate { of: of.slot(), per: Sign::Words },
    )
}

/// A share of all units.
const fn share(name: &'static str, group: FeatureGroup, label: &'static str, of: Sign, per: Sign) -> Feature {
    feature(name, group, label, FeatureUnit::Share, Measure::Mean { of, per })
}

/// A share of one of two choices.
const fn choice(
    name: &'static str,
    group: FeatureGroup,
    label: &'static str,
    of: Sign,
    other: Sign,
) -> Feature {
    feature(name, group, label, FeatureUnit::Share, Measure::Choice { of, other })
}

/// A mean number of words, letters or sentences.
const fn mean(
    name: &'static str,
    group: FeatureGroup,
    label: &'static str,
    unit: FeatureUnit,
    of: Sign,
    per: Sign,
) -> Feature {
    feature(name, group, label, unit, Measure::Mean { of, per })
}

/// A number per 1000 letters: for the vector, not for people.
const fn letters(name: &'static str, label: &'static str, of: Sign) -> Feature {
    let measure = Measure::Rate { of: of.slot(), per: Sign::Letters };
    Feature {
        name,
        group: FeatureGroup::Characters,
        label,
        unit: FeatureUnit::PerThousandLetters,
        shown: false,
        measure,
    }
}

/// A number per 1000 characters.
const fn characters(name: &'static str, label: &'static str, of: Sign) -> Feature {
    let measure = Measure::Rate { of: of.slot(), per: Sign::Characters };
    feature(name, FeatureGroup::Characters, label, FeatureUnit::PerThousandCharacters, measure)
}

use FeatureGroup::{
    Casing, Characters, Contractions, Layout, Punctuation, Sentences, Spelling, Vocabulary, Words,
};
use Sign as S;

#[rustfmt::skip]
const NAMED: &[Feature] = &[
    mean("sentence-words", Sentences, "words per sentence", FeatureUnit::Words, S::SentenceWords, S::Sentences),
    feature("sentence-words-spread", Sentences, "spread of words per sentence", FeatureUnit::Words,
        Measure::Spread { of: S::SentenceWords, squares: S::SentenceWordsSquared, per: S::Sentences }),
    share("short-sentences", Sentences, "sentences of at most 5 words", S::ShortSentence, S::Sentences),
    share("long-sentences", Sentences, "sentences of 30 words and more", S::LongSentence, S::Sentences),
    share("starts-conjunction", Sentences, "sentences that start with “and”, “but”, “so”", S::StartsConjunction, S::Sentences),
    share("starts-i", Sentences, "sentences that start with “I”", S::StartsI, S::Sentences),
    share("starts-pointer", Sentences, "sentences that start with “it”, “this”, “there”", S::StartsPointer, S::Sentences),
    share("starts-intro", Sentences, "sentences with an opening and a comma", S::StartsIntro, S::Sentences),
    share("starts-alike", Sentences, "sentences that start like the one before", S::StartsAlike, S::AfterFirst),
    share("questions", Sentences, "questions", S::Question, S::Sentences),
    share("exclamations", Sentences, "sentences that end with “!”", S::Exclamation, S::Sentences),
    share("trails-off", Sentences, "sentences that trail off with dots", S::TrailsOff, S::Sentences),
    share("unended", Sentences, "sentences without a mark at the end", S::Unended, S::Sentences),
    rate("passive-like", Sentences, "passive forms (“was asked”)", S::PassiveLike),
    rate("progressive", Sentences, "forms such as “is asking”", S::Progressive),

    mean("word-letters", Words, "letters per word", FeatureUnit::Letters, S::Letters, S::Words),
    share("short-words", Words, "words of at most 3 letters", S::ShortWord, S::Words),
    share("long-words", Words, "words of 8 letters and more", S::LongWord, S::Words),
    rate("ly-adverbs", Words, "adverbs in -ly", S::LyAdverb),
    rate("ing-words", Words, "words in -ing", S::IngWord),
    rate("abstract-nouns", Words, "nouns in -tion, -ment, -ness, -ity", S::AbstractNoun),
    rate("hyphenated", Words, "words joined by hyphens", S::Hyphenated),
    rate("stretched-words", Words, "stretched words (“sooo”)", S::Stretched),
    rate("doubled-words", Words, "words written twice (“very very”)", S::Doubled),
    rate("first-person", Words, "“I”, “me”, “my”", S::FirstSingular),
    rate("we", Words, "“we”, “us”, “our”", S::FirstPlural),
    rate("second-person", Words, "“you”, “your”", S::SecondPerson),
    rate("third-person", Words, "“he”, “she”, “they”", S::ThirdPerson),
    choice("numbers-as-digits", Words, "numbers written as digits", S::DigitNumber, S::WordNumber),

    rate("comma", Punctuation, "commas", S::Comma),
    rate("full-stop", Punctuation, "full stops", S::FullStop),
    rate("semicolon", Punctuation, "semicolons", S::Semicolon),
    rate("colon", Punctuation, "colons", S::Colon),
    rate("hyphen-as-dash", Punctuation, "hyphens as dashes ( - )", S::HyphenAsDash),
    rate("double-hyphen", Punctuation, "double hyphens (--)", S::DoubleHyphen),
    rate("en-dash", Punctuation, "en dashes (–)", S::EnDash),
    rate("em-dash", Punctuation, "em dashes (—)", S::EmDash),
    choice("spaced-dashes", Punctuation, "dashes with spaces around them", S::DashSpaced, S::DashTight),
    rate("three-dots", Punctuation, "three dots (...)", S::ThreeDots),
    rate("ellipsis-sign", Punctuation, "ellipsis signs (…)", S::Ellipsis),
    rate("odd-dots", Punctuation, "two, or four and more dots", S::OddDots),
    rate("exclamation-mark", Punctuation, "exclamation marks", S::ExclamationMark),
    rate("question-mark", Punctuation, "question marks", S::QuestionMark),
    rate("many-exclamations", Punctuation, "repeated exclamation marks (!!)", S::ManyExclamations),
    rate("many-questions", Punctuation, "repeated question marks (??)", S::ManyQuestions),
    rate("mixed-marks", Punctuation, "mixed marks (?!)", S::MixedMarks),
    rate("parenthesis", Punctuation, "parentheses", S::Parenthesis),
    rate("bracket", Punctuation, "square brackets", S::Bracket),
    rate("straight-double-quote", Punctuation, "straight double quotation marks", S::StraightDouble),
    rate("curly-double-quote", Punctuation, "curly double quotation marks", S::CurlyDouble),
    rate("straight-single-quote", Punctuation, "quotations in straight single marks", S::StraightSingle),
    rate("curly-single-quote", Punctuation, "quotations in curly single marks", S::CurlySingle),
    choice("curly-apostrophes", Punctuation, "apostrophes that are curly (’)", S::CurlyApostrophe, S::StraightApostrophe),
    choice("marks-inside-quotes", Punctuation, "commas and stops inside quotation marks", S::MarkInside, S::MarkOutside),
    rate("slash", Punctuation, "slashes between words", S::Slash),
    rate("ampersand", Punctuation, "ampersands", S::Ampersand),
    choice("percent-sign", Punctuation, "“%” instead of “percent”", S::Percent, S::PercentWord),
    rate("currency", Punctuation, "currency signs", S::Currency),
    choice("oxford-comma", Punctuation, "lists with a comma before “and”", S::Oxford, S::NotOxford),
    choice("comma-before-but", Punctuation, "commas before “but”", S::CommaBut, S::PlainBut),
    choice("dotted-eg", Punctuation, "“e.g.” and “i.e.” with dots", S::Dotted, S::Undotted),
    choice("two-spaces-after-stop", Punctuation, "two spaces after a full stop", S::TwoSpacesAfterStop, S::OneSpaceAfterStop),
    rate("space-before-mark", Punctuation, "spaces before a mark", S::SpaceBeforeMark),
    choice("no-space-after-comma", Punctuation, "commas without a space after them", S::NoSpaceAfterComma, S::SpaceAfterComma),
    rate("no-space-after-stop", Punctuation, "full stops without a space after them", S::NoSpaceAfterStop),
    rate("double-spaces", Punctuation, "double spaces between words", S::DoubleSpace),

    choice("short-forms", Contractions, "short forms where both were possible (“it's”)", S::AnyShort, S::AnyFull),
    choice("short-not", Contractions, "“don't” instead of “do not”", S::NotShort, S::NotFull),
    choice("short-be", Contractions, "“it's” instead of “it is”", S::BeShort, S::BeFull),
    choice("short-will", Contractions, "“I'll”, “I've” instead of “I will”, “I have”", S::WillShort, S::WillFull),
    choice("missing-apostrophes", Contractions, "short forms without apostrophe (“dont”)", S::ApostropheMissing, S::ApostropheWritten),
    choice("spoken-forms", Contractions, "“gonna”, “kinda” instead of “going to”, “kind of”", S::SpokenForm, S::SpokenFull),
    rate("clipped-words", Contractions, "clipped words (“tho”, “cuz”)", S::Clipped),
    rate("dropped-g", Contractions, "dropped g (“doin'”)", S::DroppedG),

    choice("lower-case-starts", Casing, "sentences that start with a small letter", S::LowerStart, S::UpperStart),
    choice("lower-case-i", Casing, "“i” instead of “I”", S::LowerI, S::UpperI),
    choice("lower-case-names", Casing, "days, months and countries with a small letter", S::LowerName, S::UpperName),
    choice("lower-case-lines", Casing, "lines without a capital letter", S::LowerLine, S::CasedLine),
    rate("shouted-words", Casing, "words of 5 letters and more in capitals", S::Shouted),
    rate("short-capitals", Casing, "short words in capitals", S::ShortCapitals),
    rate("capitals-inside", Casing, "words with a capital inside sentences", S::CapitalInside),
    rate("mixed-case", Casing, "words of mixed case (“iPhone”)", S::MixedCase),
    choice("capital-after-colon", Casing, "capitals after a colon", S::CapitalAfterColon, S::LowerAfterColon),

    choice("british-spelling", Spelling, "British spelling", S::AnyBritish, S::AnyAmerican),
    choice("british-our", Spelling, "“colour” instead of “color”", S::BritishOur, S::AmericanOur),
    choice("british-ise", Spelling, "“organise” instead of “organize”", S::BritishIse, S::AmericanIze),
    choice("british-re", Spelling, "“centre” instead of “center”", S::BritishRe, S::AmericanEr),
    choice("british-double-l", Spelling, "“travelled” instead of “traveled”", S::BritishDouble, S::AmericanSingle),
    choice("british-words", Spelling, "“grey”, “mum” instead of “gray”, “mom”", S::BritishWord, S::AmericanWord),
    choice("past-in-t", Spelling, "“learnt” instead of “learned”", S::PastT, S::PastEd),
    choice("ending-in-wards", Spelling, "“towards” instead of “toward”", S::WithS, S::WithoutS),
    rate("misspellings", Spelling, "common misspellings (“definately”)", S::Misspelling),
    rate("typing-slips", Spelling, "slips of typing (“teh”)", S::TypingSlip),
    rate("wrong-joins", Spelling, "words joined that are two (“alot”)", S::WrongJoin),
    rate("sound-alikes", Spelling, "words taken for others that sound alike (“your welcome”)", S::SoundAlike),
    choice("of-for-have", Spelling, "“could of” instead of “could have”", S::OfForHave, S::HaveForHave),
    choice("okay", Spelling, "“okay” instead of “ok”", S::Okay, S::Ok),
    choice("thanks", Spelling, "“thanks” instead of “thank you”", S::Thanks, S::ThankYou),
    choice("yeah", Spelling, "“yeah”, “yep” instead of “yes”", S::Yeah, S::Yes),

    share("different-words", Vocabulary, "different words in 50 words", S::DistinctInWindows, S::Windows),
    share("words-used-once", Vocabulary, "words used once in 100 words", S::OnceInBlocks, S::Blocks),
    share("small-words", Vocabulary, "words of grammar", S::Grammar, S::Words),
    rate("hedges", Vocabulary, "hedges (“maybe”, “I think”)", S::Hedge),
    rate("intensifiers", Vocabulary, "intensifiers (“very”, “really”)", S::Intensifier),
    rate("certainty", Vocabulary, "words of certainty (“always”, “clearly”)", S::Certainty),
    rate("fillers", Vocabulary, "fillers (“just”, “actually”)", S::Filler),
    rate("connectives", Vocabulary, "connectives (“however”, “therefore”)", S::Connective),
    rate("politeness", Vocabulary, "words of politeness (“please”, “sorry”)", S::Politeness),
    rate("negations", Vocabulary, "negations", S::Negation),
    rate("modals", Vocabulary, "modal verbs (“can”, “should”)", S::Modal),
    rate("chat-words", Vocabulary, "chat abbreviations (“tbh”, “u”)", S::Chat),
    rate("laughter", Vocabulary, "written laughter (“lol”, “haha”)", S::Laughter),
    rate("strong-words", Vocabulary, "strong language", S::StrongWord),

    rate("emoji", Characters, "emoji", S::Emoji),
    rate("emoticons", Characters, "emoticons", S::Emoticon),
    choice("emoticons-with-nose", Characters, "emoticons with a nose (:-))", S::NosedEmoticon, S::PlainEmoticon),
    characters("capital-letters", "capital letters", S::Capital),
    characters("digits", "digits", S::DigitCharacter),
    characters("accented-letters", "letters outside of a to z", S::AccentedLetter),
    letters("double-letters", "double letters", S::DoubleLetter),
    letters("letter-e", "the letter e", S::LetterE),
    letters("letter-t", "the letter t", S::LetterT),
    letters("letter-s", "the letter s", S::LetterS),
    letters("letter-h", "the letter h", S::LetterH),
    letters("letter-w", "the letter w", S::LetterW),
    letters("letter-y", "the letter y", S::LetterY),
    letters("pair-th", "the letters th", S::PairTh),
    letters("pair-he", "the letters he", S::PairHe),
    letters("pair-in", "the letters in", S::PairIn),
    letters("pair-er", "the letters er", S::PairEr),
    letters("pair-ou", "the letters ou", S::PairOu),
    letters("pair-ly", "the letters ly", S::PairLy),

    mean("paragraph-words", Layout, "words per paragraph", FeatureUnit::Words, S::Words, S::Paragraphs),
    mean("paragraph-sentences", Layout, "sentences per paragraph", FeatureUnit::Sentences, S::Sentences, S::Paragraphs),
    share("one-sentence-paragraphs", Layout, "paragraphs of one sentence", S::OneSentenceParagraph, S::Paragraphs),
    rate("line-breaks", Layout, "line breaks inside paragraphs", S::LineBreak),
    choice("blank-lines", Layout, "blank lines instead of line breaks", S::BlankLine, S::LineBreak),
    share("bullet-lines", Layout, "lines that are bullets", S::BulletLine, S::Lines),
    share("numbered-lines", Layout, "lines that are numbered", S::NumberedLine, S::Lines),
    share("heading-lines", Layout, "lines that are headings", S::HeadingLine, S::Lines),
    share("quote-lines", Layout, "lines that quote (>)", S::QuoteLine, S::Lines),
    share("trailing-spaces", Layout, "lines that end with a space", S::TrailingSpace, S::Lines),
    rate("emphasis", Layout, "emphasis with stars or underscores", S::Emphasis),
    rate("code", Layout, "code in backticks", S::Code),
    rate("markdown-links", Layout, "links in Markdown", S::MarkdownLink),
    rate("links", Layout, "addresses of pages", S::Link),
    rate("hashtags", Layout, "hashtags", S::Hashtag),
    rate("mentions", Layout, "mentions (@)", S::Mention),
];

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_are_unique_and_stable() {
        let names: HashSet<&str> = features().iter().map(|feature| feature.name).collect();
        assert_eq!(names.len(), features().len());
        let is_key =
            |name: &&str| name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        assert!(names.iter().all(is_key));
        let labels: HashSet<&str> = features().iter().map(|feature| feature.label).collect();
        assert_eq!(labels.len(), features().len());
    }
}
