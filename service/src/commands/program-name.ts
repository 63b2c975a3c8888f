const SCRIPTS = ['server', 'watch', 'record:simulated']

/** The command that starts this program where its hints are read: a checkout has npm scripts and no `bookreel-server`. */
export function programName({ npm_lifecycle_event: script = '' }: Record<string, string | undefined>): string {
  return SCRIPTS.includes(script) ? 'npm run server --' : 'bookreel-server'
}
