//! Where a network computes.

use anyhow::Context as _;
use inkveil_nn::Device;

use crate::args::DeviceName;

pub(crate) fn open(name: DeviceName) -> anyhow::Result<Device> {
    match name {
        DeviceName::Cpu => Ok(Device::Cpu),
        DeviceName::Cuda => inkveil_nn::gpu()
            .context("no GPU can be used; build with scripts/build-cuda, or leave --device out"),
    }
}
