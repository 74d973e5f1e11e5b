//! How countries write addresses.

/// How a country writes addresses.
///
/// In a layout, `{n s}` is a building and a street in that order, `{s}` a street, `{u}` a unit, `{c}` a
/// city, `{r}` a region, `{rr}` its short form, `{county}` a county of the United Kingdom, `{z}` a postal
/// code and `{k}` the country.
pub(crate) struct Country {
    pub(crate) code: &'static str,
    pub(crate) name: &'static str,
    pub(crate) layouts: &'static [&'static str],
    pub(crate) codes: &'static [&'static str],
    pub(crate) regions: &'static [(&'static str, &'static str)],
}

pub(crate) const UNITED_STATES: Country = Country {
    code: "US",
    name: "United States",
    layouts: &[
        "{n s}, {c}, {rr} {z}",
        "{n s}, {c}, {rr} {z}",
        "{n s}, {u}, {c}, {rr} {z}",
        "{n s} {u}, {c}, {rr} {z}",
        "{n s}\n{c}, {rr} {z}",
        "{n s}\n{u}\n{c}, {rr} {z}",
        "{n s}, {u}\n{c}, {rr} {z}\n{k}",
        "{n s}, {c}, {r} {z}",
        "{n s}, {c} {rr}",
        "{n s}, {c}, {r}",
        "{n s}, {c}",
        "{n s} {c} {rr} {z}",
        "{n s}, {c}, {rr} {z}, {k}",
        "{u} {n s}, {c}, {rr} {z}",
    ],
    codes: &["#####", "#####", "#####", "#####-####"],
    regions: &[],
};

const CANADA: &[(&str, &str)] = &[
    ("Ontario", "ON"),
    ("Quebec", "QC"),
    ("British Columbia", "BC"),
    ("Alberta", "AB"),
    ("Manitoba", "MB"),
    ("Saskatchewan", "SK"),
    ("Nova Scotia", "NS"),
    ("New Brunswick", "NB"),
];
const AUSTRALIA: &[(&str, &str)] = &[
    ("New South Wales", "NSW"),
    ("Victoria", "VIC"),
    ("Queensland", "QLD"),
    ("Western Australia", "WA"),
    ("South Australia", "SA"),
    ("Tasmania", "TAS"),
    ("Northern Territory", "NT"),
    ("ACT", "ACT"),
];
const INDIA: &[(&str, &str)] = &[
    ("Karnataka", "KA"),
    ("Maharashtra", "MH"),
    ("Tamil Nadu", "TN"),
    ("Kerala", "KL"),
    ("Gujarat", "GJ"),
    ("West Bengal", "WB"),
    ("Telangana", "TS"),
    ("Rajasthan", "RJ"),
    ("Punjab", "PB"),
    ("Delhi", "DL"),
];
const BRAZIL: &[(&str, &str)] = &[
    ("São Paulo", "SP"),
    ("Rio de Janeiro", "RJ"),
    ("Minas Gerais", "MG"),
    ("Bahia", "BA"),
    ("Paraná", "PR"),
];

/// All but the United States, each as often as the others but for the United Kingdom.
pub(crate) const OTHERS: &[(usize, Country)] = &[
    (
        6,
        Country {
            code: "GB",
            name: "United Kingdom",
            layouts: &[
                "{n s}, {c}, {z}",
                "{n s}, {c} {z}",
                "{n s}\n{c}\n{z}",
                "{u}, {n s}, {c}, {z}",
                "{n s}, {c}, {county}, {z}",
                "{n s}\n{c}\n{county}\n{z}\n{k}",
                "{n s}, {c}",
            ],
            codes: &[
                "@# #@@", "@## #@@", "@@# #@@", "@@## #@@", "@@## #@@", "@#@ #@@", "@@#@ #@@", "@@###@@",
            ],
            regions: &[],
        },
    ),
    (
        1,
        Country {
            code: "IE",
            name: "Ireland",
            layouts: &["{n s}, {c}, {z}", "{n s}\n{c}\n{z}\n{k}", "{n s}, {c}, {k}"],
            codes: &["@## @#@#", "@## @@##", "D0# @#@#"],
            regions: &[],
        },
    ),
    (
        3,
        Country {
            code: "CA",
            name: "Canada",
            layouts: &[
                "{n s}, {c}, {rr} {z}",
                "{u}, {n s}, {c}, {rr} {z}",
                "{n s}\n{c}, {r}\n{z}",
                "{n s}, {c}, {r}, {k}",
            ],
            codes: &["@#@ #@#", "@#@ #@#", "@#@#@#"],
            regions: CANADA,
        },
    ),
    (
        3,
        Country {
            code: "AU",
            name: "Australia",
            layouts: &[
                "{n s}, {c} {rr} {z}",
                "{u}, {n s}, {c}, {rr} {z}",
                "{n s}\n{c} {rr} {z}",
                "{n s}, {c}, {r} {z}",
            ],
            codes: &["####"],
            regions: AUSTRALIA,
        },
    ),
    (
        3,
        Country {
            code: "DE",
            name: "Germany",
            layouts: &["{s n}, {z} {c}", "{s n}\n{z} {c}", "{s n}, {c}", "{s n}\n{z} {c}\n{k}"],
            codes: &["#####", "#####", "D-#####"],
            regions: &[],
        },
    ),
    (
        3,
        Country {
            code: "FR",
            name: "France",
            layouts: &["{n s}, {z} {c}", "{n, s}\n{z} {c}", "{n s}, {c}", "{n s}, {z} {c}, {k}"],
            codes: &["#####"],
            regions: &[],
        },
    ),
    (
        2,
        Country {
            code: "ES",
            name: "Spain",
            layouts: &["{s, n}, {z} {c}", "{s n}\n{z} {c}", "{s, n}, {u}, {z} {c}"],
            codes: &["#####"],
            regions: &[],
        },
    ),
    (
        2,
        Country {
            code: "MX",
            name: "Mexico",
            layouts: &["{s n}, {z} {c}", "{s n}, {c}, {k}", "{s n}\n{z} {c}\n{k}"],
            codes: &["#####", "C.P. #####"],
            regions: &[],
        },
    ),
    (
        2,
        Country {
            code: "IT",
            name: "Italy",
            layouts: &["{s n}, {z} {c}", "{s, n}\n{z} {c}", "{s n}, {c}"],
            codes: &["#####"],
            regions: &[],
        },
    ),
    (
        2,
        Country {
            code: "NL",
            name: "The Netherlands",
            layouts: &["{s n}, {z} {c}", "{s n}\n{z} {c}", "{s n}, {c}, {k}"],
            codes: &["%### @@", "%###@@"],
            regions: &[],
        },
    ),
    (
        2,
        Country {
            code: "BR",
            name: "Brazil",
            layouts: &["{s, n}, {c} - {rr}, {z}", "{s, n}\n{c} - {rr}\n{z}", "{s n}, {c}, {r}"],
            codes: &["#####-###", "#####-###", "########"],
            regions: BRAZIL,
        },
    ),
    (
        2,
        Country {
            code: "SE",
            name: "Sweden",
            layouts: &["{s n}, {z} {c}", "{s n}\n{z} {c}", "{s n}, {c}"],
            codes: &["### ##", "SE-### ##"],
            regions: &[],
        },
    ),
    (
        2,
        Country {
            code: "PL",
            name: "Poland",
            layouts: &["{s n}, {z} {c}", "{s n}\n{z} {c}"],
            codes: &["##-###"],
            regions: &[],
        },
    ),
    (
        3,
        Country {
            code: "IN",
            name: "India",
            layouts: &[
                "{u}, {n s}, {c} {z}",
                "{n, s}, {c}, {r} {z}",
                "{n, s}\n{c} - {z}\n{r}",
                "{n s}, {c}, {r}, {k}",
            ],
            codes: &["%#####", "%## ###"],
            regions: INDIA,
        },
    ),
    (
        2,
        Country {
            code: "JP",
            name: "Japan",
            layouts: &["{n s}, {c} {z}", "{n s}, {c}, {k}", "{z}\n{n s}\n{c}"],
            codes: &["###-####", "〒###-####"],
            regions: &[],
        },
    ),
    (
        1,
        Country {
            code: "SG",
            name: "Singapore",
            layouts: &["{n s}, {u}, {k} {z}", "{n s}\n{u}\n{k} {z}"],
            codes: &["######"],
            regions: &[],
        },
    ),
    (
        1,
        Country {
            code: "AE",
            name: "UAE",
            layouts: &["{u}, {s}, {c}", "{u}, {n s}, {c}, {k}"],
            codes: &["#####"],
            regions: &[],
        },
    ),
    (
        2,
        Country {
            code: "NG",
            name: "Nigeria",
            layouts: &["{n s}, {c}", "{n, s}, {c} {z}", "{n s}\n{c}\n{k}"],
            codes: &["######"],
            regions: &[],
        },
    ),
    (
        2,
        Country {
            code: "ZA",
            name: "South Africa",
            layouts: &["{n s}, {c}, {z}", "{n s}\n{c}\n{z}", "{u}, {n s}, {c} {z}"],
            codes: &["####"],
            regions: &[],
        },
    ),
];
