//! Products on processors with tile registers (AMX): 8-bit integers, and 16-bit brain floats.
//!
//! Both use the same layout: a tile has 16 rows of 16 words, and a word has 4 integers or 2 floats.
//! The compiler has no functions for these instructions yet, so they are written in assembly. The
//! compiler never uses the tile registers, so no value of its own can be lost.

use std::arch::asm;
use std::arch::x86_64::{__cpuid, __cpuid_count};
use std::sync::OnceLock;

use super::lengths::{check_out, row_count};
use crate::Error;

/// The rows of a tile, and also the words of a row.
const SIDE: usize = 16;
/// The bytes of a word.
const WORD: usize = 4;
/// The bytes of a row of a tile.
const ROW: usize = SIDE * WORD;

/// A row of a tile. A tile is 16 of them, one after the other.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Row([u8; ROW]);

const EMPTY: Row = Row([0; ROW]);

/// A number that tiles can multiply.
pub(super) trait TileNumber: Copy {
    /// The sum of products.
    type Sum: Copy;

    /// The little-endian bytes of this number, of which the first [`SIZE`](Self::SIZE) count.
    fn bytes(self) -> [u8; 2];

    const SIZE: usize;

    /// Reads a sum from the bytes of a tile.
    fn sum(bytes: [u8; WORD]) -> Self::Sum;

    /// Computes the products of two by two tiles, over `count` tiles each, into four tiles.
    ///
    /// # Safety
    /// Tiles are supported and configured, each pointer of `left` and `right` points to `count` tiles,
    /// and `out` to four.
    unsafe fn multiply(left: [*const Row; 2], right: [*const Row; 2], count: usize, out: *mut Row);
}

/// Writes the function of a number with its instruction.
macro_rules! multiply {
    ($instruction:literal) => {
        unsafe fn multiply(left: [*const Row; 2], right: [*const Row; 2], count: usize, out: *mut Row) {
            debug_assert!(count > 0);
            // SAFETY: the caller promises `count` tiles behind each pointer; the loop reads that many
            // and then writes the four tiles of `out`.
            unsafe {
                asm!(
                    "tilezero tmm0",
                    "tilezero tmm1",
                    "tilezero tmm2",
                    "tilezero tmm3",
                    "2:",
                    "tileloadd tmm4, [{a} + {row}]",
                    "tileloadd tmm5, [{b} + {row}]",
                    "tileloadd tmm6, [{c} + {row}]",
                    "tileloadd tmm7, [{d} + {row}]",
                    concat!($instruction, " tmm0, tmm4, tmm6"),
                    concat!($instruction, " tmm1, tmm4, tmm7"),
                    concat!($instruction, " tmm2, tmm5, tmm6"),
                    concat!($instruction, " tmm3, tmm5, tmm7"),
                    "add {a}, 1024",
                    "add {b}, 1024",
                    "add {c}, 1024",
                    "add {d}, 1024",
                    "dec {count}",
                    "jnz 2b",
                    "tilestored [{out} + {row}], tmm0",
                    "tilestored [{out} + {row} + 1024], tmm1",
                    "tilestored [{out} + {row} + 2048], tmm2",
                    "tilestored [{out} + {row} + 3072], tmm3",
                    a = inout(reg) left[0] => _,
                    b = inout(reg) left[1] => _,
                    c = inout(reg) right[0] => _,
                    d = inout(reg) right[1] => _,
                    count = inout(reg) count => _,
                    out = in(reg) out,
                    row = in(reg) ROW,
                    options(nostack),
                );
            }
        }
    };
}

impl TileNumber for i8 {
    type Sum = i32;
    const SIZE: usize = 1;

    fn bytes(self) -> [u8; 2] {
        [self.cast_unsigned(), 0]
    }

    fn sum(bytes: [u8; WORD]) -> i32 {
        i32::from_le_bytes(bytes)
    }

    multiply!("tdpbssd");
}

impl TileNumber for half::bf16 {
    type Sum = f32;
    const SIZE: usize = 2;

    fn bytes(self) -> [u8; 2] {
        self.to_le_bytes()
    }

    fn sum(bytes: [u8; WORD]) -> f32 {
        f32::from_le_bytes(bytes)
    }

    multiply!("tdpbf16ps");
}

/// Returns whether the processor and the system have tiles. The first call asks the system for them.
pub(super) fn are_supported() -> bool {
    static SUPPORTED: OnceLock<bool> = OnceLock::new();
    *SUPPORTED.get_or_init(|| has_instructions() && system_allows())
}

/// Returns whether the processor has tiles with both number types, and the system saves them.
fn has_instructions() -> bool {
    const BF16: u32 = 1 << 22;
    const TILE: u32 = 1 << 24;
    const INT8: u32 = 1 << 25;
    const SAVED_BY_SYSTEM: u32 = 1 << 27;
    const TILE_STATE: u32 = 3 << 17;
    if __cpuid(0).eax < 7 || __cpuid(1).ecx & SAVED_BY_SYSTEM == 0 {
        return false;
    }
    let state: u32;
    // SAFETY: the processor has this instruction, as the bit of the system says.
    unsafe {
        asm!("xgetbv", in("ecx") 0, out("eax") state, out("edx") _, options(nomem, nostack));
    }
    let wanted = BF16 | TILE | INT8;
    __cpuid_count(7, 0).edx & wanted == wanted && state & TILE_STATE == TILE_STATE
}

/// Asks Linux for the tile registers, which a process may use only then. It holds for all threads.
#[cfg(target_os = "linux")]
fn system_allows() -> bool {
    const ARCH_PRCTL: usize = 158;
    const REQUEST_PERMISSION: usize = 0x1023;
    const TILE_DATA: usize = 18;
    let result: isize;
    // SAFETY: this system call reads no memory. The kernel overwrites the two registers named here.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") ARCH_PRCTL => result,
            in("rdi") REQUEST_PERMISSION,
            in("rsi") TILE_DATA,
            out("rcx") _,
            out("r11") _,
            options(nostack),
        );
    }
    result == 0
}

#[cfg(not(target_os = "linux"))]
fn system_allows() -> bool {
    false
}

/// The shape of all eight tile registers.
#[repr(C, align(64))]
struct Configuration {
    palette: u8,
    start: u8,
    reserved: [u8; 14],
    row_bytes: [u16; 16],
    rows: [u8; 16],
}

static FULL_TILES: Configuration = {
    let (mut row_bytes, mut rows, mut register) = ([0; 16], [0; 16], 0);
    while register < 8 {
        row_bytes[register] = ROW as u16;
        rows[register] = SIDE as u8;
        register += 1;
    }
    Configuration { palette: 1, start: 0, reserved: [0; 14], row_bytes, rows }
};

/// Holds the tile registers of this thread until it is dropped.
struct Configured(());

impl Configured {
    fn new() -> Self {
        assert!(are_supported(), "this processor has no tiles");
        // SAFETY: tiles are supported, and the configuration has the 64 bytes of the format.
        unsafe { asm!("ldtilecfg [{}]", in(reg) &raw const FULL_TILES, options(nostack, readonly)) };
        Self(())
    }
}

impl Drop for Configured {
    fn drop(&mut self) {
        // SAFETY: tiles are supported. Their contents are not used any more.
        unsafe { asm!("tilerelease", options(nomem, nostack)) };
    }
}

/// A matrix in tiles: 16 rows of it for each tile, with the words of a column below each other.
pub(super) struct TileMatrix<T> {
    tiles: Vec<Row>,
    rows: usize,
    columns: usize,
    number: std::marker::PhantomData<T>,
}

impl<T: TileNumber> TileMatrix<T> {
    /// Packs rows of `columns` numbers each. Requires [`are_supported`].
    pub(super) fn pack(values: &[T], columns: usize) -> Result<Self, Error> {
        assert!(are_supported(), "this processor has no tiles");
        let rows = row_count(values.len(), columns)?;
        // Words are columns of a tile, so rows and words change places.
        let tiles = in_tiles(values, columns, rows, |row, word| (word, row));
        Ok(Self { tiles, rows, columns, number: std::marker::PhantomData })
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Computes `left`·selfᵀ into `out`.
    pub(super) fn multiply(&self, left: &[T], out: &mut [T::Sum]) -> Result<(), Error> {
        let height = row_count(left.len(), self.columns)?;
        check_out(out.len(), height, self.rows)?;
        if height == 0 || self.rows == 0 {
            return Ok(());
        }
        let left = in_tiles(left, self.columns, height, |row, word| (row, word));
        // The rows of all tiles side by side, which are a block.
        let block = tiles_of_a_row::<T>(self.columns) * SIDE;
        let _configured = Configured::new();
        let mut products = vec![EMPTY; 4 * SIDE];
        for top in (0..left.len() / block).step_by(2) {
            for side in (0..self.tiles.len() / block).step_by(2) {
                let (upper, right) = (pair(&left, block, top), pair(&self.tiles, block, side));
                // SAFETY: tiles are configured, each slice has `block` rows, and there are four products.
                unsafe { T::multiply(upper, right, block / SIDE, products.as_mut_ptr()) };
                for (at, product) in products.chunks_exact(SIDE).enumerate() {
                    let (first, column) = ((top + at / 2) * SIDE, (side + at % 2) * SIDE);
                    let rows = out.chunks_exact_mut(self.rows).skip(first);
                    for (out, Row(sums)) in rows.zip(product) {
                        let out = out.iter_mut().skip(column);
                        for (out, sum) in out.zip(sums.as_chunks::<WORD>().0) {
                            *out = T::sum(*sum);
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

/// Returns where two blocks begin. The last block of an odd number is taken twice.
fn pair(tiles: &[Row], block: usize, first: usize) -> [*const Row; 2] {
    let last = tiles.len() / block - 1;
    [first, (first + 1).min(last)].map(|at| tiles[at * block..][..block].as_ptr())
}

/// Returns the number of tiles side by side that hold a row.
fn tiles_of_a_row<T: TileNumber>(columns: usize) -> usize {
    (columns * T::SIZE).div_ceil(ROW)
}

/// Copies rows into tiles, padded with zeros. `place` is the row and the word of a tile that get the
/// word of a row.
fn in_tiles<T: TileNumber>(
    values: &[T],
    columns: usize,
    rows: usize,
    place: impl Fn(usize, usize) -> (usize, usize),
) -> Vec<Row> {
    let count = tiles_of_a_row::<T>(columns);
    let mut tiles = vec![EMPTY; rows.div_ceil(SIDE) * count * SIDE];
    for (row, values) in values.chunks_exact(columns.max(1)).enumerate() {
        for (word, numbers) in values.chunks(WORD / T::SIZE).enumerate() {
            let tile = row / SIDE * count + word / SIDE;
            let (in_tile, at) = place(row % SIDE, word % SIDE);
            let bytes = &mut tiles[tile * SIDE + in_tile].0[at * WORD..][..WORD];
            for (bytes, number) in bytes.chunks_exact_mut(T::SIZE).zip(numbers) {
                bytes.copy_from_slice(&number.bytes()[..T::SIZE]);
            }
        }
    }
    tiles
}

#[cfg(test)]
mod tests {
    use half::bf16;
    use proptest::prelude::*;

    use super::*;

    /// A row of a matrix and a row of the other factor meet at the same words.
    #[test]
    fn both_layouts_hold_every_number_once() {
        let values: Vec<i8> = (0..3 * 70).map(|x| (x % 127) as i8 + 1).collect();
        for transposed in [false, true] {
            let place = |row, word| if transposed { (word, row) } else { (row, word) };
            let tiles = in_tiles(&values, 70, 3, place);
            assert_eq!(tiles.len(), 2 * SIDE);
            let mut found: Vec<u8> = tiles.iter().flat_map(|row| row.0).filter(|&x| x != 0).collect();
            let mut wanted: Vec<u8> = values.iter().map(|x| x.cast_unsigned()).collect();
            found.sort_unstable();
            wanted.sort_unstable();
            assert_eq!(found, wanted);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn products_are_exact(
            (k, left, right) in (1..70_usize, 1..80_usize, 1..200_usize).prop_flat_map(|(m, n, k)| {
                let entries = |count| proptest::collection::vec(any::<i8>(), count);
                (Just(k), entries(m * k), entries(n * k))
            })
        ) {
            if are_supported() {
                let dot = |a: &[i8], b: &[i8]| -> i32 { a.iter().zip(b).map(|(&a, &b)| i32::from(a) * i32::from(b)).sum() };
                let wanted: Vec<i32> = left.chunks(k).flat_map(|a| right.chunks(k).map(move |b| dot(a, b))).collect();
                let mut found = vec![0; wanted.len()];
                TileMatrix::pack(&right, k).unwrap().multiply(&left, &mut found).unwrap();
                prop_assert_eq!(&found, &wanted);

                let wide = |v: &[i8]| v.iter().map(|&x| bf16::from_f32(x.into())).collect::<Vec<_>>();
                let mut found = vec![0.0; wanted.len()];
                TileMatrix::pack(&wide(&right), k).unwrap().multiply(&wide(&left), &mut found).unwrap();
                prop_assert!(found.iter().zip(&wanted).all(|(&a, &b)| a == b as f32));
            }
        }
    }
}
