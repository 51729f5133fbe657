# syntax=docker/dockerfile:1
# A small image that is `agentci run`: no shell, no package manager, one binary and the system's certificates.
#
#     docker build --tag agentci .
#     docker run --rm --volume "$PWD:/workspace" agentci PATH

FROM rust:1.95-slim-bookworm AS build
WORKDIR /source
COPY . .
# What was fetched and compiled before is kept between builds.
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/source/target \
    cargo build --profile dist --locked --package agentci \
    && cp target/dist/agentci /agentci

FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=build /agentci /usr/local/bin/agentci
COPY --from=build /source/LICENSE /source/LICENSE-APACHE /source/LICENSE-MIT /usr/share/doc/agentci/
WORKDIR /workspace
ENTRYPOINT ["agentci", "run"]
CMD ["--help"]
