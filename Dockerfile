# An image that runs Mailroll as an unprivileged user, with nothing writable but /data. See docs/guide/docker.md.
FROM node:24-bookworm-slim AS installed
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The optional packages bring a Node, and the image has its own.
RUN npm ci --omit=dev --omit=optional --ignore-scripts
COPY bin ./bin
COPY src ./src
# A start shows that it works, and leaves behind what Node makes of the sources, for the user that made it: a container
# could not keep it, and without it takes twice the time to start and half as much memory again.
RUN mkdir node_modules/.cache && chown 1000:1000 node_modules/.cache
USER 1000:1000
RUN mkdir /tmp/scratch && cd /tmp/scratch && { /app/bin/mailroll serve --port 0 >out & } && \
  until grep -q serving out; do kill -0 $! && sleep 0.2 || exit 1; done && kill $! && wait $!

FROM node:24-bookworm-slim
COPY --from=installed /app /app
RUN ln -s /app/bin/mailroll /usr/local/bin/mailroll && mkdir --mode=0700 /data && chown 1000:1000 /data
# /tmp is read-only with --read-only, and an import from standard input of more than 1 MiB is buffered in TMPDIR.
ENV NODE_ENV=production TMPDIR=/data MAILROLL_HOST=0.0.0.0 MAILROLL_DATABASE=sqlite:/data/mailroll.db
# By number, so that an orchestrator sees that it is not root.
USER 1000:1000
WORKDIR /data
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s CMD ["mailroll", "health"]
ENTRYPOINT ["mailroll"]
CMD ["serve"]
