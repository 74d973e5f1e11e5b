//! Checks whether a model fits into memory before it is loaded, because swapping is worse than an
//! error.

use std::fs;

use crate::{Device, Error, ErrorKind};

/// Returns the bytes of parameters in `f32` with these shapes.
pub(crate) fn bytes_for<'a>(shapes: impl Iterator<Item = &'a [usize]>) -> u64 {
    let count = |shape: &[usize]| shape.iter().fold(4u64, |bytes, &size| bytes.saturating_mul(size as u64));
    shapes.fold(0, |sum, shape| sum.saturating_add(count(shape)))
}

/// Fails if `device` is the CPU and fewer than `needed` bytes are available. Does nothing if the
/// system does not report its memory.
pub(crate) fn check_memory(what: &'static str, needed: u64, device: &Device) -> Result<(), Error> {
    if !device.is_cpu() {
        return Ok(());
    }
    let status = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    match available(&status) {
        Some(available) if available < needed => Err(ErrorKind::TooLarge { what, needed, available }.into()),
        _ => Ok(()),
    }
}

fn available(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn available_memory_is_read_from_meminfo() {
        let status = "MemTotal:       24689764 kB\nMemFree:  7 kB\nMemAvailable:   23068672 kB\n";
        assert_eq!(available(status), Some(23_068_672 * 1024));
        assert_eq!(available(""), None);
        assert_eq!(available("MemAvailable: 99999999999999999999 kB"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn models_larger_than_memory_are_refused() {
        check_memory("a small model", 1, &Device::Cpu).unwrap();
        let error = check_memory("a giant model", u64::MAX, &Device::Cpu).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::TooLarge { needed: u64::MAX, .. }), "{error}");
    }

    #[test]
    fn shapes_are_counted_without_overflow() {
        assert_eq!(bytes_for([&[2, 3][..], &[], &[5]].into_iter()), 4 * (6 + 1 + 5));
        assert_eq!(bytes_for([&[usize::MAX, usize::MAX][..], &[1]].into_iter()), u64::MAX);
    }
}
