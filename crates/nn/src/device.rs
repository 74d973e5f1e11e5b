//! Access to graphics cards.

use candle_core::Device;

use crate::Error;

/// Returns the first NVIDIA GPU.
///
/// # Errors
/// Fails if there is none, or if this build does not support GPUs.
pub fn gpu() -> Result<Device, Error> {
    let device = Device::new_cuda(0)?;
    #[cfg(feature = "cuda")]
    keep_memory(&device)?;
    Ok(device)
}

/// Lets the driver keep freed memory. By default it returns memory to the system whenever the
/// program waits for a result, and maps it again at the next step. That would take most of the time
/// of a training step and of every generated token.
#[cfg(feature = "cuda")]
#[allow(unsafe_code)] // The driver's memory pool has only a C interface.
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
    // SAFETY: the driver returned this device, its default pool lives as long as the process, and
    // the attribute is a 64-bit number.
    unsafe {
        let pool = result::device::get_default_mem_pool(context.cu_device()).map_err(failed)?;
        let attribute = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
        result::mem_pool::set_attribute(pool, attribute, (&raw mut all).cast()).map_err(failed)
    }
}
