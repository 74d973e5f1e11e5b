//! Reports of attacks in words.

use super::style::StyleAttackReport;
use super::text::TextAttackReport;
use super::vector::{Hiding, VectorAttackReport, VectorAttackRow, VectorSplit};
use crate::attack::mlc::Exposure;
use crate::attack::token::TokenAttacker;
use crate::metrics::Estimate;

/// A share in percent, with its interval.
fn percent(share: &Estimate) -> String {
    format!("{:5.1} %  ({:.1} to {:.1})", 100.0 * share.mean, 100.0 * share.low, 100.0 * share.high)
}

impl TextAttackReport {
    /// The report in words, with the advice.
    pub fn in_words(&self) -> String {
        let knowledge = |attacker: &TokenAttacker| match attacker {
            TokenAttacker::Likelihood => "found from the mechanism",
            TokenAttacker::Unigram => "  and word frequencies",
            TokenAttacker::Language => "  and typical word sequences",
            TokenAttacker::Neural => "  and a language model",
        };
        let mut text = format!(
            "Of {} texts, attackers know the originals of some and attack {} others, with {} sensitive values (names, addresses, numbers). Shares have intervals of 95 %.\n\n",
            self.texts, self.attacked_texts, self.sensitive_values
        );
        let mut line = |what: &str, share: &Estimate| text += &format!("  {what:<44} {}\n", percent(share));
        line("sensitive values that survive unchanged", &self.survival);
        self.found.iter().for_each(|(attacker, found)| line(knowledge(attacker), found));
        self.found_by_own.iter().for_each(|(name, found)| line(&format!("found by {name}"), found));
        self.found_in_part.iter().for_each(|part| line("names found in part, by the best attacker", part));
        text += "\n  by kind, whole values found by the best attacker\n";
        for (kind, count) in &self.kinds {
            let share = 100.0 * f64::from(count.found) / f64::from(count.values);
            text += &format!("    {kind:<42} {share:5.1} %  of {}\n", count.values);
        }
        text + &format!(
            "\nOf {} released texts, {:.1} % are most similar to their own original. An attacker who has both can link them.\n\n\
             Verdict: {}. {}\n",
            self.linked_texts,
            100.0 * self.linked_to_original,
            self.verdict().name(),
            self.advice()
        )
    }
}

impl StyleAttackReport {
    /// The report in words.
    pub fn in_words(&self) -> String {
        let mut text = format!(
            "Attackers know {} texts of {} authors and attack {} others. Macro F1; guessing has {:.1} %.\n\n  {:<20} {:<26} {:<26} {}\n",
            self.known_texts,
            self.authors,
            self.attacked_texts,
            100.0 * self.chance(),
            "attacker",
            "originals",
            "released",
            "released, half of it known"
        );
        for row in &self.attackers {
            let (name, originals) = (row.attacker.name(), percent(&row.originals));
            let (released, adaptive) = (percent(&row.released), percent(&row.adaptive));
            text += &format!("  {name:<20} {originals:<26} {released:<26} {adaptive}\n");
        }
        text
    }
}

impl VectorAttackReport {
    /// The report in words. `concept` is the name of what the vectors hide.
    pub fn in_words(&self, concept: &str) -> String {
        let line = |what: &str, before: &Estimate, after: &Estimate| {
            format!("  {what:<46} {}   {}\n", percent(before), percent(after))
        };
        let row =
            |what: &str, of: fn(&Exposure) -> &Estimate| line(what, of(&self.originals), of(&self.released));
        let known = |split: VectorSplit| match split {
            VectorSplit::Random => "knows near duplicates",
            VectorSplit::Groups => "knows no near duplicate",
        };
        let one = |row: &VectorAttackRow| {
            let what = format!("{}, {}", row.attacker.name(), known(row.split));
            line(&what, &row.originals.found, &row.released.found)
        };
        let (attacker, split) = self.strongest;
        let verdict = match self.hiding {
            Hiding::Hidden => "hidden: attackers find hardly more than by guessing",
            Hiding::Partly => {
                "partly hidden: attackers find less than half of what they find in the originals"
            }
            Hiding::NotHidden => "not hidden: attackers still find most of what they find in the originals",
        };
        format!(
            "Attackers know the texts of four in five rows and attack the other {}, with {} words of {concept} and {} mentions.\n\n\
             {:50} originals                released\n\
             the strongest attacker\n{}{}{}\
             every attacker, words among the most likely of their text\n{}  \
             {:<46} {:5.1} %\n\n\
             search: {:.1} % of the ten nearest rows are still found by a query without noise, {:.1} % by one with noise\n\
             verdict: {concept} {verdict}. The strongest ({}, {}) finds {:.1} % of the words, {:.1} % before, {:.1} % by guessing\n",
            self.held_out_texts,
            self.words,
            self.released.instances,
            "",
            row("words with a probability above one half", |e| &e.leakage),
            row("mean probability of the correct words", |e| &e.confidence),
            row("words among the most likely of their text", |e| &e.found),
            self.attackers.iter().map(one).collect::<String>(),
            "guessing the most frequent words",
            100.0 * self.guessing,
            100.0 * self.search_kept,
            100.0 * self.neighbours_kept,
            attacker.name(),
            known(split),
            100.0 * self.released.found.mean,
            100.0 * self.originals.found.mean,
            100.0 * self.guessing,
        )
    }
}
