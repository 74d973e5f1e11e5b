//! Function words, which tell languages apart even in short passages.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::Language;

/// Frequent function words of each language, in lower case. Words of one letter are left out: too many
/// languages have them.
const WORDS: [(Language, &str); 7] = [
    (
        Language::English,
        "the and of to is in that it you for on with are was be this have at from or by not but what all were we \
         when your can said there an each which she how their if will up other about out many then them these so \
         some her would make like him into has two more go see way could my than first been who its now did get \
         come made may am me he his had they our us just very because also please thanks dear hi hello after over \
         before where why does being only new any between while since until",
    ),
    (
        Language::German,
        "der die das und ist nicht ich sie ein eine einen einem einer den dem des zu mit von auf für im auch sich \
         wir er es war wird bei nach aus wie an oder aber wenn nur noch vor über durch bis dass kann haben hat bin \
         sind mein meine mir mich ihr ihre ihnen ihren ihrem sehr geehrte geehrter herr frau vom zum zur am als \
         unter werden wurde seit keine kein bitte schon mal habe hier du dein deine hallo liebe lieber guten gruß \
         grüße grüßen wohnt wohne geboren heute gestern morgen uhr eines diese dieser dieses um",
    ),
    (
        Language::French,
        "le la les des et est un une dans pour que qui sur avec ce cette pas je vous nous il elle au aux du de par \
         plus ne sont mais ou son sa ses leur été avoir être en se comme tout bonjour madame monsieur votre vos \
         notre mon ma mes chez depuis très bien fait ont avez suis merci cordialement salut demain hier né née \
         habite aussi donc cet elles ils lui moi toi ici sans sous entre après avant",
    ),
    (
        Language::Spanish,
        "el la los las es un una en para que con por su del al se lo como más pero sus le ya este sí porque esta \
         entre cuando muy sin sobre también me hasta hay donde quien desde todo nos durante señor señora hola \
         gracias está están fue ha son soy mi usted tengo tiene ser vivo nació días buenos saludos estimado \
         estimada querida querido ayer hoy mañana otro otra ese esa eso tu yo él ella han sido era y de",
    ),
    (
        Language::Italian,
        "il lo la gli le è un una uno di che per con non sono del della dei delle degli nel nella al alla alle da si \
         come più ma anche questo questa ho ha mi ti ci suo sua sul sulla dal dalla gentile signor signora \
         buongiorno grazie molto essere stato stata perché quando dove ed ciao saluti nato nata abito presso oggi \
         ieri domani tra fra io lui lei loro hanno era suoi sue nostro nostra",
    ),
    (
        Language::Portuguese,
        "os um uma de que para com não por da dos das na nos nas em se ao mais como mas foi ele ela seu sua ou ser \
         quando muito há já está eu também só pelo pela até isso você olá obrigado obrigada meu minha senhor \
         senhora são tem bom dia às aos nem era estão moro nascido hoje ontem amanhã esse essa este esta num numa \
         onde quem oi tenho cumprimentos",
    ),
    (
        Language::Dutch,
        "de het een en van ik te dat die in is niet zijn op aan met voor er maar om hem dan zou of wat mijn dit zo \
         door over ze zich bij ook tot je mij uit der daar haar naar heb hoe heeft hebben deze want nog zal me zij \
         nu geen omdat iets worden toch al waren veel meer doen toen moet ben zonder kan hun dus alles onder ja \
         geachte mevrouw heer wordt werd uw wij we groet groeten vriendelijke hallo hoi beste woon geboren gisteren \
         vandaag morgen jij jullie was",
    ),
];

/// The vote of each word for each language: 1 if no other language has the word, less otherwise.
static VOTES: LazyLock<HashMap<&'static str, [f32; 7]>> = LazyLock::new(|| {
    let mut votes: HashMap<&'static str, [f32; 7]> = HashMap::new();
    for (at, (_, words)) in WORDS.iter().enumerate() {
        for word in words.split_whitespace() {
            votes.entry(word).or_default()[at] = 1.0;
        }
    }
    for vote in votes.values_mut() {
        let shared: f32 = vote.iter().sum();
        vote.iter_mut().for_each(|share| *share /= shared * shared);
    }
    votes
});

/// Whether a text is one function word in lower case, which is never a name.
pub(crate) fn is_function_word(text: &str) -> bool {
    VOTES.contains_key(text)
}

/// Letters of the seven languages beyond ASCII.
const LETTERS: &str = "äöüßàâæçéèêëîïôùûüÿœáíóúñìòãõâêªº";

/// Whether a part of a text is an address or another identifier. Its words say nothing about the language: the "com" in
/// "example.com" is not Portuguese.
fn is_address(part: &str) -> bool {
    let inner = part.trim_matches(|c: char| !c.is_alphanumeric());
    inner.contains(['@', '/', '_', '=', '.', '\\'])
}

/// What the words of a passage say.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Count {
    /// The votes of the languages, in the order of [`Language::TAGGED`].
    pub(super) votes: [f32; 7],
    pub(super) words: usize,
    pub(super) letters: usize,
    /// Letters that none of the seven languages has.
    pub(super) foreign: usize,
}

impl Count {
    pub(super) fn of(text: &str) -> Self {
        let mut count = Count::default();
        for part in text.split_whitespace() {
            count.add_part(part, !is_address(part));
        }
        count
    }

    /// Counts the words of a part between spaces. `votes` says whether they are words of a language.
    fn add_part(&mut self, part: &str, votes: bool) {
        let mut word = String::new();
        for c in part.chars().chain(std::iter::once(' ')) {
            if c.is_alphabetic() {
                self.letters += 1;
                let plain = c.is_ascii() || c.to_lowercase().all(|c| LETTERS.contains(c));
                self.foreign += usize::from(!plain);
                // A longer word is no function word.
                if word.len() <= 16 {
                    word.extend(c.to_lowercase());
                }
            } else if !word.is_empty() {
                self.words += 1;
                if let Some(of_word) = VOTES.get(word.as_str()).filter(|_| votes) {
                    self.votes.iter_mut().zip(of_word).for_each(|(sum, vote)| *sum += vote);
                }
                word.clear();
            }
            // Signs that only Spanish has.
            if matches!(c, '¿' | '¡') {
                self.votes[3] += 1.0;
            }
        }
    }

    /// Returns the language with the most votes, its votes and those of the second.
    pub(super) fn first(&self) -> (Language, f32, f32) {
        let mut order: Vec<usize> = (0..7).collect();
        order.sort_by(|&a, &b| self.votes[b].total_cmp(&self.votes[a]));
        (Language::TAGGED[order[0]], self.votes[order[0]], self.votes[order[1]])
    }

    pub(super) fn votes_of(&self, language: Language) -> f32 {
        let at = Language::TAGGED.iter().position(|other| *other == language);
        at.map_or(0.0, |at| self.votes[at])
    }

    pub(super) fn add(&mut self, other: &Count) {
        self.votes.iter_mut().zip(other.votes).for_each(|(sum, vote)| *sum += vote);
        self.words += other.words;
        self.letters += other.letters;
        self.foreign += other.foreign;
    }
}
