//! What a mask is and does, in words and as JSON.

use serde_json::{Value, json};

use crate::{Eraser, FoundShare, Mask, MeasuredErasure};

impl Mask {
    /// Describes the mask: what it protects, how it was learnt, and what it does. `axes` is the number of principal axes
    /// that a veil keeps after erasure.
    pub fn in_words(&self, axes: usize) -> String {
        let note = &self.note;
        let mut lines = vec![
            format!("  protects      {} ({})", note.concept.escape_debug(), note.summary.escape_debug()),
            format!("  encoder       {}, {} dimensions", note.encoder.name.escape_debug(), self.dim()),
            format!(
                "  learnt from   {} of {} texts, {}",
                note.corpus.pairs,
                note.corpus.texts,
                note.corpus.described()
            ),
        ];
        if let Some(eraser) = &self.eraser {
            lines.extend(eraser.in_words(axes));
        }
        if let Some(measured) = &note.measured {
            lines.extend(measured.in_words());
        }
        if !self.has_gates() {
            return lines.join("\n") + "\n";
        }
        match (&note.settings, note.curve.last()) {
            (Some(settings), Some(last)) => {
                lines.push(format!(
                    "  how           gates, λ = {}, {} epochs, seed {}",
                    settings.lambda, settings.epochs, settings.seed
                ));
                let right = last.accuracy.map_or("–".to_owned(), |a| format!("{:.1} %", 100.0 * a));
                lines.push(format!(
                    "  at the end    loss {:.4}, accuracy on held-out texts {right}",
                    last.loss
                ));
            }
            _ => lines.push("  how           integrated gradients of an attacker".to_owned()),
        }
        let high = self.gates.iter().filter(|gate| **gate > 0.5).count();
        lines.push(format!(
            "  open          {:.1} % of the dimensions, {high} above one half",
            100.0 * self.open_share()
        ));
        for floor in [0.0, 0.1] {
            if let Some(factor) = self.euclidean_factor(floor) {
                lines.push(format!(
                    "  floor {floor:<4}    ε per unit of Mahalanobis distance is {factor:.1} ε per unit of Euclidean distance"
                ));
            }
        }
        lines.join("\n") + "\n"
    }

    /// Returns the mask with its notes and its gates.
    pub fn to_json(&self) -> Value {
        json!({
            "note": self.note,
            "eraser": self.eraser.as_ref().map(|eraser| &eraser.note),
            "dimension": self.dim(),
            "open_share": self.open_share(),
            "euclidean_factor": self.euclidean_factor(0.0).filter(|_| self.has_gates()),
            "strongest": self.strongest(10),
            "gates": self.gates,
        })
    }
}

impl Eraser {
    /// How much it removes, direction by direction.
    fn in_words(&self, axes: usize) -> Vec<String> {
        let note = &self.note;
        let mut lines = vec![
            format!(
                "  erases        {} of {} directions, γ = {}, ρ = {}, {} words in {} texts",
                self.directions(),
                self.dim(),
                note.settings.gamma,
                note.settings.rho,
                note.labels,
                note.labelled_texts
            ),
            format!(
                "  removed       {:.1} % of what tells the words apart linearly, {:.1} % of the spread of all vectors",
                100.0 * note.concept_removed,
                100.0 * note.spread_removed
            ),
            "  directions    first N: of the words, of the spread".to_owned(),
        ];
        let (mut words, mut spread) = (0.0, 0.0);
        let last = note.directions.len();
        for (number, (word, all)) in (1..).zip(&note.directions) {
            (words, spread) = (words + word, spread + all);
            if [1, 2, 5, 10, 20, 50, 100, 200, 500].contains(&number) || number == last {
                let shares = format!("{:5.1} %, {:5.1} %", 100.0 * words, 100.0 * spread);
                lines.push(format!("                {number:>4}: {shares}"));
            }
        }
        for axes in [axes, 0] {
            let kept = Some(axes).filter(|axes| *axes > 0);
            if let Ok(erasure) = Self::erasure(&[self], kept, 0.5) {
                lines.push(format!(
                    "  {:>4} axes     ε per unit of erased distance is at most {:.2} ε per unit of Euclidean distance",
                    erasure.axes(),
                    erasure.lipschitz()
                ));
            }
        }
        lines
    }
}

impl MeasuredErasure {
    /// Describes what was measured: on which texts, by which attackers, and a table of budgets.
    pub fn in_words(&self) -> Vec<String> {
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        let axes = if self.axes == 0 { "all".to_owned() } else { self.axes.to_string() };
        let mut lines = vec![
            format!(
                "  measured      on {} held-out texts with {} words (in {} texts or more), {axes} axes, seed {}",
                self.with_words, self.words, self.least_texts, self.seed
            ),
            format!(
                "  attackers     {}; they knew {} other texts and no near duplicate (cosine {} or more)",
                self.attackers.join(", "),
                self.known,
                self.near_duplicates_from
            ),
            format!("  eraser        learnt from {} texts that were not attacked", self.fitted),
            format!(
                "  {:>12}  {:>8}  {:>8}  {:>10}  strongest attacker",
                "ε", "found", "at most", "similarity"
            ),
        ];
        let row = |name: &str, words: &FoundShare, similarity: f64| {
            format!(
                "  {name:>12}  {:>8}  {:>8}  {similarity:>10.3}  {}",
                percent(words.found),
                percent(words.upper),
                words.strongest
            )
        };
        lines.push(row("clear", &self.clear, 1.0));
        lines
            .extend(self.budgets.iter().map(|one| row(&one.epsilon.to_string(), &one.words, one.similarity)));
        lines.push(format!("  {:>12}  {:>8}", "guessing", percent(self.guessing)));
        lines.push(
            "  found         share of words among the most likely of their text; at most: upper end of the 95 % interval"
                .to_owned(),
        );
        lines.push(
            "  similarity    correlation of the cosines of pairs with those of clear vectors".to_owned(),
        );
        lines
    }
}
