import { readFile } from 'node:fs/promises'

/** Rows that NATS has acknowledged more than once, of one recorder or of two. */
export async function acknowledgedTwice(emissionLog: string): Promise<number> {
  const lines = (await readFile(emissionLog, 'utf8')).split('\n').filter((line) => /^0x[0-9a-f]{64} \d+$/.test(line))
  return lines.length - new Set(lines).size
}
