//! Mentions of people.

use std::collections::HashSet;

use inkveil_detect::{Kind, Span};

use super::scorer::{Features, Judge, Pair};
use super::words::{follows_the, is_before_verb_of_several, is_written_as_name, singulars};
use super::{Entities, Mention, is, is_clean, mention_text};
use crate::letters::plain;
use crate::names::{Gender, gender_of, is_given_name, kin_gender, title_before, title_gender, title_of};
use crate::person::{Fit, Match, NameForm, Person, Slot};

/// A doubtful mention joins a person from this probability on.
const JOIN: f64 = 0.5;
/// How far a pronoun may be from the name that it is taken to refer to, in bytes.
const PRONOUN_REACH: usize = 120;

/// A mention of a person that is being resolved.
struct Found<'t> {
    span: usize,
    text: &'t str,
    place: usize,
    form: NameForm,
    /// Whether a title is in the mention or directly before it.
    titled: bool,
    gender: Option<Gender>,
}

/// How much of a name a mention states. Those that state more are resolved first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Full,
    InitialAndFamily,
    Part,
    Initials,
}

pub(super) fn resolve(text: &str, spans: &[Span], judge: &mut dyn Judge, entities: &mut Entities) {
    let known = names_of(text, spans);
    let mut found: Vec<Found<'_>> = Vec::new();
    for (at, span) in spans.iter().enumerate() {
        let is_title = is(span, &Kind::Title);
        if !is_title && !is(span, &Kind::Person) {
            continue;
        }
        let mention = mention_text(text, span);
        // Only known titles are kept. Detection may take a name for a title.
        if is_title && mention.split_whitespace().all(|word| title_of(word).is_some()) {
            entities.set(at, Mention::Title);
            continue;
        }
        let form = match of_family(text, span, mention, &known) {
            Some(name) => NameForm::of_family(name),
            None => NameForm::of(mention),
        };
        if form.names().next().is_some() && is_clean(mention) {
            found.push(read(text, span, at, mention, form));
        }
    }
    let mut order: Vec<usize> = (0..found.len()).collect();
    order.sort_by_key(|&at| (found[at].rank(), at));
    let mut members: Vec<Vec<usize>> = Vec::new();
    for at in order {
        let mention = &found[at];
        let (person, slots, initials) = match choose(mention, &entities.people, &members, judge) {
            Choice::Known(person, fit) => (person, fit.slots, fit.initials),
            Choice::New { is_family } => {
                entities.people.push(Person::default());
                members.push(Vec::new());
                let slots = mention.own_slots(is_family);
                (entities.people.len() - 1, slots, mention.form.initials().is_some())
            }
        };
        members[person].push(mention.span);
        let entity = &mut entities.people[person];
        match initials {
            // Initials tell nothing about the names.
            true if entity.canonical() != String::new() => entity.places.push(mention.place),
            _ => entity.add(&mention.form, mention.text, &slots, mention.place),
        }
        entity.by_title = entity.by_title.or(mention.by_title(text, spans));
        // "She" after the name of a family may be anybody.
        if !mention.form.is_plural {
            count_pronouns(text, spans, mention, entity);
        }
        let form = mention.form.clone();
        entities.set(mention.span, Mention::Person { person, form, slots, initials });
    }
}

/// Returns the family names and lone names of the text in plain letters, apart from those after "the".
fn names_of(text: &str, spans: &[Span]) -> HashSet<String> {
    let people = spans.iter().filter(|span| is(span, &Kind::Person) && !follows_the(text, span.start));
    let forms = people.map(|span| NameForm::of(mention_text(text, span)));
    let name = |form: NameForm| {
        let is_last = |slot: &Slot| matches!(slot, Slot::Family | Slot::Single);
        let (at, _) = form.slots().into_iter().find(|(_, slot)| is_last(slot))?;
        Some(form.tokens.get(at)?.plain.clone())
    };
    forms.filter_map(name).collect()
}

/// Returns the name of one member if a mention is of a whole family: "Novak" of "the Novaks". A name that the
/// text has alone, such as the "Rogers" of Mr Rogers, is that of the family only before what several people do.
fn of_family<'t>(text: &str, span: &Span, mention: &'t str, known: &HashSet<String>) -> Option<&'t str> {
    let is_known = |name: &&str| known.contains(&plain(name));
    if !follows_the(text, span.start) || mention.contains(' ') || !is_written_as_name(mention) {
        return None;
    }
    if is_known(&mention) {
        let is_plural = mention.ends_with('s') && is_before_verb_of_several(text, span.end);
        return is_plural.then_some(mention);
    }
    // Alone, "the Thomas family" would be a family called Thoma.
    let is_several = is_before_verb_of_several(text, span.end);
    let guessed = || {
        singulars(text, span.start, mention).filter(|stem| is_several && is_plural_of(mention, stem)).last()
    };
    singulars(text, span.start, mention).find(is_known).or_else(guessed)
}

/// Returns whether a word is written as the plural of a name is: "Novaks", "Marshes".
fn is_plural_of(word: &str, name: &str) -> bool {
    let is_sibilant = ["s", "x", "z", "ch", "sh"].iter().any(|end| name.ends_with(end));
    let ending = word.strip_prefix(name).unwrap_or_default();
    name.chars().count() >= 4 && ending == if is_sibilant { "es" } else { "s" }
}

fn read<'t>(text: &str, span: &Span, at: usize, mention: &'t str, form: NameForm) -> Found<'t> {
    let inside = form.title_text(mention);
    let title = inside.or_else(|| title_before(text, span.start));
    let by_title = title.and_then(title_gender).or_else(|| kin_gender(text, span.start));
    let given = form.slots().into_iter().find(|(_, slot)| matches!(slot, Slot::Given));
    let given = given.and_then(|(at, _)| form.tokens.get(at)).map(|token| token.plain.clone());
    let by_name = given.as_deref().and_then(gender_of);
    Found {
        span: at,
        text: mention,
        place: span.start,
        titled: title.is_some(),
        gender: by_title.or(by_name),
        form,
    }
}

impl Found<'_> {
    fn rank(&self) -> Rank {
        let slots = self.form.slots();
        let whole = |slot: Slot| {
            slots.iter().any(|(at, s)| {
                *s == slot && self.form.tokens.get(*at).is_some_and(|token| token.plain.chars().count() > 1)
            })
        };
        match () {
            () if self.form.initials().is_some() => Rank::Initials,
            () if slots.len() > 1 && whole(Slot::Given) => Rank::Full,
            () if slots.len() > 1 => Rank::InitialAndFamily,
            () => Rank::Part,
        }
    }

    /// Returns the slots of a mention that starts a person. `is_family` tells that a lone name is the family
    /// name of somebody else, so that both get the same one.
    fn own_slots(&self, is_family: bool) -> Vec<(usize, Slot)> {
        let slots = self.form.slots();
        match slots.as_slice() {
            [(at, Slot::Single)] if is_family || self.form.is_plural => vec![(*at, Slot::Family)],
            // A title comes before a family name, unless the name is a common given name.
            [(at, Slot::Single)] if self.titled => {
                let token = self.form.tokens.get(*at).map_or("", |token| token.plain.as_str());
                let slot =
                    if self.gender.is_none() && is_given_name(token) { Slot::Single } else { Slot::Family };
                vec![(*at, slot)]
            }
            _ => slots,
        }
    }

    fn by_title(&self, text: &str, spans: &[Span]) -> Option<Gender> {
        let inside = self.form.title_text(self.text).and_then(title_gender);
        let start = spans.get(self.span)?.start;
        inside
            .or_else(|| title_before(text, start).and_then(title_gender))
            .or_else(|| kin_gender(text, start))
    }
}

/// The person that a mention is of.
enum Choice {
    Known(usize, Fit),
    New { is_family: bool },
}

/// Returns the person that a mention joins, and how it corresponds.
fn choose(mention: &Found<'_>, people: &[Person], members: &[Vec<usize>], judge: &mut dyn Judge) -> Choice {
    let mut fits: Vec<(usize, Fit)> = Vec::new();
    for (at, person) in people.iter().enumerate() {
        if let Some(fit) = person.fit(&mention.form, mention.titled)
            && !contradicts(mention, person, &fit)
        {
            fits.push((at, fit));
        }
    }
    let nearest =
        |person: &Person| person.places.iter().filter(|place| **place < mention.place).max().copied();
    if let Some(at) = fits.iter().position(|(_, fit)| fit.is_full()) {
        // The same given and family name: the nearest one, if middle names leave several.
        let best = fits.iter().enumerate().filter(|(_, (_, fit))| fit.is_full());
        let best = best.max_by_key(|(_, (person, _))| nearest(&people[*person])).map_or(at, |(at, _)| at);
        let (person, fit) = fits.swap_remove(best);
        return Choice::Known(person, fit);
    }
    let last = fits.iter().filter_map(|(person, _)| nearest(&people[*person])).max();
    let most = fits.iter().map(|(person, _)| people[*person].places.len()).max();
    let rivals = fits.len().saturating_sub(1);
    let is_family = fits.iter().any(|(_, fit)| fit.family.is_some() && fit.given.is_none());
    // The same lone name as before, if it fits no person well enough.
    let alone = |(at, fit): &(usize, Fit)| {
        let person = &people[*at];
        let alone = person.given.is_none() && (fit.single == Some(Match::Exact) || fit.family.is_some());
        alone.then(|| (*at, fit.clone()))
    };
    let same = fits.iter().find_map(alone);
    let mut best: Option<(f64, usize, Fit)> = None;
    for (at, fit) in fits {
        let person = &people[at];
        let before = nearest(person);
        let name = fit.slots.first().and_then(|(at, _)| mention.form.tokens.get(*at));
        let features = Features::of(&Pair {
            fit: &fit,
            titled: mention.titled,
            genders_agree: mention.gender.is_some() && mention.gender == person.gender(),
            given_name: name.is_some_and(|token| is_given_name(&token.plain)),
            rivals,
            nearest: before.is_some() && before == last,
            most_mentioned: Some(person.places.len()) == most,
            mentions: person.places.len(),
            distance: before.map(|before| mention.place - before),
        });
        let probability = judge.probability(mention.span, &members[at], &features);
        if best.as_ref().is_none_or(|(highest, ..)| probability > *highest) {
            best = Some((probability, at, fit));
        }
    }
    let best = best.filter(|(probability, ..)| *probability >= JOIN).map(|(_, at, fit)| (at, fit));
    match best.or(same) {
        Some((person, fit)) => Choice::Known(person, fit),
        None => Choice::New { is_family },
    }
}

/// Returns whether titles or given names show different genders.
fn contradicts(mention: &Found<'_>, person: &Person, fit: &Fit) -> bool {
    // A pronoun tells "Gregory Marsh … his" from Mrs Marsh if the list does not have the name.
    let known =
        if mention.titled { person.gender() } else { person.by_title.or_else(|| person.gender_by_name()) };
    match (mention.gender, known) {
        // Equal given names have the same gender, whatever the lists say.
        (Some(_), Some(_)) if fit.given.is_some() && person.by_title.is_none() && !mention.titled => false,
        (Some(one), Some(other)) => one != other,
        _ => false,
    }
}

/// Counts the first pronoun after a mention, before the next person.
fn count_pronouns(text: &str, spans: &[Span], mention: &Found<'_>, person: &mut Person) {
    let Some(span) = spans.get(mention.span) else { return };
    let next = spans[mention.span + 1..].iter().find(|span| is(span, &Kind::Person));
    let mut end = next.map_or(text.len(), |span| span.start).min(span.end + PRONOUN_REACH);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let after = text.get(span.end..end).unwrap_or_default();
    for word in after.split(|c: char| !c.is_alphabetic()) {
        match word {
            "she" | "her" | "hers" | "herself" | "She" | "Her" => {
                person.pronouns[0] += 1;
                return;
            }
            "he" | "him" | "his" | "himself" | "He" | "His" => {
                person.pronouns[1] += 1;
                return;
            }
            _ => {}
        }
    }
}
