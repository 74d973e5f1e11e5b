//! Small documents with names inside addresses and e-mails, repeated names in another case, dates,
//! numbers, and all of them close together.

/// Pseudo-random whole numbers, the same in every run.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5bd1_e995)
    }

    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.roll() % bound as u64) as usize
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

const FIRST: [&str; 24] = [
    "Ana", "Tomás", "Mirela", "Grace", "Mark", "Will", "Yuki", "Zoë", "Jean-Luc", "Siobhán", "Omar", "Priya",
    "May", "Ines", "Liam", "Hope", "Anna", "Bob", "Jan", "Dmitri", "Fatima", "Noah", "Rose", "Ivo",
];
const LAST: [&str; 24] = [
    "Novak",
    "Lima",
    "O'Neil",
    "Kovalenko",
    "Reyes",
    "McDonald",
    "Smith",
    "Young",
    "Castro",
    "Müller",
    "Park",
    "Brown",
    "Van Dyke",
    "Nguyen",
    "Lopez-Garcia",
    "Hill",
    "Stone",
    "Ito",
    "Berg",
    "Khan",
    "King",
    "Price",
    "Day",
    "Anand",
];
const PLACES: [&str; 10] = [
    "Porto",
    "Lyon",
    "New York",
    "York",
    "Lake Geneva",
    "Osaka",
    "Novi Sad",
    "Paris",
    "Berlin",
    "Castro Valley",
];
const MONTHS: [&str; 6] = ["January", "March", "May", "August", "Sept", "December"];
const FIRMS: [&str; 6] = [
    "Lima & Sons",
    "Castro Holdings Ltd",
    "Young Park Hospital",
    "Acme Corp.",
    "Smith Brothers Inc",
    "Hill Bank",
];

/// The people that a document mentions.
struct People {
    names: Vec<(String, String)>,
    email: String,
    phone: String,
}

/// Returns the document with this number.
pub(crate) fn document(number: u64) -> String {
    let mut dice = Dice::new(number);
    let count = 1 + dice.below(3);
    let names = (0..count).map(|_| (dice.pick(&FIRST).to_owned(), dice.pick(&LAST).to_owned())).collect();
    let phone = format!("+44 20 7946 0{:03}", dice.below(1000));
    let mut people = People { names, email: String::new(), phone };
    people.email = email(&people, &mut dice);
    let mut text = String::new();
    for _ in 0..1 + dice.below(6) {
        text.push_str(&sentence(&people, &mut dice));
        text.push_str(dice.pick(&[" ", " ", "\n", "\n\n", "  ", "\t", " — "]));
    }
    text
}

fn email(people: &People, dice: &mut Dice) -> String {
    let (first, last) = &people.names[0];
    let plain =
        |text: &str| text.chars().filter(char::is_ascii_alphabetic).collect::<String>().to_lowercase();
    match dice.below(3) {
        0 => format!("{}.{}@example.org", plain(first), plain(last)),
        1 => format!("{}{}@mail.example.com", plain(first), dice.below(100)),
        _ => format!("{}@{}.example", plain(first), plain(last)),
    }
}

fn sentence(people: &People, dice: &mut Dice) -> String {
    let (first, last) = people.names[dice.below(people.names.len())].clone();
    let (other, family) = people.names[dice.below(people.names.len())].clone();
    let name = format!("{first} {last}");
    let place = dice.pick(&PLACES);
    let (day, month, year) = (1 + dice.below(28), dice.pick(&MONTHS), 1950 + dice.below(75));
    let number = dice.below(1_000_000);
    match dice.below(22) {
        0 => format!("Dear {name},"),
        1 => format!("{name} lives at {number} {last} Street, {place}."),
        2 => format!("Write to {} or to {name} ({}).", people.email, people.email),
        3 => format!("{}, {}, {} and again {name}.", name.to_uppercase(), name.to_lowercase(), first),
        4 => format!("{name}'s appointment is on {day} {month} {year}."),
        5 => format!(
            "Born {day:02}/{:02}/{year} in {place}, {first} moved to {}.",
            1 + dice.below(12),
            dice.pick(&PLACES)
        ),
        6 => format!("Call {} or {} today!", people.phone, people.phone.replace(' ', "")),
        7 => format!("Invoice {number:06} of {} for {} EUR.", dice.pick(&FIRMS), 10 + dice.below(5000)),
        8 => format!("{first} and {other} met {family} near {place}."),
        9 => format!("She is {} years old and weighs {} kg.", 18 + dice.below(70), 50 + dice.below(50)),
        10 => format!("Card 4111 1111 1111 1111, IBAN GB82 WEST 1234 5698 7654 32, code {number}."),
        11 => format!("<{}>, \"{name}\" <{}>", people.email, people.email),
        12 => format!("{name}/{other} {family};{first}"),
        13 => format!("{last}, {first} — {place}{}", dice.pick(&["", ".", "…", "!"])),
        14 => format!("The {last} family of {} will march in May.", dice.pick(&FIRMS)),
        15 => {
            format!("https://{}.example/{}?id={number}", last.to_lowercase().replace([' ', '\''], "-"), first)
        }
        16 => format!("Server 192.168.{}.{} belongs to {name}.", dice.below(255), dice.below(255)),
        17 => format!("On {month} {day}, {year} at {}:{:02} {first} called.", dice.below(24), dice.below(60)),
        18 => format!("{first}\n{last}\n{number} {place} Road\n{place}"),
        19 => format!("[person] {name} [person 1] [date] {year}"),
        20 => format!(
            "My knee hurts since {month}; the doctor, Dr. {last}, said {} times it will pass.",
            dice.below(9)
        ),
        _ => format!(
            "{}: {name}, {}: {}",
            dice.pick(&["Patient", "Name"]),
            dice.pick(&["Mail", "E-mail"]),
            people.email
        ),
    }
}
