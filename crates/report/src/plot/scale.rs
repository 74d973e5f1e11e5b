//! Where axes begin and end, and their ticks.

use super::Axis;
use crate::number::{scientific, superscript};

/// An axis with its ticks. It works with any finite numbers, the largest and the smallest too.
pub(super) struct Scale {
    log: bool,
    /// Numbers are divided by this, so that no difference is too large.
    unit: f64,
    /// The ends, divided by the unit or as logarithms.
    low: f64,
    high: f64,
    pub(super) ticks: Vec<Tick>,
}

/// A tick: its position between 0 and 1, and its label.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tick {
    pub(super) at: f64,
    pub(super) label: String,
}

/// The length of an axis, and how much of it a label takes with its gap.
pub(super) struct Space<'a> {
    pub(super) length: f64,
    pub(super) label: &'a dyn Fn(&str) -> f64,
    pub(super) most_ticks: usize,
}

impl Scale {
    /// The scale of an axis for these numbers. A logarithmic axis ignores numbers that are not
    /// positive.
    pub(super) fn of(axis: &Axis, numbers: &[f64], space: &Space<'_>) -> Self {
        let range = axis.range.into_iter().flat_map(|(low, high)| [low, high]);
        let numbers: Vec<f64> = numbers.iter().copied().chain(range).filter(|x| axis.holds(*x)).collect();
        let unit = numbers.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        let unit = if axis.log || unit == 0.0 { 1.0 } else { unit };
        let mut scale = Self { log: axis.log, unit, low: 0.0, high: 1.0, ticks: Vec::new() };
        let places = numbers.iter().map(|x| scale.inner(*x)).filter(|x| x.is_finite());
        let (low, high) = places.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
        if low <= high {
            // Equal numbers are in the middle of the axis.
            let wide = high - low;
            let margin = if wide > 1e-9 { wide * 0.05 } else { 0.1 };
            (scale.low, scale.high) = (low - margin, high + margin);
        }
        scale.ticks = scale.fitting_ticks(axis.percent, space);
        scale
    }

    /// The position of a number, between 0 and 1.
    pub(super) fn place(&self, x: f64) -> f64 {
        let place = (self.inner(x) - self.low) / (self.high - self.low);
        if place.is_finite() { place.clamp(0.0, 1.0) } else { 0.5 }
    }

    fn inner(&self, x: f64) -> f64 {
        if self.log { x.log10() } else { x / self.unit }
    }

    /// As many ticks as fit.
    fn fitting_ticks(&self, percent: bool, space: &Space<'_>) -> Vec<Tick> {
        let fits = |ticks: &[Tick]| {
            ticks.windows(2).all(|pair| {
                let widths = (space.label)(&pair[0].label) + (space.label)(&pair[1].label);
                (pair[1].at - pair[0].at) * space.length >= widths / 2.0
            })
        };
        let tries = (2..=space.most_ticks.max(2)).rev().map(|most| self.ticks(most, percent));
        let mut found = tries.filter(|ticks| fits(ticks));
        found.next().unwrap_or_default()
    }

    fn ticks(&self, most: usize, percent: bool) -> Vec<Tick> {
        let powers = if self.log { self.logarithmic(most) } else { None };
        let by_powers = powers.is_some();
        let numbers = powers.unwrap_or_else(|| self.linear(most));
        let factor = if percent { 100.0 } else { 1.0 };
        let finest =
            numbers.windows(2).map(|pair| (pair[1] - pair[0]).abs() * factor).fold(f64::MAX, f64::min);
        let most = numbers.iter().map(|x| x.abs() * factor).fold(0.0, f64::max);
        let shown = |x: &f64| {
            let own = x.abs() * factor;
            let (step, most) = if by_powers { (own, own) } else { (finest, most) };
            format!("{}{}", label(x * factor, step, most), if percent { " %" } else { "" })
        };
        let finite = numbers.iter().filter(|x| (*x * factor).is_finite());
        finite.map(|x| Tick { at: self.place(*x), label: shown(x) }).collect()
    }

    /// At most `most` round numbers at equal distances.
    fn linear(&self, most: usize) -> Vec<f64> {
        if self.log {
            let (least, last) = (10f64.powf(self.low), 10f64.powf(self.high));
            return even(least, last, last - least, most);
        }
        even(self.low * self.unit, self.high * self.unit, (self.high - self.low) * self.unit, most)
    }

    /// Powers of ten, with 1, 2 and 5 of each if they fit, else fewer. None if there are not two of
    /// them: then numbers at equal distances are more useful.
    fn logarithmic(&self, most: usize) -> Option<Vec<f64>> {
        let (first, last) = (self.low.floor() as i32, self.high.ceil() as i32);
        let inside = |x: &f64| (self.low..=self.high).contains(&x.log10());
        let choices: [(&[f64], usize); 10] = [
            (&[1.0, 2.0, 5.0], 1),
            (&[1.0, 3.0], 1),
            (&[1.0], 1),
            (&[1.0], 2),
            (&[1.0], 3),
            (&[1.0], 5),
            (&[1.0], 10),
            (&[1.0], 20),
            (&[1.0], 50),
            (&[1.0], 100),
        ];
        for (digits, step) in choices {
            let start = first.div_euclid(step as i32) * step as i32;
            let powers = (start..=last).step_by(step);
            let ticks = powers.flat_map(|power| digits.iter().map(move |digit| digit * 10f64.powi(power)));
            let ticks: Vec<f64> = ticks.filter(inside).collect();
            if ticks.len() <= most && ticks.len() >= 2 {
                return Some(ticks);
            }
        }
        None
    }
}

/// At most `most` round numbers from the least to the last.
fn even(least: f64, last: f64, wide: f64, most: usize) -> Vec<f64> {
    let rough = wide / (most as f64 + 1.0);
    let power = 10f64.powf(rough.log10().floor());
    for step in [1.0, 2.0, 5.0, 10.0, 20.0, 50.0].map(|digit| digit * power) {
        let (first, end) = ((least / step).ceil(), (last / step).floor());
        if step.is_normal() && end - first < most as f64 {
            let ticks = (0..most).map(|at| first + at as f64).filter(|at| *at <= end);
            return ticks.map(|at| at * step).filter(|x| x.is_finite()).collect();
        }
    }
    Vec::new()
}

/// A number at an axis, with as many digits as its distance from the next one needs. If the largest
/// number needs a power of ten, all numbers have one.
fn label(x: f64, step: f64, most: f64) -> String {
    let x = if x == 0.0 { 0.0 } else { x };
    let sign = if x < 0.0 { "−" } else { "" };
    let power = |x: f64| (x * 1.000_001).log10().floor();
    let digits = (-power(step)).max(0.0);
    if x == 0.0 || (most < 1e6 && digits <= 4.0) {
        let digits = if x == 0.0 { 0 } else { digits as usize };
        return format!("{sign}{:.digits$}", x.abs());
    }
    let digits = (power(x.abs()) - power(step)).clamp(0.0, 15.0) as usize;
    let (digits, power) = scientific(x.abs(), digits);
    let digits =
        if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { &digits };
    let raised = superscript(power.unwrap_or(0));
    if digits == "1" { format!("{sign}10{raised}") } else { format!("{sign}{digits}·10{raised}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis, numbers: &[f64]) -> String {
        let space =
            Space { length: 300.0, label: &|label| 8.0 * label.chars().count() as f64, most_ticks: 6 };
        let ticks = Scale::of(axis, numbers, &space).ticks;
        ticks.into_iter().map(|tick| tick.label).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn ticks_are_at_round_numbers() {
        let plain = Axis::default();
        let percent = Axis { percent: true, ..Axis::default() };
        assert_eq!(labels(&plain, &[0.0, 1.0]), "0 0.2 0.4 0.6 0.8 1.0");
        assert_eq!(labels(&plain, &[-3.0, 17.0]), "0 5 10 15");
        assert_eq!(labels(&percent, &[0.31, 0.92]), "40 % 60 % 80 %");
        assert_eq!(labels(&plain, &[-2.2e6, 0.0]), "−2·10⁶ −1.5·10⁶ −10⁶ −5·10⁵ 0");
        assert_eq!(labels(&plain, &[1e9, 3e9]), "10⁹ 1.5·10⁹ 2·10⁹ 2.5·10⁹ 3·10⁹");
        assert_eq!(labels(&plain, &[-2e-7, 2e-7]), "−2·10⁻⁷ −10⁻⁷ 0 10⁻⁷ 2·10⁻⁷");
    }

    #[test]
    fn an_axis_shows_its_whole_range() {
        let shares = Axis { percent: true, range: Some((0.0, 1.0)), ..Axis::default() };
        assert_eq!(labels(&shares, &[0.4, 0.5]), "0 % 20 % 40 % 60 % 80 % 100 %");
        assert_eq!(labels(&shares, &[]), "0 % 20 % 40 % 60 % 80 % 100 %");
    }

    #[test]
    fn ticks_of_a_logarithmic_axis() {
        let log = Axis { log: true, ..Axis::default() };
        assert_eq!(labels(&log, &[5.0, 20.0]), "5 10 20");
        assert_eq!(labels(&log, &[1.0, 60_000.0]), "1 10 100 1000 10000 100000");
        assert_eq!(labels(&log, &[0.04, 0.3]), "0.05 0.1 0.2");
        assert_eq!(labels(&log, &[2.1, 2.9]), "2.2 2.4 2.6 2.8");
    }

    #[test]
    fn extreme_numbers_are_apart() {
        let space = Space { length: 300.0, label: &|_| 30.0, most_ticks: 6 };
        for (low, high) in [(f64::MIN, f64::MAX), (0.0, 5e-324), (-1e-300, 1e-300), (1e300, 1.1e300)] {
            let scale = Scale::of(&Axis::default(), &[low, high], &space);
            assert!(scale.place(low) < 0.1 && scale.place(high) > 0.9, "{low} {high}");
        }
    }

    #[test]
    fn extreme_numbers_have_places() {
        for numbers in [[f64::MAX, f64::MIN], [5e-324, 0.0], [1.0, 1.0], [0.0, -0.0], [1e300, 1e300]] {
            for percent in [false, true] {
                let axis = Axis { percent, ..Axis::default() };
                let space = Space { length: 300.0, label: &|_| 30.0, most_ticks: 6 };
                let scale = Scale::of(&axis, &numbers, &space);
                let places = numbers.map(|x| scale.place(x));
                assert!(places.iter().all(|at| (0.0..=1.0).contains(at)), "{numbers:?} {places:?}");
                assert!(scale.ticks.iter().all(|tick| (0.0..=1.0).contains(&tick.at)));
            }
        }
    }
}
