# An image that runs Mailroll as an unprivileged user, with nothing writable but /data; after 'npm run build'. See
# docs/guide/docker.md.
ARG BASE=node:24-bookworm-slim
FROM ${BASE}
COPY dist/package /usr/lib/mailroll
# A start shows that it works, and leaves behind what Node makes of the program, for the user that made it: a container
# could not keep it, and without it takes longer to start.
ENV NODE_COMPILE_CACHE=/var/cache/mailroll
RUN ln -s /usr/lib/mailroll/bin/mailroll.cjs /usr/local/bin/mailroll && \
  install --directory --owner=1000 --group=1000 --mode=0700 /data /var/cache/mailroll /tmp/scratch && cd /tmp/scratch && \
  { setpriv --reuid=1000 --regid=1000 --clear-groups mailroll serve --port 0 --database sqlite:scratch.db >out & } && \
  until grep -q serving out; do kill -0 $! && sleep 0.2 || exit 1; done && kill $! && wait $! && rm -r /tmp/scratch
# /tmp is read-only with --read-only, and an import from standard input of more than 1 MiB is buffered in TMPDIR.
ENV NODE_ENV=production TMPDIR=/data MAILROLL_HOST=0.0.0.0 \
  MAILROLL_DATABASE=sqlite:/data/mailroll.db MAILROLL_SMTP=file:/data/outbox
# By number, so that an orchestrator sees that it is not root.
USER 1000:1000
WORKDIR /data
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s CMD ["mailroll", "health"]
ENTRYPOINT ["mailroll"]
CMD ["serve"]
