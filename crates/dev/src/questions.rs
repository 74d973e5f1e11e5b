//! Asks a local language model questions about documents and about their veiled versions, and compares
//! the answers. As a control, the same questions are asked on the original in another layout.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context as _;
use clap::Args;
use inkveil::chat::{AnswerSettings, Chat, Request};
use inkveil::release::{Account, TurnText, Turns};
use inkveil::restore::{RestoreOptions, Restorer};
use inkveil::{NoiseKey, Preset, Veil};

/// Compare a model's answers on documents with its restored answers on their veiled versions
#[derive(Debug, Args)]
pub(crate) struct QuestionArgs {
    /// The folder with the documents and questions.toml
    #[arg(default_value = "docs/results/documents")]
    folder: PathBuf,
    /// The language model, as `style rewrite --model` takes it
    #[arg(long, default_value = "qwen-1.5b")]
    model: String,
    /// The preset
    #[arg(long, default_value = "prompt")]
    preset: Preset,
    /// The seed of the surrogates
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print questions and answers
    #[arg(long)]
    show: bool,
}

/// A short answer in the words of the text has fewer wordings than a sentence.
const SYSTEM: &str = "Answer the question with the shortest part of the text that answers it. Copy its words. Write nothing else.";

pub(crate) fn run(args: &QuestionArgs) -> anyhow::Result<()> {
    let file = args.folder.join("questions.toml");
    let listed = std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let questions: BTreeMap<String, Vec<String>> = toml::from_str(&listed)?;
    let model = inkveil::open_model(&args.model)?;
    let veil = Arc::new(Veil::text().preset(args.preset).conversation().build()?);
    let turns = Turns::new(veil, None)?;
    let mut all = Table::default();
    println!(
        "document       questions  veiled: equal  within  F1    layout: equal  within  F1    in the original"
    );
    for (name, asked) in &questions {
        let text = std::fs::read_to_string(args.folder.join(format!("{name}.txt")))?;
        let mut one = Table::default();
        for question in asked {
            let clear = answer(&*model, &asked_of(&text, question))?;
            let control = answer(&*model, &in_another_layout(&text, question))?;
            let key = NoiseKey::insecure_from_seed(args.seed);
            // The question belongs to the conversation, so its names are veiled alike.
            let texts = [text.as_str(), question].map(|text| TurnText { text, field: None, task: None });
            let spans = turns.find(&texts, |texts| turns.search(texts))?;
            let released = turns.release(&texts, spans, &key, &Account::none(), name)?;
            let [veiled, hidden] = released.turns.as_slice() else { anyhow::bail!("a text got lost") };
            let reply = answer(&*model, &asked_of(&veiled.text, &hidden.text))?;
            let pairs = released.pairs()?;
            let restored = Restorer::new(&pairs, RestoreOptions::default())?.restore_text(&reply).0;
            one.asked += 1;
            one.veiled.add(&words(&clear), &words(&restored));
            one.layout.add(&words(&clear), &words(&control));
            // The words of a restored answer stand in the original if nothing was restored wrongly.
            one.copied[0] += usize::from(is_within(&words(&reply), &words(&veiled.text)));
            one.copied[1] += usize::from(
                is_within(&words(&reply), &words(&veiled.text))
                    && is_within(&words(&restored), &words(&text)),
            );
            if args.show {
                println!(
                    "  Q {question}\n    clear    {clear}\n    layout   {control}\n    veiled   {reply}\n    restored {restored}"
                );
            }
        }
        one.print(name);
        all.add(&one);
    }
    all.print("all");
    Ok(())
}

/// How answers compare with those on the original.
#[derive(Default)]
struct Agreement {
    equal: usize,
    within: usize,
    overlap: f64,
}

impl Agreement {
    fn add(&mut self, one: &[String], other: &[String]) {
        self.equal += usize::from(one == other);
        self.within += usize::from(is_within(one, other) || is_within(other, one));
        self.overlap += f1(one, other);
    }
}

/// The agreement on some questions.
#[derive(Default)]
struct Table {
    asked: usize,
    veiled: Agreement,
    /// The control: the original in another layout.
    layout: Agreement,
    /// The answers that copy words of the veiled text, and those of them that copy the original when restored.
    copied: [usize; 2],
}

impl Table {
    fn add(&mut self, other: &Table) {
        self.asked += other.asked;
        for (own, more) in [(&mut self.veiled, &other.veiled), (&mut self.layout, &other.layout)] {
            own.equal += more.equal;
            own.within += more.within;
            own.overlap += more.overlap;
        }
        self.copied = [self.copied[0] + other.copied[0], self.copied[1] + other.copied[1]];
    }

    fn print(&self, name: &str) {
        let share = |agreement: &Agreement| agreement.overlap / self.asked.max(1) as f64;
        println!(
            "{name:<13}{:>11}{:>15}{:>8}{:>6.2}{:>15}{:>8}{:>6.2}{:>12} of {}",
            self.asked,
            self.veiled.equal,
            self.veiled.within,
            share(&self.veiled),
            self.layout.equal,
            self.layout.within,
            share(&self.layout),
            self.copied[1],
            self.copied[0]
        );
    }
}

fn asked_of(text: &str, question: &str) -> String {
    format!("Text:\n{text}\n\nQuestion: {question}")
}

/// Returns the same question on the same text with other headings and line breaks. A reader that answers it in
/// other words would do so on a veiled text, too.
fn in_another_layout(text: &str, question: &str) -> String {
    format!("Document:\n\n{text}\n\n\nQuestion:\n{question}")
}

fn answer(model: &dyn Chat, user: &str) -> anyhow::Result<String> {
    // At temperature 0 the same text gives the same answer.
    let settings =
        AnswerSettings { max_tokens: 60, temperature: 0.0, seed: Some(1), ..AnswerSettings::default() };
    Ok(model.answer(&Request::new().system(SYSTEM).user(user).with(settings))?.text.trim().to_owned())
}

fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .filter(|word| !["a", "an", "the"].contains(&word.as_str()))
        .collect()
}

/// Whether an answer has all words of a shorter one, in order and side by side.
fn is_within(short: &[String], long: &[String]) -> bool {
    !short.is_empty() && long.windows(short.len()).any(|part| part == short)
}

/// The harmonic mean of the shares of words that two answers have in common.
fn f1(one: &[String], other: &[String]) -> f64 {
    let mut counts: HashMap<&str, i64> = HashMap::new();
    one.iter().for_each(|word| *counts.entry(word).or_default() += 1);
    let mut shared = 0.0;
    for word in other {
        if let Some(left) = counts.get_mut(word.as_str()).filter(|left| **left > 0) {
            *left -= 1;
            shared += 1.0;
        }
    }
    let all = (one.len() + other.len()) as f64;
    if all == 0.0 { 1.0 } else { 2.0 * shared / all }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_compared_by_their_words() {
        assert_eq!(words("The shifts, eleven times."), words("shifts eleven times"));
        assert_eq!(f1(&words("a b c"), &words("b c")), 1.0);
        assert_eq!(f1(&words("x y"), &words("x z")), 0.5);
        assert_eq!(f1(&words("x"), &[]), 0.0);
        assert!(is_within(&words("eleven times"), &words("the shifts changed eleven times")));
        assert!(!is_within(&words("times eleven"), &words("eleven times")) && !is_within(&[], &words("a b")));
    }

    #[test]
    fn the_control_changes_the_layout_and_no_word_of_the_text() {
        let (one, other) = (asked_of("Ana left.", "Who left?"), in_another_layout("Ana left.", "Who left?"));
        assert!(one != other && other.contains("Ana left.") && words(&one)[1..] == words(&other)[1..]);
    }

    #[test]
    fn tables_are_summed() {
        let mut all = Table::default();
        for (answer, other) in [("x y", "x y"), ("x y", "y")] {
            let mut one = Table { asked: 1, copied: [1, 0], ..Table::default() };
            one.veiled.add(&words(answer), &words(other));
            all.add(&one);
        }
        assert_eq!((all.asked, all.veiled.equal, all.veiled.within, all.copied), (2, 1, 2, [2, 0]));
        assert!((all.veiled.overlap - 5.0 / 3.0).abs() < 1e-9);
    }
}
