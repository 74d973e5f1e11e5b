//! Texts made from templates and generated values.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use inkveil_detect::train::{LabelledText, Shuffle};
use inkveil_surrogates::{Generator, Lists};

/// Returns a folder of this workspace, given from `crates/` on.
pub(crate) fn folder(path: &str) -> PathBuf {
    // Where the binary was built or, if it was moved, relative to the root of a checkout.
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    if built.exists() { built } else { Path::new("crates").join(path) }
}

pub(crate) struct Templates(Vec<String>);

impl Templates {
    pub(crate) fn open() -> anyhow::Result<Self> {
        let mut files: Vec<PathBuf> = std::fs::read_dir(folder("detect/train/templates"))?
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<Result<_, _>>()?;
        files.sort();
        let mut all = Vec::new();
        for file in files {
            let text = std::fs::read_to_string(file)?;
            let lines = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
            all.extend(lines.map(|line| line.replace("\\n", "\n")));
        }
        Ok(Templates(all))
    }

    pub(crate) fn of(template: &str) -> Self {
        Templates(vec![template.to_owned()])
    }

    /// The templates without a value: they contain nothing sensitive.
    pub(crate) fn plain(self) -> Vec<String> {
        self.0.into_iter().filter(|line| !line.contains('{')).collect()
    }

    /// Nine of ten templates.
    pub(crate) fn train(&self) -> Templates {
        Templates(self.0.iter().filter(|line| !is_held_out(line)).cloned().collect())
    }

    /// The rest.
    pub(crate) fn held_out(&self) -> Templates {
        Templates(self.0.iter().filter(|line| is_held_out(line)).cloned().collect())
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Fills every template `times` times, each time with new values. Templates without a value occur half as often.
    pub(crate) fn fill(&self, lists: &Arc<Lists>, times: usize, seed: u64) -> Vec<LabelledText> {
        let mut random = Shuffle::new(seed);
        let mut generator = Generator::new(lists.clone(), move || random.word());
        let mut texts = Vec::with_capacity(self.0.len() * times);
        for template in &self.0 {
            let times = if template.contains('{') { times } else { times / 2 };
            texts.extend((0..times).map(|_| fill(template, &mut generator)));
        }
        texts
    }
}

fn is_held_out(template: &str) -> bool {
    let hash = template.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (hash >> 20) % 10 == 0
}

fn fill(template: &str, generator: &mut Generator) -> LabelledText {
    let (mut text, mut spans) = (String::new(), Vec::new());
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        text.push_str(&rest[..open]);
        rest = &rest[open..];
        let name = rest[1..].find(|c: char| !matches!(c, 'a'..='z' | '0'..='9' | '_')).and_then(|end| {
            let name = &rest[1..=end];
            (rest[1 + end..].starts_with('}') && !name.is_empty()).then_some(name)
        });
        match name.and_then(|name| Some((name, generator.value(name)?))) {
            Some((name, pieces)) => {
                for piece in pieces {
                    let start = text.len();
                    text.push_str(&piece.text);
                    if let Some(kind) = piece.kind {
                        spans.push((start..text.len(), Some(kind)));
                    }
                }
                rest = &rest[name.len() + 2..];
            }
            None => {
                text.push('{');
                rest = &rest[1..];
            }
        }
    }
    text.push_str(rest);
    LabelledText { text, spans, complete: None, emphasis: 1.0 }
}
