//! Where axes begin and end, and what they say.

/// The range of numbers above 0, with a little room on both sides of a logarithmic axis.
pub(super) fn padded(numbers: impl Iterator<Item = f64>) -> (f64, f64) {
    let (least, most) =
        numbers.fold((f64::INFINITY, 0.0), |(least, most): (f64, f64), x| (least.min(x), most.max(x)));
    if least > most {
        return (1.0, 10.0);
    }
    let room = (most / least).powf(0.03).max(1.1);
    (least / room, most * room)
}

/// Ticks of a logarithmic axis: 1, 2 and 5 of every power of ten if there are few, else the powers of ten.
pub(super) fn logarithmic(least: f64, most: f64) -> Vec<f64> {
    let (first, last) = (least.log10().floor() as i32, most.log10().ceil() as i32);
    let digits: &[f64] = if (most / least).log10() < 3.0 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    // At most eight labels fit under a panel.
    let step = (last - first).div_euclid(8).max(0) as usize + 1;
    let ticks = (first..=last)
        .step_by(step)
        .flat_map(|power| digits.iter().map(move |digit| digit * 10f64.powi(power)));
    ticks.filter(|tick| (least..=most).contains(tick)).collect()
}

/// About five ticks of a linear axis, at round numbers.
pub(super) fn linear(least: f64, most: f64) -> Vec<f64> {
    let rough = (most - least) / 5.0;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0].into_iter().map(|digit| digit * power).find(|step| *step >= rough * 0.99);
    let step = step.unwrap_or(10.0 * power);
    let (first, last) = ((least / step).ceil() as i64, (most / step).floor() as i64);
    (first..=last).map(|at| at as f64 * step).collect()
}

/// A tick of a logarithmic axis: plain as long as it is short, else a power of ten.
pub(super) fn label(tick: f64) -> String {
    let power = (tick * 1.000_001).log10().floor();
    if (-3.0..4.0).contains(&power) {
        let digits = (-power).max(0.0) as usize;
        return format!("{tick:.digits$}");
    }
    let digit = tick / 10f64.powf(power);
    let exponent: String = format!("{power}").chars().map(raised).collect();
    if digit < 1.5 { format!("10{exponent}") } else { format!("{digit:.0}·10{exponent}") }
}

fn raised(c: char) -> char {
    match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4' => '⁴',
        '5' => '⁵',
        '6' => '⁶',
        '7' => '⁷',
        '8' => '⁸',
        '9' => '⁹',
        _ => '⁰',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(least: f64, most: f64) -> String {
        logarithmic(least, most).into_iter().map(label).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn ticks_of_a_logarithmic_axis() {
        assert_eq!(labels(30.0, 700.0), "50 100 200 500");
        assert_eq!(labels(0.9, 60_000.0), "1 10 100 1000 10⁴");
        assert_eq!(labels(0.04, 0.3), "0.05 0.1 0.2");
        assert_eq!(labels(15_000.0, 60_000.0), "2·10⁴ 5·10⁴");
        assert_eq!(labels(1e-5, 1e6).split(' ').count(), 6);
    }

    #[test]
    fn ticks_of_a_linear_axis() {
        let shown =
            |least, most| linear(least, most).iter().map(|x| format!("{x:.1}")).collect::<Vec<_>>().join(" ");
        assert_eq!(shown(0.0, 1.0), "0.0 0.2 0.4 0.6 0.8 1.0");
        assert_eq!(shown(-0.1, 1.0), "0.0 0.5 1.0");
        assert_eq!(shown(0.0, 100.0), "0.0 20.0 40.0 60.0 80.0 100.0");
        assert_eq!(shown(0.0, 10.0), "0.0 2.0 4.0 6.0 8.0 10.0");
    }

    #[test]
    fn ranges_have_room() {
        let (least, most) = padded([10.0, 1000.0].into_iter());
        assert!(least < 10.0 && most > 1000.0);
        let (least, most) = padded([10.0].into_iter());
        assert!(least < most);
        assert_eq!(padded(std::iter::empty()), (1.0, 10.0));
    }
}
