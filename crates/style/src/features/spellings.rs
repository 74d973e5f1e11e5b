//! Words with two spellings: British and American forms, and some whose forms occur in both.

use super::lexicon::Role;

/// Stems and endings. Every stem is combined with every ending. Some of the combinations are not
/// words, but these do not occur in texts.
struct Family {
    british: (Role, &'static str),
    american: (Role, &'static str),
    stems: &'static str,
    endings: &'static str,
}

#[rustfmt::skip]
const FAMILIES: &[Family] = &[
    Family {
        british: (Role::BritishOur, "our"),
        american: (Role::AmericanOur, "or"),
        stems: "col fav hon lab neighb behavi hum rum flav harb vap arm endeav parl sav vig od disfav \
            dishon discol misbehavi",
        endings: "- s ed ing able ably ite ites ful less al er ers hood hoods y ism",
    },
    Family {
        british: (Role::BritishIse, "is"),
        american: (Role::AmericanIze, "iz"),
        stems: "organ real recogn apolog critic emphas special summar minim maxim optim prior util visual normal general \
            final formal modern civil author categor character colon custom digit econom energ equal fantas global \
            hospital ideal immun individual legal local memor mobil monopol national neutral patron penal personal \
            polar popular privat public random rational revolution sensit social stabil standard steril subsid symbol \
            sympath synchron terror tranquil vandal vapor victim reorgan jeopard harmon hypothes material \
            initial central commercial capital agon antagon brutal cannibal crystall demon dramat fertil familiar",
        endings: "e es ed ing er ers ation ations able",
    },
    Family {
        british: (Role::BritishIse, "ys"),
        american: (Role::AmericanIze, "yz"),
        stems: "anal paral catal",
        endings: "e ed ing er ers",
    },
    Family {
        british: (Role::BritishRe, "re"),
        american: (Role::AmericanEr, "er"),
        stems: "cent theat lit met kilomet centimet millimet fib calib lust spect somb meag sab mit och",
        endings: "- s",
    },
    Family {
        british: (Role::BritishDouble, "ll"),
        american: (Role::AmericanSingle, "l"),
        stems: "trave cance labe mode fue signa leve counse marve tota riva dia initia equa channe pane shove \
            tunne grave due spira",
        endings: "ed ing er ers or ors ous ery",
    },
    Family {
        british: (Role::BritishWord, "ence"),
        american: (Role::AmericanWord, "ense"),
        stems: "def off pret",
        endings: "- s less",
    },
    Family {
        british: (Role::BritishWord, "ogue"),
        american: (Role::AmericanWord, "og"),
        stems: "catal anal",
        endings: "- s",
    },
    Family {
        british: (Role::WithS, "wards"),
        american: (Role::WithoutS, "ward"),
        stems: "to after",
        endings: "-",
    },
];

/// Irregular pairs: the British form, then the American one.
#[rustfmt::skip]
const PAIRS: &[(Role, Role, &str)] = &[
    (Role::BritishWord, Role::AmericanWord, "grey gray greys grays greyer grayer mum mom mums moms mummy mommy maths math \
        aluminium aluminum plough plow sceptical skeptical sceptic skeptic scepticism skepticism manoeuvre maneuver \
        paediatric pediatric anaesthetic anesthetic anaesthesia anesthesia encyclopaedia encyclopedia oestrogen estrogen \
        foetus fetus mould mold mouldy moldy moustache mustache pyjamas pajamas cosy cozy ageing aging judgement judgment \
        acknowledgement acknowledgment jewellery jewelry licence license_ \
        aeroplane airplane aeroplanes airplanes doughnut donut yoghurt yogurt practise \
        practice_ arse ass_ smoulder smolder haemorrhage hemorrhage diarrhoea diarrhea leukaemia leukemia \
        archaeology archeology sulphur sulfur programme program_ programmes programs_ tyre tire_ tyres tires_ \
        kerb curb_ storey story_ cheque check_ cheques checks_ draught draft_ draughts drafts_"),
    (Role::BritishRe, Role::AmericanEr, "centred centered"),
    // The reverse: one l in British English.
    (Role::BritishDouble, Role::AmericanSingle, "skilful skillful fulfil fulfill enrolment enrollment instalment \
        installment wilful willful fulfilment fulfillment enrol enroll distil distill instil instill"),
    (Role::PastT, Role::PastEd, "learnt learned burnt burned dreamt dreamed spelt spelled leapt leaped spoilt spoiled \
        leant leaned smelt smelled knelt kneeled"),
    (Role::WithS, Role::WithoutS, "amongst among whilst while_ amidst amid"),
];

/// Calls `each` with every word and its role.
pub(super) fn each(mut add: impl FnMut(String, Role)) {
    for family in FAMILIES {
        for stem in family.stems.split_whitespace() {
            for ending in family.endings.split_whitespace() {
                let ending = ending.trim_start_matches('-');
                let mut form = |(role, middle): (Role, &str)| add(format!("{stem}{middle}{ending}"), role);
                form(family.british);
                form(family.american);
            }
        }
    }
    for &(british, american, pairs) in PAIRS {
        for (n, word) in pairs.split_whitespace().enumerate() {
            // A form with an underscore has other meanings too and is skipped.
            if !word.ends_with('_') {
                add(word.to_owned(), if n % 2 == 0 { british } else { american });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_are_listed() {
        let mut words = Vec::new();
        each(|word, role| words.push((word, role)));
        let has = |word: &str, role: Role| words.iter().any(|(w, r)| w == word && *r == role);
        assert!(has("favourite", Role::BritishOur) && has("favorite", Role::AmericanOur));
        assert!(has("organisation", Role::BritishIse) && has("organization", Role::AmericanIze));
        assert!(has("analysed", Role::BritishIse) && has("analyzed", Role::AmericanIze));
        assert!(has("theatre", Role::BritishRe) && has("theater", Role::AmericanEr));
        assert!(has("travelling", Role::BritishDouble) && has("traveling", Role::AmericanSingle));
        assert!(has("grey", Role::BritishWord) && has("gray", Role::AmericanWord));
        assert!(has("towards", Role::WithS) && has("toward", Role::WithoutS));
        assert!(has("learnt", Role::PastT) && has("learned", Role::PastEd));
        assert!(!has("program", Role::AmericanWord) && !has("program_", Role::AmericanWord));
    }

    #[test]
    fn no_word_is_british_and_american() {
        let mut roles = std::collections::HashMap::new();
        each(|word, role| {
            let before = roles.insert(word.clone(), role);
            assert!(before.is_none_or(|before| before == role), "{word}");
        });
    }
}
