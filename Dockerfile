# syntax=docker/dockerfile:1
# Two images of `agentci`, for agents in other containers and for agents in this one:
#
#     docker build --tag agentci .                       no shell, no package manager: the program and the certificates
#     docker build --tag agentci:full --target full .    with Python, pip, Node.js and npm
#
#     docker run --rm --user "$(id -u):$(id -g)" --volume "$PWD:/workspace" agentci run PATH
#
# With BINARY=built the program is not compiled here but taken from the build context, as release/image does.
ARG BINARY=compiled

FROM rust:1.95-slim-bookworm AS compiled
WORKDIR /source
COPY . .
# What was fetched and compiled before is kept between builds.
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/source/target \
    cargo build --profile dist --locked --package agentci \
    && mkdir /out \
    && cp target/dist/agentci LICENSE LICENSE-APACHE LICENSE-MIT crates/weights/assets/NOTICE /out/

FROM scratch AS built
COPY agentci LICENSE LICENSE-APACHE LICENSE-MIT NOTICE /out/

# hadolint ignore=DL3006
FROM ${BINARY} AS binary

FROM node:24-trixie-slim AS full
# Versions are those of the base image's Debian release, which it gets security fixes for.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates python3 python3-venv \
    && rm -rf /var/lib/apt/lists/* \
    && python3 -m venv /opt/python \
    && chmod -R a+rwX /opt/python
COPY --from=binary /out/agentci /usr/local/bin/agentci
COPY --from=binary /out/LICENSE /out/LICENSE-APACHE /out/LICENSE-MIT /out/NOTICE /usr/share/doc/agentci/
# Any user may install packages there, and any user has a home, whether the system knows the user or not.
ENV PATH="/opt/python/bin:$PATH" HOME=/tmp
WORKDIR /workspace
# The first user of most machines; `--user` chooses another.
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
