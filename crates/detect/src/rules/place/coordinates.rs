//! Latitudes and longitudes.

use crate::kind::Kind;
use crate::rules::rule::{Edges, Rule, Verdict};

pub(super) fn rules() -> Vec<Rule> {
    let angle =
        r#"[0-9]{1,3} ?[°º] ?(?:[0-9]{1,2} ?['′’] ?(?:[0-9]{1,2}(?:[.,][0-9]{1,4})? ?(?:["″”]|'') ?)?)?"#;
    let decimal = r"[+-]?[0-9]{1,3}\.[0-9]{3,15}";
    vec![
        Rule::new("coordinates", Kind::Coordinates, "A latitude and a longitude as decimal numbers.", 0.3)
            .shape(format!(r"{decimal}°? ?[NS]?(?:[,;] ?|,? ){decimal}°? ?[EW]?"))
            .checked("degrees", decimal_pair, 0.85)
            .near(
                [
                    "latitude",
                    "longitude",
                    "lat",
                    "lon",
                    "lng",
                    "gps",
                    "coordinates",
                    "coordinate",
                    "located",
                    "location",
                    "position",
                ],
                0.95,
            ),
        Rule::new(
            "coordinates-dms",
            Kind::Coordinates,
            "A latitude and a longitude in degrees, minutes and seconds.",
            0.93,
        )
        .shape(format!(r"{angle}[NSns](?:,|;)? {{0,2}}{angle}[EWOewo]"))
        .edges(Edges::Word),
        Rule::new("coordinate", Kind::Coordinates, "A latitude or a longitude.", 0.0)
            .shape(decimal)
            .shape(format!(r"{angle}[NSEWnsew]"))
            .filtered(|text| if text.contains('°') { Verdict::Unsure } else { degrees(text, 180.0) })
            .only_near(["latitude", "longitude", "lat", "lon", "lng", "long"], 0.9)
            .within(20),
    ]
}

fn degrees(text: &str, most: f64) -> Verdict {
    let number = text.trim_matches(|c: char| !c.is_ascii_digit() && !matches!(c, '-' | '+' | '.'));
    if number.parse::<f64>().is_ok_and(|value| value.abs() <= most) {
        Verdict::Unsure
    } else {
        Verdict::Invalid
    }
}

fn decimal_pair(text: &str) -> Verdict {
    let cut = text.find([',', ';']).or_else(|| text.rfind(' '));
    let Some((first, second)) = cut.and_then(|cut| text.split_at_checked(cut)) else {
        return Verdict::Invalid;
    };
    if degrees(first, 90.0) == Verdict::Invalid || degrees(second, 180.0) == Verdict::Invalid {
        return Verdict::Invalid;
    }
    // Two numbers may be other measurements. Four decimals or a direction are needed.
    let decimals = |part: &str| {
        part.split('.').nth(1).map_or(0, |after| after.bytes().take_while(u8::is_ascii_digit).count())
    };
    let telling = decimals(first) >= 4 && decimals(second) >= 4;
    if telling || text.contains(['N', 'S', 'E', 'W']) { Verdict::Valid } else { Verdict::Unsure }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{finds, ignores};

    #[test]
    fn coordinates() {
        finds(
            "coordinates",
            &[
                "at [[51.5074, -0.1278]].",
                "[[-33.8688, 151.2093]]",
                "near ([[51.5074,-0.1278]])",
                "gps [[48.85837 2.29448]]",
                "[[40.7128° N, 74.0060° W]]",
                "lat/lon: [[52.52001;13.40495]]",
            ],
        );
        ignores(
            "coordinates",
            &["1.5, 2.5", "99.1234, 10.1234", "51.5074", "12.345, 999.1234", "0.12, 0.34", "1.234 5.678"],
        );
        finds(
            "coordinates-dms",
            &[
                "[[51°30'26\"N 0°7'39\"W]]",
                "at [[48° 51′ 24″ N, 2° 21′ 8″ E]].",
                "[[40°42'51\" N 74°0'21\" W]]",
                "[[33°51'S 151°12'E]]",
                "([[52°N 13°E]])",
            ],
        );
        ignores("coordinates-dms", &["51°", "20 °C", "90° turn", "51°30'26\"N", "5'10\""]);
        finds(
            "coordinate",
            &[
                "latitude [[51.5074]]",
                "lat: [[-33.8688]],",
                "\"lng\": [[151.2093]]",
                "longitude is [[2.29448]].",
                "lat [[51°30'26\"N]]",
            ],
        );
        ignores("coordinate", &["51.5074", "lat 999.123", "flat 51.5074", "latitude 51", "lat 1.2"]);
    }
}
