# Images by version: the registry could not be reached to look up their digests. To pin them, write what
# `docker buildx imagetools inspect node:24-slim --format '{{.Manifest.Digest}}'` prints as node:24-slim@sha256:….

# The web console: built here, so that its tools are not part of the image.
FROM node:24-slim AS console
WORKDIR /app
COPY package.json package-lock.json .npmrc tsconfig.json ./
COPY console/package.json console/
COPY sdk/package.json sdk/
RUN npm ci --omit=dev --workspace=console --workspace=sdk --no-progress
COPY sdk/ sdk/
COPY console/ console/
RUN npm run build:console

FROM node:24-slim
WORKDIR /app
ENV NODE_ENV=production
# Node warns at start about the one experimental function that we use, stripTypeScriptTypes.
ENV NODE_OPTIONS=--disable-warning=ExperimentalWarning

# Manifests first, so that a change of code does not install everything again. Only that of the service: npm follows the
# development dependencies of a workspace into every other workspace whose manifest it finds, and `--omit=dev` does not
# leave out what those depend on (chdb alone has 540 MB).
COPY package.json package-lock.json .npmrc ./
COPY service/package.json service/
# A new volume gets the owner of the folder that it is mounted on.
RUN npm ci --omit=dev --workspace=service --no-progress && npm cache clean --force \
  && ln -s /app/service/src/main.ts /usr/local/bin/bookreel-server \
  && install --directory --owner=node --group=node --mode=700 \
    /var/lib/bookreel/raw /var/lib/bookreel/logins /var/lib/bookreel/exports

COPY service/ service/
# Shown in the reference.
COPY docs/examples/ docs/examples/
COPY --from=console /app/console/dist/ console/
ENV CONSOLE_DIR=/app/console

USER node
CMD ["bookreel-server", "run", "all"]
