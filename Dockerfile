# syntax=docker/dockerfile:1
# An image with inkveil and its default pack, and nothing else.
#
#   docker build -t inkveil .
#   docker run --rm inkveil text "Ana Novak from Lyon has a sore knee."
#   docker run --rm -v "$PWD:/work" inkveil detect --file notes.txt
#
# Pulled models and unfinished jobs are kept if a volume is mounted at /home/inkveil.

FROM rust:1.95-slim-trixie AS build
WORKDIR /source
COPY . .
# The same command as for an archive. The caches are not part of the image.
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/source/target \
    cargo run --locked --package xtask -- dist --output /dist \
    && mkdir /install \
    && tar --extract --gzip --file /dist/inkveil-*.tar.gz --directory /install --strip-components 1

FROM debian:trixie-slim
# Pulls need the certificate authorities.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 10001 inkveil \
    && install --directory --owner inkveil --group inkveil /work
COPY --from=build /install/ /usr/local/
USER inkveil
WORKDIR /work
ENTRYPOINT ["inkveil"]
CMD ["--help"]
