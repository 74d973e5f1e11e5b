//! The ways of texts through the pipeline beside a file of rows: pipes, lists, Arrow tables,
//! conversations, and several files at once.

use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use inkveil_files::{Input, Sha256Sum};
use inkveil_privacy::audit::Finding;
use inkveil_privacy::{Epsilon, Neighbours, NoiseKey, Receipt};
use inkveil_rows::{Packing, RecordFormat, RecordOptions, RecordReader};
use inkveil_text::{
    AtZero, Budget, Group, MechanismName, MechanismSettings, ShapeLevel, TextSettings, TextVeil,
};

use super::canaries::{PHONES, WORDS, sentence};
use super::planting::{lines_of, neighbours, planted, write_rows};
use super::texts::{Released, SMALL, Texts, at_zero};
use crate::error::{Error, ErrorKind};
use crate::release::{
    Account, Corpus, Destination, KeyChoice, MemoryRelease, MemoryText, RowRelease, Silent, TextRows,
    TurnText, Turns,
};
use crate::{BatchColumns, BatchRelease};

/// A way of texts through the pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// Rows on standard input and output.
    Pipe,
    /// A list of a program.
    Memory,
    /// A table of Arrow.
    Table,
    /// The turns of a conversation, as the gateway releases them. Each text is a conversation of its own.
    Conversation,
    /// Two files into a folder.
    Files,
}

/// The column of texts.
const COLUMN: &str = "text";

impl Way {
    pub(super) const ALL: [Self; 5] =
        [Self::Pipe, Self::Memory, Self::Table, Self::Conversation, Self::Files];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Pipe => "pipe",
            Self::Memory => "memory",
            Self::Table => "table",
            Self::Conversation => "conversation",
            Self::Files => "files",
        }
    }

    /// What these settings are on this way. A conversation restores its answers.
    pub(super) fn settings(self, settings: TextSettings) -> TextSettings {
        if self == Self::Conversation { settings.for_conversation() } else { settings }
    }
}

impl Texts<'_> {
    /// Originals of one shape at ε = 0, and noised words, on one way.
    pub(super) fn way(&self, way: Way) -> Result<(), Error> {
        let path = format!("texts/{}", way.name());
        let veil = self.veil(way.settings(at_zero(AtZero::Surrogate, ShapeLevel::Coarse)))?;
        planted(&veil, &PHONES)?;
        let rows = self.lab.samples(400, 4000);
        let pair = PHONES.pair.map(sentence);
        let all = [[pair[0].as_str()].repeat(rows), [pair[1].as_str()].repeat(rows)].concat();
        let released = self.carry(way, &veil, &all, &Account::none())?;
        let about = format!("{}: surrogates of one shape", PHONES.kind);
        for one in &released {
            self.told_apart(&path, &about, 0.0, &one.texts, PHONES.pair)?;
        }
        // What linked replacements keep is a part of the layout.
        let compared = if way == Way::Conversation { Neighbours::SameLayout } else { Neighbours::SameShape };
        self.claims(&path, &released[0], compared)?;
        if let [first, second] = released.as_slice() {
            let equal = first.texts.iter().zip(&second.texts).filter(|(a, b)| a == b).count();
            let shares = u64::from(equal > rows / 10);
            self.lab.found(Finding::exact(&path, "two files share their noise", shares, 1))?;
        }
        let mut settings = TextSettings::default();
        settings.mechanism = MechanismSettings::of(MechanismName::Exponential);
        settings.budget = Budget::Uniform(Epsilon::new(SMALL)?);
        let (veil, pair) = (self.veil(way.settings(settings))?, WORDS[0]);
        neighbours(&veil, pair, str::to_owned)?;
        let all = [[pair[0]].repeat(rows), [pair[1]].repeat(rows)].concat();
        let released = self.carry(way, &veil, &all, &Account::none())?;
        for one in &released {
            let claimed = self.claimed(&one.receipt, pair)?;
            let about = format!("ε = {SMALL}, {} and {}: words", pair[0], pair[1]);
            self.told_apart(&path, &about, claimed, &one.texts, pair)?;
        }
        self.claims(&path, &released[0], Neighbours::SameLayout)
    }

    /// Releases texts on one way. Several files give a release each, of the same texts.
    pub(super) fn carry(
        &self,
        way: Way,
        veil: &Arc<TextVeil>,
        texts: &[&str],
        account: &Account,
    ) -> Result<Vec<Released>, Error> {
        let folder = self.lab.folder()?;
        let released = match way {
            Way::Pipe => vec![self.pipe(veil, texts, account)?],
            Way::Memory | Way::Table => {
                let key = self.lab.key().key()?;
                let memory = Arc::new(MemoryRelease::open(veil.clone(), key, account, "canaries")?);
                vec![if way == Way::Memory { self.list(&memory, texts)? } else { self.table(memory, texts)? }]
            }
            Way::Conversation => vec![self.conversations(veil, texts, account)?],
            Way::Files => self.files(veil, texts, account, &folder)?.into(),
        };
        self.lab.remove(&folder)?;
        Ok(released)
    }

    fn pipe(&self, veil: &Arc<TextVeil>, texts: &[&str], account: &Account) -> Result<Released, Error> {
        let input = Input::from_bytes(lines_of(texts).into_bytes());
        let options = RecordOptions { parts: true, ..RecordOptions::default() };
        let reader = RecordReader::open(input, RecordFormat::Jsonl, Packing::None, &options)?;
        let release = RowRelease::new(TextRows::new(Arc::clone(veil)));
        let release = release.key(self.lab.key()).account(account.clone());
        let mut out = Vec::new();
        let (_, receipt) = release.pipe(reader, "canaries", false, &mut out, &Silent, self.lab.cancel())?;
        Released::of(&out, receipt.receipt(Sha256Sum::of(&out).to_string())?, texts.len())
    }

    fn list(&self, release: &MemoryRelease, texts: &[&str]) -> Result<Released, Error> {
        let texts: Vec<MemoryText<'_>> = texts.iter().map(|text| MemoryText::new(text)).collect();
        let released = release.release(&texts, &Silent, self.lab.cancel())?;
        let texts = released.texts.into_iter().map(|text| text.text).collect();
        Ok(Released { texts, receipt: released.receipt, sha256: None })
    }

    fn table(&self, release: Arc<MemoryRelease>, texts: &[&str]) -> Result<Released, Error> {
        let column: ArrayRef = Arc::new(StringArray::from_iter_values(texts));
        let table = RecordBatch::try_from_iter([(COLUMN, column)])
            .map_err(|_| ErrorKind::Bug("a table of canaries cannot be made"))?;
        let columns = BatchColumns { texts: vec![COLUMN.to_owned()], ..BatchColumns::default() };
        let batches = BatchRelease::new(Arc::clone(&release), columns);
        let (veiled, tally) = batches.veil(&table, &Silent, self.lab.cancel())?;
        let column = veiled.column(0).as_string_opt::<i32>();
        let column = column.ok_or(ErrorKind::Bug("a veiled column is not of texts"))?;
        let texts = column.iter().map(|text| text.unwrap_or_default().to_owned()).collect();
        Ok(Released { texts, receipt: release.receipt(&tally)?, sha256: None })
    }

    /// Each text comes twice in its conversation and must become the same twice.
    fn conversations(
        &self,
        veil: &Arc<TextVeil>,
        texts: &[&str],
        account: &Account,
    ) -> Result<Released, Error> {
        let turns = Turns::new(Arc::clone(veil), None)?;
        let (mut all, mut receipt) = (Vec::with_capacity(texts.len()), None::<Receipt>);
        let (mut found, mut changed) = (Vec::new(), 0);
        for (number, text) in (1_u64..).zip(texts) {
            let both = [TurnText { text, field: None, task: None }; 2];
            // Equal texts follow each other, and what is sensitive in them depends on the text alone.
            if number == 1 || texts.get(number as usize - 2) != Some(text) {
                found = turns.find(&both, |texts| turns.search(texts))?;
            }
            let key = match self.lab.key() {
                KeyChoice::Fresh => NoiseKey::fresh()?,
                KeyChoice::InsecureSeed(seed) => NoiseKey::insecure_from_seed(seed ^ (number << 40)),
            };
            let mut released = turns.release(&both, found.clone(), &key, account, "canaries")?;
            released.confirm()?;
            let [first, second] = released.turns.as_slice() else {
                return Err(ErrorKind::Bug("a conversation lost a turn").into());
            };
            changed += u64::from(first.text != second.text);
            all.push(first.text.clone());
            receipt.get_or_insert(released.receipt);
        }
        // A noised word is drawn anew in each turn, and a replacement stays.
        if veil.budgets().of(Group::Sensitive).is_zero() {
            let about = "replacements that change within a conversation";
            self.lab.found(Finding::exact("texts/conversation", about, changed, texts.len() as u64))?;
        }
        let receipt = receipt.ok_or(ErrorKind::Bug("there are no conversations"))?;
        Ok(Released { texts: all, receipt, sha256: None })
    }

    fn files(
        &self,
        veil: &Arc<TextVeil>,
        texts: &[&str],
        account: &Account,
        folder: &Path,
    ) -> Result<[Released; 2], Error> {
        let inputs = ["a.jsonl", "b.jsonl"].map(|name| folder.join(name));
        for input in &inputs {
            write_rows(input, texts)?;
        }
        let output = folder.join("out");
        let corpus = Corpus::open(&inputs, None, false)?;
        let release = RowRelease::new(TextRows::new(Arc::clone(veil)));
        let release = release.key(self.lab.key()).account(account.clone());
        release.files(&Destination::new(&corpus, &output), &Silent, self.lab.cancel())?;
        let [first, second] =
            ["a.jsonl", "b.jsonl"].map(|name| Released::read(&output.join(name), texts.len()));
        Ok([first?, second?])
    }
}
