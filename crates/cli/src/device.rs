//! The device that a model computes on.

use anyhow::Context as _;
use inkveil::nn::Device;

use crate::args::DeviceName;

pub(crate) fn open(name: DeviceName) -> anyhow::Result<Device> {
    match name {
        DeviceName::Cpu => Ok(Device::Cpu),
        DeviceName::Cuda => inkveil::nn::gpu()
            .context("no GPU can be used; build with scripts/build-cuda, or leave out --device"),
    }
}

/// Whether a name stands for the processor.
pub(crate) fn is_cpu(name: DeviceName) -> bool {
    name == DeviceName::Cpu
}
