# syntax=docker/dockerfile:1

FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY nest-cli.json tsconfig.json tsconfig.build.json ./
COPY src ./src
COPY web ./web
COPY scripts ./scripts
RUN npm run build

FROM node:24-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Optional is only the compiler, for a plugin of the API pages that is not used: a quarter of all bytes.
RUN npm ci --omit=dev --omit=optional
# Types, source maps and manuals: half of what is left.
COPY scripts/drop-unneeded.mjs ./
RUN node drop-unneeded.mjs node_modules

FROM node:24-slim
ENV NODE_ENV=production \
    MESHNET_HOST=0.0.0.0
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json ./
USER node
EXPOSE 8080
# Asks the process itself, so that no curl has to be in the image.
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.MESHNET_PORT || 8080}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# node itself is process 1: it handles SIGTERM (drain), SIGINT and SIGHUP (read the nodes file and keys again).
ENTRYPOINT ["node", "dist/main.js"]
