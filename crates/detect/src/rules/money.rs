//! Amounts of money and currencies.

use super::rule::{Edges, Rule, Verdict};
use crate::kind::Kind;

/// An amount with optional thousands separators, decimals and magnitude.
const AMOUNT: &str = r"(?:[0-9]{1,3}(?:[,.' \u{a0}\u{202f}][0-9]{3}){1,5}(?:[.,][0-9]{1,2})?|[0-9]{1,15}(?:[.,][0-9]{1,8})?)(?:,-|\.-)?";
const MAGNITUDE: &str = r"(?: ?(?i:thousand|million|billion|trillion|mio\.?|mrd\.?|mn|bn|mm|[kmb]))?";
const SIGN: &str = "[$€£¥₹₽₩₪₺₴₫฿₿₱₦₡₲₵₸₼₾¢]";

/// Currency codes of ISO 4217 that are not also words.
const CODES: &[&str] = &[
    "usd", "eur", "gbp", "chf", "jpy", "cny", "cad", "aud", "nzd", "sek", "nok", "dkk", "pln", "czk", "huf",
    "inr", "brl", "mxn", "zar", "krw", "sgd", "hkd", "twd", "thb", "idr", "myr", "php", "vnd", "aed", "ils",
    "egp", "ngn", "kes", "ghs", "uah", "rub", "bgn", "isk", "hrk", "rsd", "kzt", "pkr", "bdt", "lkr", "npr",
    "mmk", "khr", "mnt", "uzs", "azn", "byn", "mdl", "mkd", "bwp", "zmw", "tzs", "ugx", "rwf", "xof", "xaf",
    "xpf", "xcd", "dzd", "tnd", "lyd", "jod", "kwd", "bhd", "qar", "omr", "iqd", "irr", "afn", "clp", "uyu",
    "pyg", "vef", "ves", "hnl", "nio", "gtq", "bzd", "jmd", "ttd", "bbd", "bsd", "htg", "fjd", "pgk", "sbd",
    "wst", "vuv", "btc", "eth", "xrp", "ltc", "usdt", "rmb", "tjs", "kgs", "bnd", "mur", "scr", "mvr", "mga",
    "mwk", "mzn", "nad", "szl", "lsl", "cdf", "bif", "djf", "etb", "kmf", "gmd", "gnf", "sll", "cve", "awg",
    "bmd", "kyd", "fkp", "gip", "shp", "yer", "syp", "lbp", "sdg", "ssp", "ern", "stn", "mru", "aoa", "ars",
];

/// Codes that are also words or names. Before an amount they must be in upper case.
const WORDLIKE: &str = "ALL|AMD|BAM|BOB|COP|CRC|CUP|DOP|GEL|LAK|MAD|MOP|PEN|RON|SAR|SOS|TOP|TRY";

/// Names of currencies after an amount.
const NAMES: &str = "\
    (?i:(?:US|U\\.S\\.|Canadian|Australian|Hong Kong|Singapore|New Zealand)? ?dollars?|bucks?|cents?\
    |euros?|pounds?(?: sterling)?|quid|pence|yen|yuan|renminbi|(?:Swiss )?francs?|franken|rupees?\
    |roubles?|rubles?|pesos?|reais|real|rand|won|baht|lira|liras|kron(?:er|or|a|e)|kronur\
    |zlot(?:ys?|ych)|forints?|korun[ay]?|shekels?|dirhams?|riyals?|dinars?|ringgit|rupiah|dong|naira\
    |shillings?|cedis?|hryvnias?|bitcoins?|satoshis?|ether|lei|leva|lev)";

const PEOPLES: &[&str] = &[
    "us",
    "swiss",
    "danish",
    "swedish",
    "norwegian",
    "icelandic",
    "czech",
    "polish",
    "hungarian",
    "canadian",
    "australian",
    "british",
    "japanese",
    "chinese",
    "indian",
    "mexican",
    "brazilian",
    "russian",
    "turkish",
    "korean",
    "south",
    "hong",
    "new",
    "singapore",
    "kuwaiti",
    "jordanian",
    "moroccan",
    "philippine",
    "colombian",
    "chilean",
    "argentine",
    "israeli",
    "saudi",
    "serbian",
    "cfa",
    "cfp",
    "iranian",
    "iraqi",
    "omani",
    "qatari",
    "tunisian",
    "libyan",
    "thai",
    "egyptian",
    "nigerian",
    "kenyan",
    "pakistani",
    "sri",
    "euro",
    "pound",
    "bulgarian",
    "romanian",
    "ukrainian",
    "malaysian",
    "indonesian",
    "vietnamese",
    "trinidad",
    "jamaican",
    "namibian",
    "liberian",
    "fiji",
    "bahamian",
    "barbados",
    "belize",
];

/// Nationalities of two words. The scan looks up the first word.
const TWO_WORD_PEOPLES: &str =
    "south african|south korean|hong kong|new zealand|new israeli|sri lankan|saudi arabian";
const CURRENCIES: &str = "\
    dollars?|francs?|kron[ae]r?|kronor|koruna|zloty|forint|pounds?|yen|yuan|rupees?|pesos?|real\
    |rubles?|lira|won|rand|dinar|dirham|rial|riyal|ringgit|rupiah|dong|naira|shilling|baht|leu|lev|hryvnia|shekels?\
    |sheqel|sterling";
/// Numbers in words.
const COUNT: &str = "a|half a|one|two|three|four|five|six|seven|eight|nine|ten|several|[a-z]{3,6}ty";
const MAGNITUDES: &str = "(?:hundred|thousand|[mb]illion)";
const COUNT_WORDS: &[&str] = &[
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twenty", "thirty",
    "forty", "fifty", "sixty", "seventy", "eighty", "ninety", "hundred", "thousand", "several", "a", "half",
];

pub(super) fn rules() -> Vec<Rule> {
    let codes = CODES.join("|");
    // The pattern also has the nationalities of two words.
    let peoples: Vec<&str> = PEOPLES
        .iter()
        .filter(|people| !["south", "hong", "new", "sri", "saudi"].contains(people))
        .copied()
        .collect();
    vec![
        Rule::new("money-sign", Kind::Money, "An amount with a currency sign.", 0.9)
            .shape_at(
                &["us", "usd", "r", "a", "c", "ca", "au", "nz", "hk", "s", "sg", "nt"],
                format!(r"-?(?:(?i:US|CA|AU|NZ|HK|SG|NT|[ACRS]))?{SIGN} ?-?{AMOUNT}{MAGNITUDE}"),
            )
            .shape(format!("{AMOUNT}{MAGNITUDE}[ \u{a0}\u{202f}]?{SIGN}"))
            .edges(Edges::Number),
        Rule::new("money-code", Kind::Money, "An amount with a currency code.", 0.88)
            .shape_at(CODES, format!("(?i:{codes}) ?{AMOUNT}{MAGNITUDE}"))
            .shape(format!("(?:{WORDLIKE}) {AMOUNT}{MAGNITUDE}"))
            .shape(format!("{AMOUNT}{MAGNITUDE} ?(?:(?i:{codes})|{WORDLIKE})"))
            .checked("amount", amount, 0.88),
        Rule::new("money-name", Kind::Money, "An amount with the name of a currency.", 0.85)
            .shape(format!("{AMOUNT}{MAGNITUDE} ?{NAMES}")),
        Rule::new("money-words", Kind::Money, "A large amount in words.", 0.7)
            .shape_at(COUNT_WORDS, format!("(?i:(?:{COUNT})?[ -]?{MAGNITUDES}(?: {MAGNITUDES})?) {NAMES}"))
            .edges(Edges::Word),
        Rule::new("currency-name", Kind::Money, "A currency by its name.", 0.6)
            .shape_at(PEOPLES, format!("(?i:(?:{}|{TWO_WORD_PEOPLES}) (?:{CURRENCIES}))", peoples.join("|")))
            .edges(Edges::Word),
        Rule::new("currency-code", Kind::Money, "A currency by its code.", 0.0)
            .shape_at(CODES, format!("(?:{})", codes.to_uppercase()))
            .only_near(
                [
                    "currency",
                    "currencies",
                    "price",
                    "amount",
                    "paid",
                    "pay",
                    "payment",
                    "transfer",
                    "convert",
                    "exchange",
                    "account",
                    "in",
                    "to",
                    "from",
                    "invoice",
                    "salary",
                    "fee",
                    "cost",
                    "balance",
                ],
                0.62,
            )
            .within(30)
            .edges(Edges::Word),
    ]
}

/// Refuses a code before a long number without separators, which is a reference: `RUB 123456789012`.
fn amount(text: &str) -> Verdict {
    let run = text.split(|c: char| !c.is_ascii_digit()).map(str::len).max().unwrap_or(0);
    if run <= 10 { Verdict::Valid } else { Verdict::Invalid }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{finds, ignores};

    #[test]
    fn sign() {
        finds(
            "money-sign",
            &[
                "[[$1,204.50]] due",
                "about [[€ 300]].",
                "[[£5m]] deal",
                "[[US$ 20]]",
                "[[3.500,00 €]]",
                "[[$3.5 million]] was",
                "[[¥12000]]",
                "[[-$40]]",
                "cost[[₹500]]",
            ],
        );
        ignores("money-sign", &["$ x", "$HOME", "€", "a $ sign", "cash $", "$$"]);
    }

    #[test]
    fn code() {
        finds(
            "money-code",
            &[
                "[[USD 300]] only",
                "[[300 EUR]].",
                "[[chf 1'200.50]]",
                "[[TRY 500]]",
                "[[1.5m GBP]]",
                "pay [[EUR300]]",
            ],
        );
        ignores("money-code", &["all 300", "USD", "try 3 times", "EURO 2020", "USDA 300", "NOK", "top 10"]);
    }

    #[test]
    fn name() {
        finds(
            "money-name",
            &[
                "[[500 euros]]",
                "[[3.5 million dollars]].",
                "[[20 quid]]",
                "[[1,000 Swiss francs]]",
                "[[50 cents]] each",
                "[[10k pounds]]",
            ],
        );
        ignores(
            "money-name",
            &["500 people", "dollars", "3 really", "10 wonders", "5 randoms", "20 centimes"],
        );
        finds(
            "money-words",
            &[
                "[[a hundred dollars]]",
                "[[two thousand euros]]",
                "[[five million pounds]] each",
                "[[fifty thousand yen]]",
                "[[half a million dollars]]",
            ],
        );
        ignores(
            "money-words",
            &["a hundred people", "hundreds of dollars", "two euros less", "million", "thousand miles"],
        );
    }

    #[test]
    fn currencies() {
        finds(
            "currency-name",
            &[
                "in [[Swiss franc]]",
                "the [[Danish krone]]",
                "[[US dollars]] only",
                "[[south african rand]]",
                "[[pound sterling]]",
            ],
        );
        ignores(
            "currency-name",
            &["Swiss cheese", "south korea won", "the US", "new real estate", "polish the krone"],
        );
        finds(
            "currency-code",
            &[
                "paid in [[CHF]]",
                "currency: [[EUR]]",
                "convert to [[JPY]].",
                "the amount ([[USD]])",
                "price in [[GBP]]",
            ],
        );
        ignores("currency-code", &["CHF", "chf", "in USDA", "currency: EURO", "pay in PHPX"]);
    }
}
