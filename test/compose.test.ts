import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { ConfigSchema, SECRET_SETTINGS } from '../service/src/config.ts'
import { LOGINS, type LoginName } from '../service/src/domain/grants/login-names.ts'
import { readDockerfile } from './dockerfile.ts'
import { textOf, trackedFiles } from './repository.ts'

type Mount = string | { readonly source: string; readonly read_only?: boolean; readonly volume?: { subpath: string } }

interface Service {
  readonly image?: string
  readonly build?: string
  readonly command?: readonly string[]
  readonly entrypoint?: readonly string[]
  readonly environment?: Readonly<Record<string, string | null>>
  readonly networks?: readonly string[]
  readonly network_mode?: string
  readonly ports?: readonly string[]
  readonly volumes?: readonly Mount[]
  readonly [property: string]: unknown
}

interface Deployment {
  readonly services: Readonly<Record<string, Service>>
  readonly networks: Readonly<Record<string, { internal?: boolean; ipam?: { config: { subnet: string }[] } } | null>>
}

const { services, networks } = parse(textOf('compose.yaml'), { merge: true }) as Deployment
const ENGINES = ['clickhouse', 'nats', 'postgres', 'redis']
/** They use the owner of the tables, and end before the processes start. */
const OF_OWNER = ['logins', 'prepare']
/** Names of the others that run our image. */
const processes = Object.keys(services).filter((name) => services[name]?.build && !OF_OWNER.includes(name))

const loginMounts = ({ volumes = [] }: Service): (string | undefined)[] =>
  volumes.flatMap((mount) => {
    if (typeof mount === 'string') return mount.startsWith('logins:') ? ['all'] : []
    return mount.source === 'logins' ? [mount.read_only ? mount.volume?.subpath : 'all'] : []
  })

describe.each(Object.entries(services))('%s', (_, service) => {
  test('has a read-only root, no capabilities and bounds', () => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      pids_limit: expect.any(Number),
      mem_limit: expect.stringMatching(/^\d+[mg]$/),
      cpus: expect.any(Number),
    })
    for (const more of ['privileged', 'cap_add', 'devices', 'pid', 'ipc']) expect(service).not.toHaveProperty(more)
  })

  test('is built here, or is an image of one version', () => {
    const version = /:(\d[\w.-]*)(@sha256:[0-9a-f]{64})?$/
    if (service.build === undefined) expect(service.image).toMatch(version)
  })
})

test('engines are on a network without a way out, and only the proxy is reached from outside', () => {
  expect(networks.engines).toEqual({ internal: true })
  for (const name of ENGINES) expect(services[name]?.networks, name).toEqual(['engines'])
  const published = Object.keys(services).filter((name) => services[name]?.ports !== undefined)
  expect(published).toEqual(['proxy'])
  expect(services.proxy?.networks).toEqual(['edge'])
})

test('the API trusts the network of the proxy, on which no recorder is', () => {
  const [subnet] = networks.edge?.ipam?.config ?? []
  expect(services.api?.environment?.TRUSTED_PROXIES).toBe(subnet?.subnet)
  const members = Object.keys(services).filter((name) => services[name]?.networks?.includes('edge'))
  expect(members).toEqual(['proxy', 'api', 'background'])
})

test.each(processes)('%s has a login of its own, for the roles that it runs, and no other', (name) => {
  const { command = [], entrypoint = [], environment = {} } = services[name] ?? {}
  const [program, option, file, ...rest] = [...entrypoint, ...command]
  expect([program, option, file]).toEqual(['bookreel-server', '--settings', '/run/login.env'])
  const roles = rest[0] === 'run' ? rest.slice(1) : [name]
  expect(LOGINS[name as LoginName]).toEqual(roles)
  expect(loginMounts(services[name] ?? {})).toEqual([`${name}.env`])
  expect(Object.keys(environment)).not.toContain('DATABASE_URL')
})

test('only what the owner runs sees the logins of others, and engines see their own', () => {
  const seen = Object.entries(services).map(([name, service]) => [name, ...loginMounts(service)])
  expect(seen.filter(([, file]) => file === 'all').map(([name]) => name)).toEqual(OF_OWNER)
  expect(seen.filter(([name]) => ENGINES.includes(String(name)))).toEqual([
    ['clickhouse', 'clickhouse-users.xml'],
    ['nats', 'nats.conf'],
    ['postgres'],
    ['redis', 'redis.acl'],
  ])
})

test('a secret is known to the processes that need it', () => {
  const known = (name: string): string[] => processes.filter((each) => name in (services[each]?.environment ?? {}))
  const paid = ['api', 'background']
  const expected: Record<string, string[]> = {
    KEY_PEPPER: ['api', 'operator'],
    KEY_PEPPER_FORMER: ['api'],
    OIDC_CLIENT_SECRET: ['api'],
    OBJECT_STORE_SECRET: ['api', 'recorder', 'background', 'operator'],
    MANIFEST_KEY: ['background'],
    NOWPAYMENTS_API_KEY: paid,
    NOWPAYMENTS_IPN_SECRET: paid,
    NOWPAYMENTS_IPN_SECRET_FORMER: paid,
    BTCPAY_API_KEY: paid,
    BTCPAY_WEBHOOK_SECRET: paid,
    BTCPAY_WEBHOOK_SECRET_FORMER: paid,
    KALSHI_PRIVATE_KEY: ['recorder'],
  }
  const given = Object.fromEntries(SECRET_SETTINGS.map((name) => [name, known(name)]))
  expect(Object.fromEntries(Object.entries(given).filter(([, names]) => names.length > 0))).toEqual(expected)
})

test('it passes on settings that exist, and the intervals to those who use them', () => {
  const settings = Object.keys(ConfigSchema.shape)
  const given = [...processes, ...OF_OWNER].map((name) => Object.keys(services[name]?.environment ?? {}))
  expect(given.flat().filter((name) => !settings.includes(name))).toEqual([])
  const intervals = settings.filter((name) => name.startsWith('CAPTURE_INTERVAL_MS_'))
  for (const name of ['recorder', 'prepare'])
    expect(Object.keys(services[name]?.environment ?? {})).toEqual(expect.arrayContaining(intervals))
})

test('the files that it mounts exist', () => {
  const mounted = Object.values(services).flatMap(({ volumes = [] }) =>
    volumes.filter((each) => typeof each === 'string'),
  )
  const files = mounted.flatMap((mount) => /^\.\/([^:]+):/.exec(mount)?.[1] ?? [])
  expect(trackedFiles()).toEqual(expect.arrayContaining(files))
  expect(files).toContain('deploy/haproxy.cfg')
})

test('the simulator is neither a service nor in the image', () => {
  const { code, manifests, install } = readDockerfile()
  expect(JSON.stringify([code, manifests, install, services])).not.toContain('simulator')
})
