import { DatabaseError } from 'pg'
import { expect, test } from 'vitest'
import { openLog } from './open-log.ts'
import { readableLine } from './readable-log.ts'

function logged(settings: { LOG_FORMAT?: 'pretty' | 'json' }, isTTY = false): string {
  const parts: string[] = []
  const log = openLog(
    { LOG_LEVEL: 'info', LOG_FORMAT: settings.LOG_FORMAT },
    { isTTY, write: (part) => parts.push(String(part)) > 0 },
  )
  log.debug('not shown')
  log
    .child({ role: 'api' })
    .info(
      { address: 'http://127.0.0.1:8080', KEY_PEPPER: 'x', sent: { DATABASE_URL: 'secret-url' } },
      'HTTP server listening',
    )
  log.warn({ err: new Error('no answer') }, 'heartbeat failed')
  return parts.join('')
}

test('a log that is not read in a terminal is JSON with ISO times and names of levels', () => {
  const [first, second, ...rest] = logged({}).trim().split('\n')
  expect(rest).toEqual([])
  expect(JSON.parse(first ?? '')).toMatchObject({
    level: 'info',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    role: 'api',
    msg: 'HTTP server listening',
    address: 'http://127.0.0.1:8080',
  })
  expect(JSON.parse(second ?? '')).toMatchObject({ level: 'warn', err: { message: 'no answer' } })
})

test('in a terminal, and with LOG_FORMAT=pretty, a line is for people; errors keep their stack', () => {
  const [first, second, third] = logged({ LOG_FORMAT: 'pretty' }).split('\n')
  expect(first).toMatch(
    /^\d\d:\d\d:\d\d\.\d{3} INFO {3}api {2}HTTP server listening {2}address=http:\/\/127\.0\.0\.1:8080/,
  )
  expect(second).toMatch(/^\d\d:\d\d:\d\d\.\d{3} WARN {3}heartbeat failed$/)
  expect(third).toBe('    Error: no answer')
  expect(logged({}, true)).toContain('\u001b[32mINFO')
  expect(logged({ LOG_FORMAT: 'json' }, true)).toContain('"level":"info"')
})

test.each(['pretty', 'json'] as const)('%s: secret settings are removed', (LOG_FORMAT) => {
  expect(logged({ LOG_FORMAT })).not.toContain('secret-url')
})

test('a text of another system can neither start a line nor send commands to the terminal', () => {
  const line = readableLine(
    JSON.stringify({
      level: 'warn',
      time: '2026-11-16T07:25:03.120Z',
      msg: 'a\nb',
      reason: '\u001b[2J\r',
      err: { stack: 'E\n  at \u0007' },
    }),
    false,
  )
  expect(line).toBe('07:25:03.120 WARN   a\\x0ab  reason=\\x1b[2J\\x0d\n    E\n      at \\x07\n')
})

test.each(['pretty', 'json'] as const)(
  '%s: an error of PostgreSQL is logged without the row that it quotes',
  (LOG_FORMAT) => {
    const lines: string[] = []
    const log = openLog(
      { LOG_LEVEL: 'info', LOG_FORMAT },
      { isTTY: false, write: (part) => lines.push(String(part)) > 0 },
    )
    const refused = Object.assign(new DatabaseError('duplicate key value', 19, 'error'), {
      code: '23505',
      constraint: 'people_pkey',
      detail: 'Key (email)=(ada@mail.test) already exists.',
      where: 'SQL statement with ada@mail.test',
    })
    for (const err of [refused, new AggregateError([refused], 'both failed')]) log.warn({ err }, 'sign-in failed')
    expect(lines.join('')).not.toContain('ada@mail.test')
    if (LOG_FORMAT === 'json') expect(lines[0]).toContain('people_pkey')
  },
)
