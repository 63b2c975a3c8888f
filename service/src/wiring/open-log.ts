import { type Logger, pino, stdTimeFunctions } from 'pino'
import { type Config, SECRET_SETTINGS } from '../config.ts'
import { readableLine } from './readable-log.ts'

/** Where PostgreSQL quotes the row of a refused statement, such as an e-mail address or an idempotency key. */
const QUOTED_ROWS = ['err', 'err.aggregateErrors[*]'].flatMap((error) => [`${error}.detail`, `${error}.where`])

type LogSettings = Pick<Config, 'LOG_LEVEL' | 'LOG_FORMAT'>

/** The stream is a parameter because pino's default destination keeps a process alive whose log reader is gone. */
export function openLog(
  { LOG_LEVEL: level, LOG_FORMAT }: LogSettings,
  output: Pick<NodeJS.WriteStream, 'write' | 'isTTY'>,
): Logger {
  const isReadable = LOG_FORMAT === undefined ? output.isTTY === true : LOG_FORMAT === 'pretty'
  return pino(
    {
      level,
      redact: ['*.password', ...SECRET_SETTINGS.map((name) => `*.${name}`), ...QUOTED_ROWS],
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (name) => ({ level: name }) },
    },
    isReadable ? { write: (line) => void output.write(readableLine(line, output.isTTY === true)) } : output,
  )
}
