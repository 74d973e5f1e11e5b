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
    {
        keep_memory(&device)?;
        track_no_events(&device)?;
    }
    Ok(device)
}

/// Runs `work` while the GPU keeps the shapes and strides that its operations need. Otherwise they
/// are copied to the GPU for each operation, which takes longer than a small operation itself.
///
/// `work` must copy no other small data to the GPU, because that would be kept as well.
pub(crate) fn keeping_shapes<T>(device: &Device, work: impl FnOnce() -> T) -> T {
    #[cfg(feature = "cuda")]
    let _kept = device.as_cuda_device().ok().map(|device| device.enable_cuda_graph_htod_cache());
    #[cfg(not(feature = "cuda"))]
    let _ = device;
    work()
}

/// Creates no events for new tensors. They order the work of several streams, and creating two for
/// each result takes as long as launching the operation.
#[cfg(feature = "cuda")]
#[allow(unsafe_code)] // Turning the events off is left to the caller's care.
fn track_no_events(device: &Device) -> Result<(), Error> {
    let device = device.as_cuda_device()?;
    // SAFETY: the library waits for events only after it has created a stream, and this device uses
    // the default one. So the order of the work stays the same.
    unsafe { device.disable_event_tracking() };
    Ok(())
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
