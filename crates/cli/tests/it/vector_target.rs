//! `vector fit --measure` and `vector apply --target`: a budget that is chosen by what attackers were measured
//! to find. Queries that are erased without noise.

use serde_json::Value;

use crate::folder::{Delays, Folder};

const PEOPLE: [&str; 8] = ["Ana", "Boris", "Carla", "Dinesh", "Elif", "Farid", "Greta", "Hiro"];
const DEEDS: [&str; 12] = [
    "fixed the old printer",
    "wrote a long letter to the bank",
    "missed the night train",
    "cooked soup for six guests",
    "sold a red bike",
    "slept until noon",
    "planted three apple trees",
    "lost the keys of the office",
    "painted the kitchen wall",
    "won a game of chess",
    "called the doctor twice",
    "read a book about whales",
];
const TIMES: [&str; 5] =
    ["yesterday", "in the morning", "after the meeting", "before lunch", "on a rainy day"];
const PLACES: [&str; 7] = [
    "at home",
    "near the harbour",
    "in the garden",
    "at school",
    "in the mountains",
    "on the farm",
    "downtown",
];

/// What happened is independent of who did it.
fn text(number: usize) -> String {
    let mut random = Delays(number as u64);
    let mut one = |of: &[&'static str]| of[(random.next() * of.len() as f64) as usize];
    let who = if number.is_multiple_of(3) { "somebody" } else { one(&PEOPLE) };
    format!("{who} {} {} {}", one(&DEEDS), one(&TIMES), one(&PLACES))
}

/// Files of 480 texts, of their names, and of their vectors.
fn ready() -> Folder {
    let folder = Folder::new();
    let line = |number| serde_json::json!({"text": text(number), "named": number % 3 > 0}).to_string() + "\n";
    folder
        .write("texts.jsonl", (0..480).map(line).collect::<String>())
        .write("people.txt", PEOPLE.join("\n"));
    succeed(&folder, "vector embed texts.jsonl --column text -o vectors.jsonl --local -q");
    folder
}

fn succeed(folder: &Folder, line: &str) -> String {
    let run = folder.run(line);
    assert!(run.contains("exit 0"), "{run}");
    run
}

fn refused(folder: &Folder, line: &str, exit: &str, said: &str) {
    let run = folder.run(line);
    assert!(run.contains(exit) && run.contains(said), "{said}: {run}");
}

fn json(text: &[u8]) -> Value {
    serde_json::from_slice(text).unwrap()
}

/// What was measured for a mask.
fn measured(folder: &Folder, mask: &str) -> Value {
    let run = succeed(folder, &format!("vector inspect {mask} --json"));
    let shown = run.split("--- stdout\n").nth(1).unwrap().split("--- stderr").next().unwrap();
    json(shown.as_bytes())[0]["note"]["measured"].clone()
}

const FIT: &str = "vector fit texts.jsonl --column text --words-file people.txt --name people --public-corpus \
                   --vectors vectors.jsonl";

#[test]
fn a_target_takes_the_largest_measured_budget_that_reaches_it() {
    let folder = ready();
    let told = succeed(&folder, &format!("{FIT} --measure --attacker bayes -o people.mask"));
    for part in ["held-out texts with 8 words", "attackers     bayes", "at most", "similarity", "guessing"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(succeed(&folder, "vector inspect people.mask").contains("held-out texts with 8 words"));
    succeed(&folder, &format!("{FIT} --measure --attacker bayes -o again.mask -q"));
    assert_eq!(folder.read("people.mask"), folder.read("again.mask"), "the same seed, the same mask");
    let bytes = String::from_utf8_lossy(&folder.read("people.mask")).to_lowercase();
    assert!(PEOPLE.iter().filter(|name| name.len() > 3).all(|name| !bytes.contains(&name.to_lowercase())));

    let curve = measured(&folder, "people.mask");
    let parts = ["fitted", "known", "attacked"].map(|part| curve[part].as_u64().unwrap());
    assert_eq!(parts.iter().sum::<u64>(), 480, "{curve}");
    let budgets = curve["budgets"].as_array().unwrap();
    let epsilons: Vec<String> = budgets.iter().map(|one| one["epsilon"].to_string()).collect();
    assert_eq!(epsilons, ["25.0", "50.0", "100.0", "200.0", "400.0", "\"inf\""]);
    let upper = |one: &Value| one["words"]["upper"].as_f64().unwrap();
    let clear = curve["clear"]["found"].as_f64().unwrap();
    assert!(
        clear > 0.3 && budgets.iter().all(|one| one["words"]["found"].as_f64().unwrap() < clear),
        "{curve}"
    );
    // Texts are few, so no upper end is 0, whatever was found.
    assert!(budgets.iter().all(|one| upper(one) > 0.03), "{curve}");
    let kept: Vec<f64> = budgets.iter().map(|one| one["similarity"].as_f64().unwrap()).collect();
    assert!(kept.is_sorted(), "less noise keeps more: {kept:?}");

    // A target between what was measured: the largest ε within it, as all smaller ones are, and nothing between.
    let least = upper(&budgets[0]);
    let target = least + 1e-6;
    let chosen = budgets.iter().take_while(|one| upper(one) <= target).last().unwrap();
    let epsilon = chosen["epsilon"].clone();
    let apply = "vector apply vectors.jsonl --mask people.mask --insecure-seed 1";
    let run = succeed(&folder, &format!("{apply} --target {target} -o veiled.jsonl"));
    assert!(run.contains("the target is not guaranteed"), "{run}");
    succeed(&folder, "receipt verify veiled.jsonl.receipt.json --release veiled.jsonl");
    let receipt = json(&folder.read("veiled.jsonl.receipt.json"));
    assert_eq!(receipt["groups"][0]["epsilon"], epsilon, "{receipt}");
    let found = receipt["measured"].as_array().unwrap();
    assert_eq!(
        (&found[0]["before"], &found[0]["after"]),
        (&curve["clear"]["found"], &chosen["words"]["found"])
    );
    let text = receipt.to_string();
    for part in ["not on this release", "near duplicates of these texts", "the target, for these texts"] {
        assert!(text.contains(part), "{part}: {receipt}");
    }
    // `embed` chooses the same, and so does the number itself.
    succeed(
        &folder,
        &format!(
            "vector embed texts.jsonl --column text -o e.jsonl --mask people.mask --target {target} --insecure-seed 1"
        ),
    );
    assert_eq!(json(&folder.read("e.jsonl.receipt.json"))["groups"][0]["epsilon"], epsilon);
    let number = epsilon.to_string().replace('"', "");
    succeed(&folder, &format!("{apply} -e {number} -o number.jsonl -q"));
    assert_eq!(folder.read("number.jsonl"), folder.read("veiled.jsonl"));
    assert!(json(&folder.read("number.jsonl.receipt.json"))["measured"].is_null());
    // Every measured budget is within this target, so nothing is added, and the user is warned.
    let run = succeed(&folder, &format!("{apply} --target 1 -o all.jsonl"));
    assert!(run.contains("warning: the largest measured ε at the target is inf"), "{run}");

    // What nothing reaches is refused, with what the smallest budget reaches.
    let below = format!("{apply} --target {} -o x.jsonl", least - 0.001);
    refused(&folder, &below, "exit 1", &format!("the upper bound of the words found is {least}"));
    succeed(&folder, &format!("{FIT} -o plain.mask -q"));
    for (flags, exit, said) in [
        ("--mask plain.mask --target 0.5", "exit 1", "fit it again with `inkveil vector fit --measure`"),
        ("--mask people.mask --target 0.5 -e 100", "exit 2", "cannot be used with"),
        ("--mask people.mask --target 1.5", "exit 2", "write a number from 0 to 1"),
        ("--mask people.mask", "exit 2", "--epsilon"),
        ("--mask people.mask --mask again.mask --target 0.5", "exit 1", "exactly one mask"),
        ("--mask people.mask --target 1 --axes 50", "exit 1", "another number of axes"),
        ("--mask people.mask --target 1 --after unit", "exit 1", "as they are"),
        ("--mask people.mask --target 1 --clip 2", "exit 1", "length 1"),
        ("-m laplace-l2 --target 1", "exit 1", "exactly one mask"),
    ] {
        refused(&folder, &format!("vector apply vectors.jsonl -o x.jsonl {flags}"), exit, said);
    }
    let embed = "vector embed texts.jsonl --column text -o x.jsonl";
    refused(&folder, &format!("{embed} --local --target 0.5"), "exit 2", "cannot be used with");
    assert!(!folder.path("x.jsonl").exists());
}

#[test]
fn only_erasers_of_words_are_measured_and_only_on_enough_texts() {
    let folder = ready();
    let few: String = (0..100).map(|number| text(number) + "\n").collect();
    folder.write("few.txt", few).write("rare.txt", "whales\n");
    let fit = "vector fit texts.jsonl --column text --words-file people.txt -o x.mask -q";
    for (line, exit, said) in [
        (format!("{fit} --measure --method mask"), "exit 1", "--measure is for erasers"),
        (format!("{fit} --attacker bayes"), "exit 2", "--measure"),
        (format!("{fit} --seed 3"), "exit 1", "--seed is for masks"),
        (format!("{fit} --measure --attacker mean"), "exit 1", "the mean of attackers needs two others"),
        (
            "vector fit few.txt --words-file people.txt -o x.mask -q --measure".to_owned(),
            "exit 1",
            "there are 100 texts",
        ),
        (
            "vector fit texts.jsonl --column text --label-column named -o x.mask -q --measure".to_owned(),
            "exit 2",
            "cannot be used with",
        ),
    ] {
        refused(&folder, &line, exit, said);
    }
    assert!(!folder.path("x.mask").exists());
}

/// The owner of a store asks it with queries that stay on the machine: erased as the store is, without noise.
#[test]
fn queries_that_stay_here_are_erased_without_noise() {
    let folder = ready();
    succeed(&folder, &format!("{FIT} -o people.mask -q"));
    succeed(
        &folder,
        "vector apply vectors.jsonl -o store.jsonl --mask people.mask -e 200 --insecure-seed 1 -q",
    );
    succeed(
        &folder,
        "vector apply vectors.jsonl -o noisy.jsonl --mask people.mask -e 200 --insecure-seed 2 -q",
    );
    succeed(&folder, "vector apply vectors.jsonl -o queries.jsonl --mask people.mask -e inf -q");
    // Without noise there is nothing to draw: the same queries are erased alike.
    succeed(&folder, "vector apply vectors.jsonl -o again.jsonl --mask people.mask -e inf -q");
    assert_eq!(folder.read("queries.jsonl"), folder.read("again.jsonl"));
    let receipt = json(&folder.read("queries.jsonl.receipt.json"));
    assert_eq!(receipt["groups"][0]["epsilon"], "inf", "{receipt}");
    let rows = |name: &str| -> Vec<Vec<f64>> {
        let text = String::from_utf8(folder.read(name)).unwrap();
        let row = |line: &str| json(line.as_bytes())["embedding"].as_array().unwrap().clone();
        text.lines().map(|line| row(line).iter().map(|x| x.as_f64().unwrap()).collect()).collect()
    };
    let cosine = |a: &[f64], b: &[f64]| {
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
        dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
    };
    let store = rows("store.jsonl");
    // How often a query finds a row first that says the same. Who did it is erased.
    let says = |number: usize| text(number).split_once(' ').unwrap().1.to_owned();
    let found = |queries: &[Vec<f64>]| {
        let own = |(number, query): (usize, &Vec<f64>)| {
            let nearer =
                |a: &usize, b: &usize| cosine(query, &store[*a]).total_cmp(&cosine(query, &store[*b]));
            let first = (0..store.len()).max_by(nearer).unwrap();
            usize::from(says(first) == says(number))
        };
        queries.iter().enumerate().take(120).map(own).sum::<usize>()
    };
    let (erased, noisy) = (found(&rows("queries.jsonl")), found(&rows("noisy.jsonl")));
    assert!(erased > noisy && erased > 60, "{erased} and {noisy} of 120");
}
