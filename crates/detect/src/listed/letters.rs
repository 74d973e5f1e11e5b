//! The scripts of letters.

/// A script other than Latin for which there are lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Script {
    Cyrillic,
    Greek,
    Arabic,
    Hebrew,
    Devanagari,
    Han,
    Kana,
    Hangul,
}

impl Script {
    const ALL: [Script; 8] = [
        Script::Cyrillic,
        Script::Greek,
        Script::Arabic,
        Script::Hebrew,
        Script::Devanagari,
        Script::Han,
        Script::Kana,
        Script::Hangul,
    ];

    /// Returns the script of a letter, or `None` for other letters and for signs.
    pub(super) fn of(c: char) -> Option<Script> {
        Some(match u32::from(c) {
            0x370..=0x373 | 0x376..=0x377 | 0x37B..=0x37D | 0x37F | 0x386 | 0x388..=0x3FF => Script::Greek,
            0x1F00..=0x1FFF => Script::Greek,
            0x400..=0x481 | 0x48A..=0x52F => Script::Cyrillic,
            0x5D0..=0x5F2 => Script::Hebrew,
            0x620..=0x64A | 0x66E..=0x6D3 | 0x6D5 => Script::Arabic,
            0x904..=0x939 | 0x93D | 0x950..=0x963 | 0x970..=0x97F => Script::Devanagari,
            0x3041..=0x30FA | 0x30FC..=0x30FF => Script::Kana,
            0x3005 | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x2_0000..=0x3_FFFF => Script::Han,
            0xAC00..=0xD7A3 => Script::Hangul,
            _ => return None,
        })
    }

    /// Returns the name of the list for reports.
    pub(super) fn list(self) -> &'static str {
        match self {
            Script::Cyrillic => "names-cyrillic",
            Script::Greek => "names-greek",
            Script::Arabic => "names-arabic",
            Script::Hebrew => "names-hebrew",
            Script::Devanagari => "names-devanagari",
            Script::Han | Script::Kana => "names-han",
            Script::Hangul => "names-hangul",
        }
    }
}

/// Returns whether no byte can start a letter of these scripts. The first bytes of Latin letters with marks, of
/// dashes, of quotation marks and of most symbols are others.
pub(super) fn is_latin_only(text: &str) -> bool {
    let starts = |byte: &u8| matches!(byte, 0xCD..=0xDB | 0xE0 | 0xE1 | 0xE3..=0xED);
    // Blocks without a branch inside are compared many bytes at a time.
    !text.as_bytes().chunks(256).any(|block| block.iter().fold(false, |any, byte| any | starts(byte)))
}

/// The scripts of a text.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Scripts(u8);

impl Scripts {
    pub(super) fn of(text: &str) -> Self {
        let scripts = text.chars().filter(|c| !c.is_ascii()).filter_map(Script::of);
        Scripts(scripts.fold(0, |all, script| all | 1 << script as u8))
    }

    pub(super) fn has(self, script: Script) -> bool {
        self.0 & 1 << script as u8 != 0
    }

    pub(super) fn iter(self) -> impl Iterator<Item = Script> {
        Script::ALL.into_iter().filter(move |script| self.has(*script))
    }
}

/// Returns whether a letter is of the Han script.
pub(super) fn is_han(c: char) -> bool {
    Script::of(c) == Some(Script::Han)
}
