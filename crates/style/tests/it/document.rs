//! A document of 5,000 words: its layout, its links and its names stay as they are.

use inkveil_style::{
    CandidateFault, Draft, DraftRequest, DraftSettings, DraftWriter, Error, PassageOutcome, RewriteModel,
    RewriteSettings, StyleVeil,
};

use super::rewrite::judge;

/// Says the same in other words, first with another name and without links, then with what belongs there.
struct Reworder;

impl DraftWriter for Reworder {
    fn write(
        &self,
        requests: &[DraftRequest],
        _: &DraftSettings,
        _: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Vec<Vec<Draft>>, Error> {
        let drafts = |request: &DraftRequest| {
            let content = &request.messages.last().unwrap().content;
            let text = content.split_once("\n\n").unwrap().1;
            let good = text
                .replace("was late again", "came late once more")
                .replace("so we walked home", "and so we went home on foot")
                .replace("because", "since")
                .replace("Please read", "Have a look at");
            let renamed = good.replace("Anna Novak", "Eva Horak");
            let unlinked = good.replace("https://bus.example/times", "the web").replace("`late`", "late");
            [renamed, unlinked, good].map(|text| Draft { text, cut: false }).to_vec()
        };
        Ok(requests.iter().map(drafts).collect())
    }
}

/// The number of sections, so that there are 5,000 words.
const SECTIONS: usize = 37;

fn section(number: usize) -> String {
    let story = "Anna Novak waited with us near the old bridge. The bus was late again, so we walked home in the rain. \
        Nobody complained because the road was quiet, and the river was high after the storm. ";
    format!(
        "## Part {number}: the bus\n\n{story}{story}\n\n\
         - Please read https://bus.example/times with Anna Novak before you leave the house.\n\
         - Write `late` into the list when the bus was late again, and tell Anna Novak.\n\n\
         > The bus was late again, they said, and we all laughed about it.\n\n\
         ```sh\necho \"the bus was late again, so we walked home\"\n\n# so we walked home\n```\n\n"
    )
}

#[test]
fn a_long_document_keeps_its_layout_links_and_names() {
    let text: String = (1..=SECTIONS).map(section).collect();
    assert!(text.split_whitespace().count() >= 5000, "{}", text.split_whitespace().count());
    let model = RewriteModel::new("reworder", inkveil_style::ModelLocation::Local, Box::new(Reworder));
    let veil = StyleVeil::new(model, judge(), RewriteSettings::default()).unwrap();
    let rewrite = veil.rewrite_all(&[&text], 0, 1, &mut |_| true).unwrap().remove(0);
    let new = rewrite.text.as_deref().unwrap();

    assert_eq!(rewrite.count(PassageOutcome::Fixed), 3 * SECTIONS, "headings, quotes and pieces of code");
    let lines = |text: &str, start: &str| -> Vec<String> {
        text.lines().filter(|line| line.starts_with(start)).map(str::to_owned).collect()
    };
    for start in ["## ", "> ", "```", "echo", "# "] {
        assert_eq!(lines(new, start), lines(&text, start), "{start}");
    }
    assert_eq!(lines(new, "- ").len(), 2 * SECTIONS);
    assert_eq!(new.lines().count(), text.lines().count());
    for kept in ["Anna Novak", "https://bus.example/times", "`late`"] {
        assert_eq!(new.matches(kept).count(), text.matches(kept).count(), "{kept}");
    }
    assert!(!new.contains("Horak"));
    let rewritten: Vec<_> =
        rewrite.passages.iter().filter(|passage| passage.outcome == PassageOutcome::Rewritten).collect();
    assert!(rewritten.len() == 4 * SECTIONS, "{}", rewritten.len());
    for fault in [CandidateFault::Facts, CandidateFault::Parts] {
        assert!(rewritten.iter().any(|passage| passage.faults.contains(&fault)), "{fault:?}");
    }
    // Every passage was rewritten, and nothing else.
    assert_eq!(new.matches("came late once more").count(), 3 * SECTIONS);
    assert_eq!(new.matches("was late again").count(), 2 * SECTIONS, "in quotes and code");
}
