import { type Logger, pino, stdTimeFunctions } from 'pino'
import { type Config, SECRET_SETTINGS } from '../config.ts'
import { readableLine } from './readable-log.ts'

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
      redact: ['*.password', ...SECRET_SETTINGS.map((name) => `*.${name}`)],
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (name) => ({ level: name }) },
    },
    isReadable ? { write: (line) => void output.write(readableLine(line, output.isTTY === true)) } : output,
  )
}
