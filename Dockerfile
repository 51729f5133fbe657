# syntax=docker/dockerfile:1
# Two images of `agentci`: one for agents in other containers, one for agents that run in the same container.
#
#     docker build --tag agentci .                       the program and CA certificates; no shell, no package manager
#     docker build --tag agentci:full --target full .    with Python, pip, Node.js and npm
#
#     docker run --rm --user "$(id -u):$(id -g)" --volume "$PWD:/workspace" agentci run PATH
#
# With BINARY=built, which release/image uses, the program is taken from the build context instead of being compiled here.
ARG BINARY=compiled

FROM rust:1.95-slim-bookworm AS compiled
WORKDIR /source
COPY . .
# The cargo registry and the build folder are cached between builds.
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/source/target \
    cargo build --profile dist --locked --package agentci --features parquet \
    && mkdir /out \
    && cp target/dist/agentci LICENSE LICENSE-APACHE LICENSE-MIT crates/weights/assets/NOTICE /out/

FROM scratch AS built
COPY agentci LICENSE LICENSE-APACHE LICENSE-MIT NOTICE /out/

# hadolint ignore=DL3006
FROM ${BINARY} AS binary

FROM node:24-trixie-slim AS full
# Package versions are those of the base image's Debian release, which receives security fixes.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates python3 python3-venv \
    && rm -rf /var/lib/apt/lists/* \
    && python3 -m venv /opt/python \
    && chmod -R a+rwX /opt/python
COPY --from=binary /out/agentci /usr/local/bin/agentci
COPY --from=binary /out/LICENSE /out/LICENSE-APACHE /out/LICENSE-MIT /out/NOTICE /usr/share/doc/agentci/
# Any user can install packages there and has a home folder, even a user id that the image does not list.
ENV PATH="/opt/python/bin:$PATH" HOME=/tmp
WORKDIR /workspace
# The id of the first user on most machines; override it with `--user`.
USER 1000:1000
ENTRYPOINT ["agentci"]
CMD ["--help"]

FROM gcr.io/distroless/cc-debian12:nonroot AS small
COPY --from=binary /out/agentci /usr/local/bin/agentci
COPY --from=binary /out/LICENSE /out/LICENSE-APACHE /out/LICENSE-MIT /out/NOTICE /usr/share/doc/agentci/
ENV HOME=/tmp
WORKDIR /workspace
USER 1000:1000
ENTRYPOINT ["agentci"]
CMD ["--help"]
