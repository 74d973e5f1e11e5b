//! Writes lines with new vectors.

use std::io::Write;

use crate::carry::JsonlCarry;
use crate::error::{Error, ErrorKind};

/// Writes the lines of a batch with `values` in place of the old vectors. Every other byte is kept.
pub(crate) fn write_rows(
    first_row: u64,
    dim: usize,
    values: &[f64],
    carry: &JsonlCarry,
    to: &mut impl Write,
) -> Result<(), Error> {
    let mut out = Vec::with_capacity(carry.text.len());
    let mut copied = 0;
    for (row, (vector, range)) in values.chunks_exact(dim).zip(&carry.vectors).enumerate() {
        let text = &carry.text;
        out.extend_from_slice(text.get(copied..range.start).ok_or(ErrorKind::OutOfOrder)?);
        write_vector(vector, separator(text.get(range.clone()).unwrap_or_default()), &mut out)
            .map_err(|e| e.in_row(first_row + row as u64))?;
        copied = range.end;
    }
    out.extend_from_slice(carry.text.get(copied..).unwrap_or_default());
    to.write_all(&out).map_err(|e| Error::io("write it", &e))
}

/// Returns the separator of the old vector, which is kept.
fn separator(old: &[u8]) -> &'static [u8] {
    let comma = old.iter().position(|&byte| byte == b',').unwrap_or(old.len());
    match old.get(comma + 1) {
        Some(b' ') => b", ",
        _ => b",",
    }
}

/// Appends an array of the shortest decimals that read back as the same numbers.
fn write_vector(vector: &[f64], separator: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
    out.push(b'[');
    for (index, value) in vector.iter().enumerate() {
        if index > 0 {
            out.extend_from_slice(separator);
        }
        if !value.is_finite() {
            return Err(ErrorKind::NotFinite { index }.into());
        }
        serde_json::to_writer(&mut *out, value).map_err(|_| ErrorKind::NotFinite { index })?;
    }
    out.push(b']');
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splices_vectors_into_text() {
        let carry = JsonlCarry { text: b"{\"a\":[1, 2]}\r\n[3,4]".to_vec(), vectors: vec![5..11, 14..19] };
        let mut out = Vec::new();
        write_rows(0, 2, &[0.1, -0.0, 1e300, 5e-324], &carry, &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "{\"a\":[0.1, -0.0]}\r\n[1e+300,5e-324]");
    }

    #[test]
    fn refuses_what_json_cannot_say() {
        let carry = JsonlCarry { text: b"[1]\n[1]".to_vec(), vectors: vec![0..3, 4..7] };
        let error = write_rows(5, 1, &[0.5, f64::NAN], &carry, &mut Vec::new()).unwrap_err();
        assert_eq!((error.kind(), error.row()), (&ErrorKind::NotFinite { index: 0 }, Some(7)));
    }
}
