//! Graphics cards.

use candle_core::Device;

use crate::Error;

/// The first NVIDIA GPU.
///
/// # Errors
/// If there is none, or this build cannot use one.
pub fn gpu() -> Result<Device, Error> {
    let device = Device::new_cuda(0)?;
    #[cfg(feature = "cuda")]
    keep_memory(&device)?;
    Ok(device)
}

/// Lets the driver keep memory that is free for a while. It gives it back to the system whenever somebody waits for a result, otherwise, and maps it anew
/// at the next step: most of the time of a training step, and of every token that is drawn.
#[cfg(feature = "cuda")]
#[allow(unsafe_code)] // The driver's interface is C; there is no other to its pool of memory.
fn keep_memory(device: &Device) -> Result<(), Error> {
    use candle_core::cuda_backend::cudarc::driver::{result, sys};

    let failed = |error: result::DriverError| {
        Error::from(crate::ErrorKind::Backend {
            doing: "set up the GPU",
            cause: inkveil_error::Cause::new(error),
        })
    };
    let context = device.as_cuda_device()?.cuda_stream().context().clone();
    let mut all = u64::MAX;
    // SAFETY: the device is one that the driver gave, its default pool lives as long as the process, and the attribute is a 64-bit number.
    unsafe {
        let pool = result::device::get_default_mem_pool(context.cu_device()).map_err(failed)?;
        let attribute = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
        result::mem_pool::set_attribute(pool, attribute, (&raw mut all).cast()).map_err(failed)
    }
}
