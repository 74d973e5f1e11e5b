//! The tables of the paper as a page of Markdown.

use std::fmt::Write;

use inkveil_eval::attack::Attacker;
use inkveil_eval::metrics::Estimate;

use super::report::{AttackReport, Gradient, MethodReport, Quality, Report, SetReport, UtilityReport, best};

const CLASSIFIER: &str = "author-classifier";

/// The whole page.
pub(crate) fn page(report: &Report) -> String {
    let mut page = format!(
        "Style encoder {}, merge radius {}, seed {}.\n\n",
        report.encoder, report.radius, report.seed
    );
    table_1(
        &mut page,
        report,
        "author-classifier and classifier trained on originals",
        |method| method.attack(CLASSIFIER)?.originals,
        |utility| utility.originals,
    );
    table_1(
        &mut page,
        report,
        "author-classifier and classifier trained on rewrites of the training texts",
        |method| method.attack(CLASSIFIER)?.rewrites,
        |utility| utility.rewrites,
    );
    table_1(
        &mut page,
        report,
        "the strongest attacker of all, and the better of both classifiers",
        MethodReport::strongest,
        |utility| best([utility.originals, utility.rewrites]),
    );
    report.datasets.iter().for_each(|set| of_set(&mut page, set));
    page
}

fn table_1(
    page: &mut String,
    report: &Report,
    title: &str,
    author: impl Fn(&MethodReport) -> Option<Estimate>,
    utility: impl Fn(&UtilityReport) -> Option<Estimate>,
) {
    let columns = report
        .datasets
        .iter()
        .flat_map(|set| ["author F1 ↓", "utility ↑"].map(|column| format!("{} {column}", set.name)));
    let mut methods: Vec<&str> = Vec::new();
    for method in report.datasets.iter().flat_map(|set| &set.methods) {
        if !methods.contains(&method.method.as_str()) {
            methods.push(&method.method);
        }
    }
    let row = |name: &&str| {
        let cells = report.datasets.iter().flat_map(|set| {
            let method = set.methods.iter().find(|method| method.method == *name);
            let utility = method.and_then(|method| method.utility.as_ref()).and_then(&utility);
            [within(method.and_then(&author)), within(utility)]
        });
        std::iter::once((*name).to_owned()).chain(cells).collect()
    };
    let header = std::iter::once("method".to_owned()).chain(columns).collect();
    write_table(page, &format!("## Author and utility (Table 1): {title}"), header, methods.iter().map(row));
}

fn of_set(page: &mut String, set: &SetReport) {
    // Writing to a string does not fail.
    let _ = write!(
        page,
        "## {}\n\n{} texts to learn from and {} to attack, of {} authors; {} prototypes, τ = {:.3}, {} outliers.\n\n",
        set.name, set.train, set.test, set.authors, set.prototypes, set.tau, set.outliers
    );
    strata(page, set);
    attackers(page, set);
    gradients(page, set);
    others(page, set);
}

fn strata(page: &mut String, set: &SetReport) {
    let row = |method: &MethodReport| {
        let (out, inn) = (&method.outliers, &method.inliers);
        let gap = out.author_f1.zip(inn.author_f1).map(|(out, inn)| out.mean - inn.mean);
        vec![
            method.method.clone(),
            within(out.author_f1),
            within(inn.author_f1),
            signed(gap),
            signed(out.approach),
            signed(inn.approach),
            plain(out.displacement),
            plain(inn.displacement),
            plain(out.still_outliers),
            plain(inn.still_outliers),
        ]
    };
    let header = [
        "method",
        "outlier F1 ↓",
        "inlier F1 ↓",
        "Δ",
        "Δd̄ outliers",
        "Δd̄ inliers",
        "moved, outliers",
        "moved, inliers",
        "outliers that still are",
        "inliers that became",
    ];
    write_table(
        page,
        "Outliers and inliers (Tables 3, 4); Δd̄ below 0: moved away from all prototypes",
        header.map(str::to_owned).to_vec(),
        set.methods.iter().map(row),
    );
}

fn attackers(page: &mut String, set: &SetReport) {
    type Learnt = fn(&AttackReport) -> Option<Estimate>;
    let learnt: [(&str, Learnt); 3] = [
        ("originals", |attack| attack.originals),
        ("rewrites", |attack| attack.rewrites),
        ("adaptive", |attack| attack.adaptive),
    ];
    // The paper's attacker first.
    let columns: Vec<(&str, &str, Learnt)> = learnt
        .into_iter()
        .flat_map(|(from, of)| {
            Attacker::ALL.into_iter().rev().map(move |attacker| (attacker.name(), from, of))
        })
        .collect();
    let row = |method: &MethodReport| {
        let cell = |(attacker, _, of): &(&str, &str, Learnt)| {
            plain(method.attack(attacker).and_then(of).map(|f1| f1.mean))
        };
        let gained = method.attack(CLASSIFIER).and_then(|attack| attack.adaptive.zip(attack.originals));
        let mut row = vec![method.method.clone()];
        row.extend(columns.iter().map(cell));
        row.push(signed(gained.map(|(adaptive, originals)| adaptive.mean - originals.mean)));
        row.push(within(method.strongest()));
        row
    };
    let mut header = vec!["method".to_owned()];
    header.extend(columns.iter().map(|(attacker, from, _)| format!("{attacker}, {from}")));
    header.extend(["Δ adaptive", "strongest ↓"].map(str::to_owned));
    write_table(
        page,
        "Stronger attackers (Figure 6): author macro F1 by what was learnt from",
        header,
        set.methods.iter().map(row),
    );
}

fn gradients(page: &mut String, set: &SetReport) {
    let row = |(name, gradient): (String, &Gradient)| {
        let rho = gradient
            .rho
            .map_or_else(nothing, |rho| format!("{:+.2} [{:+.2}, {:+.2}]", rho.mean, rho.low, rho.high));
        let mut row = vec![name, rho];
        row.extend((0..5).map(|quintile| plain(gradient.quintiles.get(quintile).copied())));
        row
    };
    let before = std::iter::once(("*before*".to_owned(), &set.before));
    let after = set.methods.iter().map(|method| (method.method.clone(), &method.after));
    write_table(
        page,
        "Risk of the original and success of the attacker (Figures 7, 8): ρ over 15 bins; success by quintile of risk",
        ["method", "ρ", "Q1", "Q2", "Q3", "Q4", "Q5"].map(str::to_owned).to_vec(),
        before.chain(after).map(row),
    );
}

fn others(page: &mut String, set: &SetReport) {
    type Cell = fn(&MethodReport, &Quality) -> String;
    let rows: [(&str, Cell); 11] = [
        ("entity match ↓", |_, quality| within(quality.entity_match)),
        ("PEI ↓", |_, quality| plain(quality.exposure.stronger())),
        ("author F1 ↓", |method, _| within(method.attack(CLASSIFIER).and_then(|attack| attack.originals))),
        ("outlier similarity ↓", |_, quality| plain(quality.outlier_similarity)),
        ("MIA AUC ↓", |_, quality| plain(quality.membership.stronger())),
        ("self-BLEU ↓", |_, quality| plain(quality.self_bleu)),
        ("type–token ratio ↑", |_, quality| plain(quality.type_token_ratio)),
        ("BERTScore ↑", |_, quality| within(quality.bert_score)),
        ("utility F1 ↑", |method, _| within(method.utility.as_ref().and_then(|utility| utility.originals))),
        ("length ratio", |_, quality| plain(quality.length_ratio)),
        ("unchanged", |_, quality| plain(Some(quality.unchanged))),
    ];
    let row = |(name, cell): (&str, Cell)| {
        let cells = set.methods.iter().map(|method| cell(method, &method.quality));
        std::iter::once(name.to_owned()).chain(cells).collect()
    };
    let methods = set.methods.iter().map(|method| method.method.clone());
    let header = std::iter::once("metric".to_owned()).chain(methods).collect();
    write_table(page, "All other metrics (Table 7)", header, rows.into_iter().map(row));
}

/// A title, a header and rows, with numbers to the right.
fn write_table(page: &mut String, title: &str, header: Vec<String>, rows: impl Iterator<Item = Vec<String>>) {
    let rule = format!("|---|{}", "---:|".repeat(header.len().saturating_sub(1)));
    // Writing to a string does not fail.
    let _ = write!(page, "{title}\n\n| {} |\n{rule}\n", header.join(" | "));
    for row in rows {
        let _ = writeln!(page, "| {} |", row.join(" | "));
    }
    page.push('\n');
}

fn within(estimate: Option<Estimate>) -> String {
    estimate.map_or_else(nothing, |e| format!("{:.3} [{:.2}, {:.2}]", e.mean, e.low, e.high))
}

fn plain(number: Option<f64>) -> String {
    number.map_or_else(nothing, |number| format!("{number:.3}"))
}

fn signed(number: Option<f64>) -> String {
    number.map_or_else(nothing, |number| format!("{number:+.3}"))
}

fn nothing() -> String {
    "–".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_a_dash() {
        let estimate = Estimate { mean: 0.5, low: 0.25, high: 0.75 };
        assert_eq!(within(Some(estimate)), "0.500 [0.25, 0.75]");
        assert_eq!(
            (plain(None), signed(Some(0.0)), signed(Some(-0.25))),
            ("–".into(), "+0.000".into(), "-0.250".into())
        );
        let mut page = String::new();
        let row = vec!["plain".to_owned(), within(None)];
        write_table(&mut page, "Title", vec!["method".into(), "F1".into()], [row].into_iter());
        assert_eq!(page, "Title\n\n| method | F1 |\n|---|---:|\n| plain | – |\n\n");
    }
}
