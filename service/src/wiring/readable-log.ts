import { inspect } from 'node:util'

const COLOURS: Readonly<Record<string, number>> = { trace: 90, debug: 90, info: 32, warn: 33, error: 31, fatal: 35 }
/** On every line of a process, and of no use to a person who reads its log. */
const LEFT_OUT = new Set(['level', 'time', 'pid', 'hostname', 'msg', 'role', 'err'])

const CONTROL_CHARACTERS = /\p{Cc}/gu

/** Turns a JSON line of the log into `07:25:03.120 INFO  api  HTTP server listening  address=http://…`. */
export function readableLine(json: string, hasColours: boolean): string {
  const entry = JSON.parse(json) as Record<string, unknown>
  const paint = (colour: number, text: string) => (hasColours ? `\u001b[${colour}m${text}\u001b[0m` : text)
  const level = String(entry.level)
  const fields = Object.entries(entry).filter(([name]) => !LEFT_OUT.has(name))
  const parts = [
    `${paint(90, String(entry.time).slice(11, 23))} ${paint(COLOURS[level] ?? 0, level.toUpperCase().padEnd(5))}`,
    ...(entry.role === undefined ? [] : [textOf(entry.role)]),
    escaped(String(entry.msg)),
    ...fields.map(([name, value]) => `${paint(90, `${name}=`)}${textOf(value)}`),
  ]
  return `${parts.join('  ')}\n${errorOf(entry.err)}`
}

/** Texts of other systems must not start a new line or send commands to the terminal. */
function escaped(text: string): string {
  return text.replaceAll(CONTROL_CHARACTERS, (each) => `\\x${each.charCodeAt(0).toString(16).padStart(2, '0')}`)
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return escaped(value)
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
    ? escaped(value.join(','))
    : inspect(value, { breakLength: Number.POSITIVE_INFINITY })
}

function errorOf(error: unknown): string {
  if (error === undefined) return ''
  const { stack, message } = error as { stack?: string; message?: string }
  const lines = (stack ?? message ?? textOf(error)).split('\n')
  return lines.map((line) => `    ${escaped(line)}\n`).join('')
}
