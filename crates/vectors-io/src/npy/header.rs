//! The header of an npy file: a Python dictionary. Only the forms that NumPy writes are read.

use crate::dense::Dense;
use crate::error::{Error, ErrorKind};
use crate::float::{Endian, FloatLayout, FloatType};
use crate::format::VectorFormat;
use inkveil_files::ByteStream;

/// NumPy's headers have about a hundred bytes.
const MAX_HEADER: u64 = 64 * 1024;

const MAGIC: &[u8] = b"\x93NUMPY";

/// The content of the header, and its bytes, which are copied to the output.
#[derive(Debug, Clone)]
pub(crate) struct NpyHeader {
    pub(crate) bytes: Vec<u8>,
    pub(crate) layout: FloatLayout,
    pub(crate) shape: Vec<u64>,
}

impl NpyHeader {
    pub(crate) fn read(stream: &mut ByteStream) -> Result<Self, Error> {
        let mut bytes = Vec::new();
        take(stream, 8, &mut bytes)?;
        if !bytes.starts_with(MAGIC) {
            return Err(corrupt("it does not start like an npy file"));
        }
        // Version 2 has a longer length field; version 3 allows UTF-8 in names, which a plain matrix does not have.
        let length_bytes = match bytes.get(6..8) {
            Some([1, 0]) => 2,
            Some([2 | 3, 0]) => 4,
            _ => return Err(Error::unsupported("this version of npy", "save it again with numpy.save")),
        };
        take(stream, length_bytes, &mut bytes)?;
        let mut length = [0; 8];
        length.iter_mut().zip(&bytes[8..]).for_each(|(to, from)| *to = *from);
        let length = u64::from_le_bytes(length);
        if length > MAX_HEADER {
            return Err(ErrorKind::TooLong { what: "the npy header", limit: MAX_HEADER }.into());
        }
        let start = bytes.len();
        take(stream, length, &mut bytes)?;
        let (layout, shape) = Parser { rest: &bytes[start..] }.header()?;
        Ok(NpyHeader { bytes, layout, shape })
    }

    /// Returns the place of the vectors: a matrix, or one vector if `one_row` is set.
    pub(crate) fn dense(&self, one_row: bool) -> Result<Dense, Error> {
        match self.shape[..] {
            [rows, dim] => Dense::new(self.layout, rows, dim),
            [dim] if one_row => Dense::new(self.layout, 1, dim),
            [_] => Err(Error::unsupported(
                "an npy array with 1 axis",
                "save a matrix of one row per vector; array.reshape(1, -1) makes one of a single vector",
            )),
            _ => Err(Error::unsupported(
                format!("an npy array with {} axes", self.shape.len()),
                "save a matrix of one row per vector",
            )),
        }
    }
}

fn take(stream: &mut ByteStream, count: u64, bytes: &mut Vec<u8>) -> Result<(), Error> {
    match stream.read_up_to(count, bytes)? {
        read if read == count => Ok(()),
        0 if bytes.is_empty() => Err(ErrorKind::Empty.into()),
        _ => Err(corrupt("the file ends inside its header")),
    }
}

fn corrupt(what: &str) -> Error {
    Error::corrupt(VectorFormat::Npy, what)
}

/// The rest of the header.
struct Parser<'a> {
    rest: &'a [u8],
}

impl<'a> Parser<'a> {
    fn header(mut self) -> Result<(FloatLayout, Vec<u64>), Error> {
        let (mut layout, mut shape, mut fortran) = (None, None, None);
        self.expect(b'{')?;
        while !self.accept(b'}') {
            let key = self.string()?;
            self.expect(b':')?;
            let fresh = match key {
                b"descr" => layout.replace(self.layout()?).is_none(),
                b"fortran_order" => fortran.replace(self.truth()?).is_none(),
                b"shape" => shape.replace(self.shape()?).is_none(),
                _ => return Err(corrupt("its header has an unknown key")),
            };
            if !fresh {
                return Err(corrupt("its header has a key twice"));
            }
            if !self.accept(b',') {
                self.expect(b'}')?;
                break;
            }
        }
        if !self.rest.iter().all(|byte| matches!(byte, b' ' | b'\n')) {
            return Err(corrupt("there is text after the end of its header"));
        }
        match (layout, shape, fortran) {
            (Some(_), Some(_), Some(true)) => Err(Error::unsupported(
                "an npy array in Fortran order",
                "save numpy.ascontiguousarray(array) instead",
            )),
            (Some(layout), Some(shape), Some(false)) => Ok((layout, shape)),
            _ => Err(corrupt("its header lacks descr, fortran_order or shape")),
        }
    }

    fn skip_spaces(&mut self) {
        while let [b' ', rest @ ..] = self.rest {
            self.rest = rest;
        }
    }

    fn accept(&mut self, byte: u8) -> bool {
        self.skip_spaces();
        match self.rest {
            [first, rest @ ..] if *first == byte => {
                self.rest = rest;
                true
            }
            _ => false,
        }
    }

    fn expect(&mut self, byte: u8) -> Result<(), Error> {
        match self.accept(byte) {
            true => Ok(()),
            false => Err(corrupt("its header is not the dictionary NumPy writes")),
        }
    }

    fn string(&mut self) -> Result<&'a [u8], Error> {
        let quote = if self.accept(b'"') { b'"' } else { b'\'' };
        if quote == b'\'' {
            self.expect(quote)?;
        }
        let end = self.rest.iter().position(|&byte| byte == quote);
        let (text, rest) = end
            .and_then(|end| self.rest.split_at_checked(end))
            .ok_or_else(|| corrupt("its header has a text without an end"))?;
        self.rest = rest;
        self.expect(quote)?;
        Ok(text)
    }

    fn layout(&mut self) -> Result<FloatLayout, Error> {
        const ADVICE: &str = "save array.astype('float32') instead";
        self.skip_spaces();
        if self.rest.starts_with(b"[") {
            return Err(Error::unsupported("an npy array of records", ADVICE));
        }
        let (endian, float) = match self.string()? {
            [b'<', float @ ..] => (Endian::Little, float),
            [b'>', float @ ..] => (Endian::Big, float),
            _ => return Err(Error::unsupported("an npy array of this type", ADVICE)),
        };
        let float = match float {
            b"f2" => FloatType::F16,
            b"f4" => FloatType::F32,
            b"f8" => FloatType::F64,
            _ => {
                return Err(Error::unsupported(
                    "an npy array of another type than float16, 32 or 64",
                    ADVICE,
                ));
            }
        };
        Ok(FloatLayout { float, endian })
    }

    fn truth(&mut self) -> Result<bool, Error> {
        self.skip_spaces();
        for (word, truth) in [(&b"True"[..], true), (b"False", false)] {
            if let Some(rest) = self.rest.strip_prefix(word) {
                self.rest = rest;
                return Ok(truth);
            }
        }
        Err(corrupt("its header has a fortran_order that is neither True nor False"))
    }

    fn shape(&mut self) -> Result<Vec<u64>, Error> {
        let mut shape = Vec::new();
        self.expect(b'(')?;
        while !self.accept(b')') {
            shape.push(self.integer()?);
            if !self.accept(b',') {
                self.expect(b')')?;
                break;
            }
        }
        Ok(shape)
    }

    fn integer(&mut self) -> Result<u64, Error> {
        self.skip_spaces();
        let digits = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (number, rest) = self.rest.split_at(digits);
        self.rest = rest;
        let number = std::str::from_utf8(number).ok().and_then(|number| number.parse().ok());
        number.ok_or_else(|| corrupt("its header has a length that is not a number, or too large"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use inkveil_files::Input;

    fn read(version: u8, dictionary: &str) -> Result<NpyHeader, Error> {
        let mut bytes = b"\x93NUMPY".to_vec();
        bytes.extend([version, 0]);
        let length = (dictionary.len() as u32).to_le_bytes();
        bytes.extend(&length[..if version == 1 { 2 } else { 4 }]);
        bytes.extend(dictionary.as_bytes());
        NpyHeader::read(&mut ByteStream::open(Input::from_bytes(bytes)).unwrap())
    }

    #[test]
    fn reads_what_numpy_writes() {
        for version in 1..=3 {
            let header =
                read(version, "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }         \n")
                    .unwrap();
            assert_eq!(header.shape, [3, 4]);
            assert_eq!(header.layout, FloatLayout { float: FloatType::F32, endian: Endian::Little });
            assert_eq!(header.dense(false).unwrap().dim, 4);
        }
        let header = read(1, "{\"shape\":(7,),\"fortran_order\":False,\"descr\":\">f2\"}").unwrap();
        assert_eq!((&header.shape[..], header.layout.endian), (&[7][..], Endian::Big));
        assert!(header.dense(false).is_err());
        assert_eq!(header.dense(true).unwrap().rows, 1);
    }

    #[test]
    fn says_what_is_wrong() {
        for (dictionary, words) in [
            ("{'descr': '<f4', 'fortran_order': True, 'shape': (3, 4)}", "numpy.ascontiguousarray"),
            ("{'descr': '<i4', 'fortran_order': False, 'shape': (3, 4)}", "another type than float16"),
            ("{'descr': '|O', 'fortran_order': False, 'shape': (3, 4)}", "of this type"),
            ("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3, 4)}", "records"),
            ("{'descr': '<f4', 'fortran_order': False}", "lacks"),
            ("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (3, 4)}", "twice"),
            ("{'descr': '<f4', 'x': False, 'shape': (3, 4)}", "unknown key"),
            ("{'descr': '<f4', 'fortran_order': 0, 'shape': (3, 4)}", "neither"),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': (3, -4)}", "not a number"),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999, 4)}", "too large"),
            ("{'descr': '<f4", "without an end"),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4)} x", "after the end"),
            ("['descr']", "dictionary"),
        ] {
            let error = read(1, dictionary).unwrap_err();
            assert!(error.to_string().contains(words), "{dictionary}: {error}");
        }
        assert!(read(4, "{}").unwrap_err().to_string().contains("version"));
        let huge = read(2, &" ".repeat(70_000)).unwrap_err();
        assert!(matches!(huge.kind(), ErrorKind::TooLong { .. }));
        let scalar = read(1, "{'descr': '<f4', 'fortran_order': False, 'shape': ()}").unwrap();
        assert!(scalar.dense(true).unwrap_err().to_string().contains("0 axes"));
    }
}
