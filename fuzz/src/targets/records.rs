//! Rows of texts in any format: no bytes make a reader panic, and what it gives can be written again.

use inkveil_files::Input;
use inkveil_rows::{Changed, ColumnPath, Packing, RecordFormat, RecordOptions, RecordReader};

pub fn run(data: &[u8]) {
    let [how, rest @ ..] = data else { return };
    let format = RecordFormat::ALL[usize::from(how % 7)];
    let packing = [Packing::None, Packing::Gzip, Packing::Zstd][usize::from(how / 7 % 3)];
    let packing = if format.is_bytes() { packing } else { Packing::None };
    let mut options = RecordOptions { reject: how & 128 != 0, batch_rows: 3, ..RecordOptions::default() };
    if how & 64 != 0 {
        options.columns.texts =
            ["text", "m[].c"].iter().filter_map(|path| path.parse::<ColumnPath>().ok()).collect();
    }
    let Ok(mut reader) = RecordReader::open(Input::from_bytes(rest.to_vec()), format, packing, &options)
    else {
        return;
    };
    let mut rows = 0;
    while let Ok(Some(records)) = reader.next() {
        rows += records.rows();
        let same = records.texts().iter().map(|text| Some(text.to_owned())).collect();
        let _ = records.write(&Changed { texts: same, ..Changed::default() });
    }
    if let Ok(mut again) = RecordReader::open(Input::from_bytes(rest.to_vec()), format, packing, &options) {
        let _ = again.skip(rows, 0);
    }
}
