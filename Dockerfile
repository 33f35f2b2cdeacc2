# docker build -t mockri .
# Needs a registry and Alpine's packages. Both bases exist for amd64 and arm64.
ARG NODE=node:24-alpine
ARG BASE=alpine:3.23

FROM ${NODE} AS build
# Another npm registry: --build-arg NPM_CONFIG_REGISTRY=…
ARG NPM_CONFIG_REGISTRY
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build
# The Docker backend's client, without ssh2's native parts.
RUN npm pkg delete devDependencies.dockerode peerDependencies peerDependenciesMeta \
  && npm pkg set "dependencies.dockerode=^5.0.1" \
  && npm prune --omit=dev --omit=optional --ignore-scripts
# Types and source maps: nobody compiles in this image.
RUN find dist node_modules -type f \( -name '*.ts' -o -name '*.mts' -o -name '*.cts' -o -name '*.map' \) -exec rm {} +

FROM ${BASE}
# Alpine's Node has no npm and shares the system's libraries. The one in the image "node" alone takes 125 MB.
RUN apk add --no-cache nodejs
WORKDIR /app
COPY --from=build /app/package.json /app/LICENSE ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/proto proto
COPY --from=build /app/scenarios scenarios
# Directories for the socket, the logs and the pods. A new volume gets the owner of its directory.
RUN mkdir -p /run/mockri /var/log/mockri /var/lib/mockri && chown 65532:65532 /run/mockri /var/log/mockri /var/lib/mockri
USER 65532:65532
# Of the server with its default control address. Other commands and addresses need their own check, or none.
HEALTHCHECK --interval=5s --timeout=5s --start-period=10s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:10350/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/dist/src/cli/main.js"]
CMD ["serve", "--listen", "unix:///run/mockri/cri.sock"]
