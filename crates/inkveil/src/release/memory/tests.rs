use super::super::observer::Silent;
use super::*;
use crate::{Preset, Veil};

fn never() -> AtomicBool {
    AtomicBool::new(false)
}

fn open(key: u64, account: &Account) -> MemoryRelease {
    let veil = Veil::text().preset(Preset::Strict).build().unwrap();
    MemoryRelease::open(Arc::new(veil), NoiseKey::insecure_from_seed(key), account, "letters").unwrap()
}

#[test]
fn a_row_gets_the_same_bytes_in_any_order_and_on_any_worker() {
    let texts: Vec<String> =
        (0..200).map(|i| format!("Ana Lima paid {i} euros for the green house in Porto.")).collect();
    let rows: Vec<MemoryText<'_>> = (0..)
        .zip(&texts)
        .map(|(i, text)| MemoryText { record: Some(i * 7 + 3), ..MemoryText::new(text) })
        .collect();
    let released = open(7, &Account::none()).release(&rows, &Silent, &never()).unwrap();
    let backwards: Vec<MemoryText<'_>> = rows.iter().rev().copied().collect();
    let driver = open(7, &Account::none());
    let ticket = driver.charge_job(&TextTally::default(), &Silent).unwrap();
    let ticket = Ticket::from_bytes(ticket.to_bytes().expose()).unwrap();
    let again = open(7, &Account::none()).release(&backwards, &Silent, &never()).unwrap();
    for (one, other) in released.texts.iter().zip(again.texts.iter().rev()) {
        assert_eq!(one.text, other.text);
    }
    let worker = |rows: &[MemoryText<'_>]| {
        let release = MemoryRelease::of_job(driver.veil().clone(), &ticket).unwrap();
        release.release(rows, &Silent, &never()).unwrap().texts
    };
    let (whole, part) = (worker(&rows), worker(&rows[150..]));
    assert_eq!(whole[150].text, part[0].text);
    assert!(whole.iter().zip(&released.texts).any(|(one, other)| one.text != other.text));
}

#[test]
fn without_a_record_the_same_text_gets_fresh_noise() {
    let release = open(7, &Account::none());
    let text = [MemoryText::new("The green house by the river has a small garden and an old well.")];
    let veil = || release.release(&text, &Silent, &never()).unwrap().texts.remove(0).text;
    assert_ne!(veil(), veil());
}

#[test]
fn different_texts_with_one_id_are_refused_and_a_text_may_come_twice() {
    let texts = |list: &[(u64, &'static str)]| -> Vec<MemoryText<'static>> {
        let text =
            |&(id, text): &(u64, &'static str)| MemoryText { record: Some(id), ..MemoryText::new(text) };
        list.iter().map(text).collect()
    };
    let release = open(7, &Account::none());
    let shared = texts(&[(4, "The green house."), (5, "The old well."), (4, "The small garden.")]);
    let refused = [
        release.release(&shared, &Silent, &never()).unwrap_err(),
        release.plan(&shared, &Silent, &never()).unwrap_err(),
    ];
    for error in refused {
        assert!(matches!(error.kind(), ErrorKind::SameId { first: 1, second: 3 }), "{error}");
        assert!(!error.to_string().contains("garden"));
    }
    let twice = texts(&[(4, "The green house."), (4, "The green house.")]);
    let veil = Veil::text().preset(Preset::Placeholders).build().unwrap();
    let key = NoiseKey::insecure_from_seed(7);
    let replaced = MemoryRelease::open(Arc::new(veil), key, &Account::none(), "letters").unwrap();
    let released = replaced.release(&twice, &Silent, &never()).unwrap();
    assert_eq!(released.texts[0].text, released.texts[1].text);
    // A text without an id gets a number that is already the id of another one.
    let mixed = [MemoryText::new("The old well."), texts(&[(2, "The small garden.")])[0]];
    let fresh = open(7, &Account::none());
    fresh.release(&[MemoryText::new("One."), MemoryText::new("Two.")], &Silent, &never()).unwrap();
    let refused = fresh.release(&mixed, &Silent, &never()).unwrap_err();
    assert!(matches!(refused.kind(), ErrorKind::SameId { first: 1, second: 2 }), "{refused}");
}

#[test]
fn a_job_is_charged_once_and_a_limit_stops_it_before_it_starts() {
    use inkveil_ledger::{BudgetScope, Counted, Filter, Ledger, Limit};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("budget.ledger");
    let account = Account::new(&path);
    let rows = [MemoryText::new("The green house by the river has a small garden.")];
    let driver = open(7, &account);
    let plan = driver.plan(&rows, &Silent, &never()).unwrap();
    let ticket = driver.charge_job(&plan, &Silent).unwrap();
    for _ in 0..2 {
        let worker = MemoryRelease::of_job(driver.veil().clone(), &ticket).unwrap();
        assert!(!worker.is_charged());
        let released = worker.release(&rows, &Silent, &never()).unwrap();
        assert_eq!(released.receipt.total_epsilon(), driver.receipt(&plan).unwrap().total_epsilon());
    }
    let whole = MemoryRelease::of_whole_job(driver.veil().clone(), &ticket, plan.clone()).unwrap();
    whole.release(&rows, &Silent, &never()).unwrap();
    let refused = whole.release(&rows, &Silent, &never()).unwrap_err();
    assert!(matches!(refused.kind(), ErrorKind::MoreThanCharged));
    let mut ledger = Ledger::open(&path).unwrap();
    assert_eq!(ledger.releases(Filter::default()).count(), 1);
    let limit = Limit::new(
        BudgetScope::Dataset("letters".into()),
        Counted::EachMetric,
        inkveil_privacy::Epsilon::new(0.001).unwrap(),
    );
    ledger.set_limit(&limit).unwrap();
    assert!(driver.charge_job(&plan, &Silent).is_err());
    assert!(driver.release(&rows, &Silent, &never()).is_err());
    assert_eq!(ledger.releases(Filter::default()).count(), 1);
}

#[test]
fn texts_and_vectors_are_charged_together_or_not_at_all() {
    use inkveil_ledger::{BudgetScope, Counted, Filter, Ledger, Limit};
    use inkveil_privacy::Epsilon;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("budget.ledger");
    let driver = open(7, &Account::new(&path));
    let rows = [MemoryText::new("The green house by the river has a small garden.")];
    let plan = driver.plan(&rows, &Silent, &never()).unwrap();
    // So much that the words of the text do not matter for a limit.
    let vectors = || Veil::vectors(Epsilon::new(20_000.0).unwrap()).build(3).unwrap();
    let key = || NoiseKey::insecure_from_seed(1);
    let charge = || driver.charge_job_with_vectors(&plan, vectors(), key(), 2, &Silent);
    let releases = || Ledger::open(&path).unwrap().releases(Filter::default()).count();
    let (ticket, charged) = charge().unwrap();
    // One release of two parts.
    assert_eq!(releases(), 2);
    let ids: std::collections::BTreeSet<_> =
        Ledger::open(&path).unwrap().releases(Filter::default()).map(|entry| entry.unwrap().id).collect();
    assert_eq!(ids.len(), 1);
    assert!(Ledger::open(&path).unwrap().unconfirmed().next().is_none());
    MemoryRelease::of_job(driver.veil().clone(), &ticket).unwrap();
    let mut two = [0.5_f32; 6];
    charged.release(&mut two, None, &Silent, &never()).unwrap();
    assert!(charged.release(&mut [0.5_f32; 3], None, &Silent, &never()).is_err());
    // Two more vectors would pass this limit, the texts alone would not.
    let scope = BudgetScope::Dataset("letters".into());
    let limit = Limit::new(scope, Counted::EachMetric, Epsilon::new(79_000.0).unwrap());
    Ledger::open(&path).unwrap().set_limit(&Limit { delta: 1e-3, ..limit }).unwrap();
    assert!(charge().is_err());
    assert_eq!(releases(), 2);
    driver.charge_job(&plan, &Silent).unwrap();
    assert_eq!(releases(), 3);
}

#[test]
fn a_ticket_fits_one_veil_only_and_a_job_has_no_order() {
    let driver = open(7, &Account::none());
    let ticket = driver.charge_job(&TextTally::default(), &Silent).unwrap();
    let other = Arc::new(Veil::text().preset(Preset::Placeholders).build().unwrap());
    assert!(MemoryRelease::of_job(other, &ticket).is_err());
    let ordered = Arc::new(Veil::text().conversation().build().unwrap());
    let ordered =
        MemoryRelease::open(ordered, NoiseKey::insecure_from_seed(1), &Account::none(), "d").unwrap();
    assert!(ordered.charge_job(&TextTally::default(), &Silent).is_err());
    let rows = [MemoryText::new("Ana Lima lives here."), MemoryText::new("Ask Ana Lima.")];
    let released = ordered.release(&rows, &Silent, &never()).unwrap();
    assert!(released.pairs().unwrap().pairs().any(|pair| pair.original() == "Ana Lima"));
}

#[test]
fn cancelled_work_ends() {
    let rows = [MemoryText::new("one")];
    let error = open(7, &Account::none()).release(&rows, &Silent, &AtomicBool::new(true)).unwrap_err();
    assert!(error.is_cancelled());
}
