//! Whether a mention can be of a person, and how.

use super::entity::{Part, Person};
use super::form::{NameForm, Slot, Token, TokenKind};
use crate::letters::plain;
use crate::names::{are_short_forms, is_given_name};

/// How two names correspond.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Match {
    /// Both have the same first letter, and one is an initial.
    Initial,
    /// One is a short form of the other.
    Short,
    Exact,
}

/// How a mention corresponds to a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fit {
    pub(crate) slots: Vec<(usize, Slot)>,
    pub(crate) given: Option<Match>,
    pub(crate) family: Option<Match>,
    pub(crate) middle: bool,
    pub(crate) single: Option<Match>,
    /// The mention consists of initials.
    pub(crate) initials: bool,
}

impl Fit {
    fn new(slots: Vec<(usize, Slot)>) -> Self {
        Self { slots, given: None, family: None, middle: false, single: None, initials: false }
    }

    /// Returns whether given and family name are whole words and equal.
    pub(crate) fn is_full(&self) -> bool {
        self.given == Some(Match::Exact) && self.family == Some(Match::Exact)
    }
}

impl Person {
    /// Returns how a mention corresponds to this person; none if it cannot.
    pub(crate) fn fit(&self, form: &NameForm, titled: bool) -> Option<Fit> {
        let slots = form.slots();
        match slots.as_slice() {
            [] => None,
            [(at, _)] => {
                let token = form.tokens.get(*at)?;
                match token.is_initials() {
                    true => self.fit_initials(form),
                    false => self.fit_single(*at, token, titled).or_else(|| self.fit_initials(form)),
                }
            }
            _ if form.initials().is_some() => self.fit_initials(form),
            _ => self.fit_full(form, &slots).or_else(|| self.fit_longer(form, &slots)),
        }
    }

    fn fit_full(&self, form: &NameForm, slots: &[(usize, Slot)]) -> Option<Fit> {
        let token =
            |slot: Slot| slots.iter().find(|(_, s)| *s == slot).and_then(|(at, _)| form.tokens.get(*at));
        let (given, family) = (token(Slot::Given)?, token(Slot::Family)?);
        let mut fit = Fit::new(slots.to_vec());
        match (&self.given, &self.family, &self.single) {
            (Some(own_given), Some(own_family), _) => {
                let own = self.given_match(own_given, given);
                // "Luka P." and "Luka Petrov", but not "L. P." and "Luka Petrov".
                let initial = || family_initial(own_family, family).filter(|_| own > Some(Match::Initial));
                let straight = (own, family_match(own_family, family).or_else(initial));
                if let (Some(given), Some(family)) = straight {
                    (fit.given, fit.family) = (Some(given), Some(family));
                } else if is_exact(own_given, family)
                    && is_exact(own_family, given)
                    && self.middles.is_empty()
                {
                    // The family name is first in one of the two.
                    (fit.given, fit.family) = (Some(Match::Exact), Some(Match::Exact));
                    for (_, slot) in &mut fit.slots {
                        *slot = match *slot {
                            Slot::Given => Slot::Family,
                            Slot::Family => Slot::Given,
                            other => other,
                        };
                    }
                } else {
                    return None;
                }
                let conflict = slots.iter().any(|(at, slot)| match slot {
                    Slot::Middle(n) => match (self.middles.get(*n), form.tokens.get(*at)) {
                        (Some(own), Some(token)) => part_match(own, token).is_none(),
                        _ => false,
                    },
                    _ => false,
                });
                if conflict {
                    return None;
                }
            }
            (None, Some(own_family), _) => fit.family = Some(family_match(own_family, family)?),
            (None, None, Some(single)) => {
                fit.given = self.given_match(single, given).filter(|m| *m != Match::Initial);
                if fit.given.is_none() {
                    fit.family = family_match(single, family);
                }
                fit.given.or(fit.family)?;
            }
            _ => return None,
        }
        Some(fit)
    }

    /// Fits a mention with the same family name that has fewer or more names before it: "Otto Jespersen" and
    /// "Jens Otto Harry Jespersen", "Martínez Cantón" and "Clara Martínez Cantón".
    fn fit_longer(&self, form: &NameForm, slots: &[(usize, Slot)]) -> Option<Fit> {
        let own_family = self.family.as_ref()?;
        let own: Vec<(Slot, &Part)> = self
            .given
            .iter()
            .map(|given| (Slot::Given, given))
            .chain(self.middles.iter().enumerate().map(|(n, part)| (Slot::Middle(n), part)))
            .collect();
        let (last, before) = slots.split_last()?;
        let family = form.tokens.get(last.0).filter(|_| last.1 == Slot::Family)?;
        family_match(own_family, family)?;
        let token = |at: &(usize, Slot)| form.tokens.get(at.0);
        let equal = |part: &Part, at: &(usize, Slot)| token(at).is_some_and(|token| is_exact(part, token));
        let mut fit = Fit::new(Vec::new());
        (fit.given, fit.family) = (Some(Match::Exact), Some(Match::Exact));
        if before.len() < own.len() {
            // Every name of the mention is one of the person's, in the same order.
            let mut rest = own.iter();
            for at in before {
                let (slot, _) = rest.by_ref().find(|(_, part)| equal(part, at))?;
                fit.slots.push((at.0, *slot));
            }
        } else {
            // The person's given name is one of the mention's. The names before it are new.
            let given = self.given.as_ref().filter(|_| self.middles.is_empty())?;
            let at = before.iter().position(|at| equal(given, at)).filter(|at| *at > 0)?;
            for (n, (token, _)) in before.iter().enumerate() {
                let slot = match n.cmp(&at) {
                    std::cmp::Ordering::Equal => Slot::Given,
                    std::cmp::Ordering::Less => Slot::Middle(n),
                    std::cmp::Ordering::Greater => Slot::Middle(n - 1),
                };
                fit.slots.push((*token, slot));
            }
        }
        fit.slots.push((last.0, Slot::Family));
        Some(fit)
    }

    fn fit_single(&self, at: usize, token: &Token, titled: bool) -> Option<Fit> {
        let with = |slot: Slot| Fit::new(vec![(at, slot)]);
        let family = self.family.as_ref().and_then(|own| family_match(own, token));
        let given = self.given.as_ref().and_then(|own| self.given_match(own, token));
        let middle = self.middles.iter().position(|own| part_match(own, token) == Some(Match::Exact));
        let single = self.single.as_ref().and_then(|own| part_match(own, token));
        let by_family = family.map(|m| Fit { family: Some(m), ..with(Slot::Family) });
        let by_given = given.map(|m| Fit { given: Some(m), ..with(Slot::Given) });
        let by_name = match titled {
            true => by_family.or(by_given),
            false => by_given.filter(|fit| fit.given == Some(Match::Exact) || family.is_none()).or(by_family),
        };
        by_name
            .or_else(|| middle.map(|n| Fit { middle: true, ..with(Slot::Middle(n)) }))
            .or_else(|| single.map(|m| Fit { single: Some(m), ..with(Slot::Single) }))
    }

    fn fit_initials(&self, form: &NameForm) -> Option<Fit> {
        let letters = form.initials()?;
        let (given, family) = (self.given.as_ref()?, self.family.as_ref()?);
        let first = |part: &Part| part.plain.chars().next();
        let short: String = [first(given), first(family)].into_iter().flatten().collect();
        let mut long: String = first(given).into_iter().collect();
        long.extend(self.middles.iter().filter_map(first));
        long.extend(first(family));
        (letters == short || letters == long).then(|| Fit {
            initials: true,
            ..Fit::new(form.names().map(|(at, _)| (at, Slot::Given)).collect())
        })
    }

    fn given_match(&self, own: &Part, token: &Token) -> Option<Match> {
        let others = self.also.iter().filter_map(|other| part_match(other, token)).max();
        let short = is_beginning(&own.plain, token).then_some(Match::Short);
        part_match(own, token).max(others).max(short)
    }
}

/// Returns whether a word is the beginning of a given name and no other name of the list: "Ros" of "Rosalind".
fn is_beginning(given: &str, token: &Token) -> bool {
    let short = token.plain.as_str();
    token.kind == TokenKind::Name
        && short.chars().count() >= 3
        && given.chars().count() > short.chars().count() + 1
        && given.starts_with(short)
        && !is_given_name(short)
}

fn is_exact(part: &Part, token: &Token) -> bool {
    !part.is_initial && token.kind == TokenKind::Name && part.plain == token.plain
}

fn part_match(own: &Part, token: &Token) -> Option<Match> {
    let is_initial = token.kind == TokenKind::Initials;
    if own.is_initial || is_initial {
        let first = |text: &str| text.chars().next();
        return (first(&own.plain) == first(&token.plain)).then_some(Match::Initial);
    }
    if own.plain == token.plain {
        return Some(Match::Exact);
    }
    let first_part = |name: &str| name.split('-').next().map(str::to_owned);
    let double = own.plain.contains('-') != token.plain.contains('-')
        && first_part(&own.plain) == first_part(&token.plain);
    (double || are_short_forms(&own.plain, &token.plain)).then_some(Match::Short)
}

/// Returns how two family names correspond if one is an initial. Two initials are the same name.
fn family_initial(own: &Part, token: &Token) -> Option<Match> {
    let is_initial = token.kind == TokenKind::Initials;
    let agree = own.plain.chars().next() == token.plain.chars().next();
    match (own.is_initial, is_initial) {
        (true, true) if agree => Some(Match::Exact),
        (true, false) | (false, true) if agree => Some(Match::Initial),
        _ => None,
    }
}

fn family_match(own: &Part, token: &Token) -> Option<Match> {
    if own.is_initial || token.kind == TokenKind::Initials {
        return None;
    }
    let (one, other) = (plain(&own.plain), &token.plain);
    let ends = |long: &str, short: &str| long.strip_suffix(short).is_some_and(|rest| rest.ends_with(' '));
    (one == *other || ends(&one, other) || ends(other, &one)).then_some(Match::Exact)
}
