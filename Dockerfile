FROM node:24-slim
WORKDIR /app
ENV NODE_ENV=production

# Manifests first, so that a change of code does not install everything again.
COPY package.json package-lock.json .npmrc ./
COPY service/package.json service/
COPY simulator/package.json simulator/
COPY stack/package.json stack/
COPY lab/package.json lab/
# Only what runs in a container: the stack's engines come in images of their own, the lab stays with developers.
RUN npm ci --omit=dev --workspace=service --workspace=simulator --no-progress && npm cache clean --force

COPY service/ service/
COPY simulator/ simulator/
# Shown in the reference.
COPY docs/examples/ docs/examples/

USER node
CMD ["node", "service/src/main.ts", "run", "all"]
