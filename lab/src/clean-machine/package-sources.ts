/** Debian's archive as this machine's package sources name it, for the suite with this code name. */
export function archiveIn(sources: string, suite: string): string | undefined {
  for (const stanza of sources.split(/\n\s*\n/)) {
    const field = (name: string) =>
      stanza
        .match(new RegExp(`^${name}:(.*)$`, 'im'))?.[1]
        ?.trim()
        .split(/\s+/) ?? []
    if (field('Suites').includes(suite) && field('Types').includes('deb')) return field('URIs')[0]
  }
  return sources.match(new RegExp(`^deb\\s+(?:\\[[^\\]]*\\]\\s+)?(\\S+)\\s+${suite}\\s`, 'm'))?.[1]
}

/** Settings of npm for registries and proxies. */
const REACHING = ['registry', 'cafile', 'proxy', 'https-proxy', 'noproxy', 'strict-ssl'] as const

export type NpmConfig = Readonly<Record<string, string | number | boolean | null | readonly string[]>>

/**
 * The npm configuration for the clean machine: the registry settings of this machine, and of the user's file only what
 * belongs to a registry (`//registry/:…`, `@scope:registry=…`).
 */
export function npmrcFor(config: NpmConfig, userFile: string): string {
  const settings = REACHING.flatMap((name) => {
    const value = config[name] ?? ''
    if (typeof value === 'object') return value.filter((each) => each !== '').map((each) => `${name}[]=${each}`)
    return value === '' ? [] : [`${name}=${value}`]
  })
  const ofRegistries = userFile.split('\n').filter((line) => /^(\/\/|@[^:]+:registry)/.test(line.trim()))
  return [...settings, ...ofRegistries].map((line) => `${line}\n`).join('')
}

/** The environment variables of this machine that are needed to reach package sources. */
export function reachingVariables(variables: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const reaching = /^(https?_proxy|no_proxy|all_proxy|node_extra_ca_certs|ssl_cert_file)$/i
  return Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) =>
      value !== undefined && reaching.test(name) ? [[name, value]] : [],
    ),
  )
}
