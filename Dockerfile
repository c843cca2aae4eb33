# The bot as an image: the package on Node 24, as an ordinary user. Build: docker build --tag countersign .
FROM node:24-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc tsconfig.json ./
RUN npm ci --loglevel=error
COPY README.md ARCHITECTURE.md CHANGELOG.md CONTRIBUTING.md SECURITY.md ./
COPY LICENSE countersign.example.yaml manifest.yml ./
COPY docs ./docs
COPY integrations ./integrations
COPY src ./src
RUN mkdir data
RUN node src/setup/build.mjs

FROM node:24-slim
ENV NODE_ENV=production
# countersign.yaml is looked for here; without one the environment configures the bot.
WORKDIR /app
# The package as npm would install it, with its packages, README, docs and SBOM.
COPY --from=build /build/dist ./dist
# The data folder, for a volume: checkpoints of the ledger are kept there.
COPY --from=build --chown=node:node /build/data ./.countersign
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/healthz`).then((reply) => process.exit(reply.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "dist/src/cli/countersign.mjs"]
CMD ["run"]
