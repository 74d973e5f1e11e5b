//! Weights from arbitrary bytes, and everything that is in them, read in every way.

use inkveil_nn::{Device, Weights};

/// Reads all; what opens must give as many numbers as its shapes say.
pub fn read_weights(bytes: &[u8]) -> Option<Weights> {
    let weights = Weights::from_bytes(bytes.to_vec()).ok()?;
    for name in weights.names() {
        let shape = weights.shape(name).expect("a name has a shape");
        let count: usize = shape.iter().product();
        if let Ok(values) = weights.values(name, shape) {
            assert_eq!(values.len(), count);
            let tensor = weights.tensor(name, shape, &Device::Cpu).expect("what has values is a tensor");
            assert_eq!(tensor.dims(), shape);
        }
        if let Ok(Some(rows)) = weights.int8_rows(name, shape) {
            assert_eq!((rows.values.len(), rows.widen().len()), (count, count));
        }
    }
    Some(weights)
}
