# docker build -t mockri .
ARG NODE=node:20-alpine

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

FROM ${NODE}
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
# Directories for the socket, the logs and the pods. A new volume gets the owner of its directory.
RUN mkdir -p /run/mockri /var/log/mockri /var/lib/mockri && chown 65532:65532 /run/mockri /var/log/mockri /var/lib/mockri
USER 65532:65532
ENTRYPOINT ["node", "/app/dist/src/cli/main.js"]
CMD ["serve", "--listen", "unix:///run/mockri/cri.sock"]
