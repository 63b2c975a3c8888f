import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'

/** Below the ports that Linux gives to outgoing connections, which would take a port before the caller listens on it. */
const FIRST = 10_000
const END = 32_768
const ATTEMPTS = 100
/** An empty file for each port that was given out. Without them, two processes could get one port before either listens on it. */
const GIVEN_OUT = join(tmpdir(), `bookreel-ports-${userInfo().uid}`)
/** For files of processes that were killed. */
const LISTENS_WITHIN_MS = 600_000
const ownFiles = new Set<string>()

/** A port that is free now, and that no other call of this function gets before its caller listens on it. */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const port = randomInt(FIRST, END)
    if (!reserve(port)) continue
    const server = createServer()
    if (!(await canListen(server, port, host))) continue
    server.close()
    await once(server, 'close')
    return port
  }
  throw new Error(`no free port between ${FIRST} and ${END} was found on ${host}`)
}

/** Until this process ends. False when another call has it. */
function reserve(port: number): boolean {
  if (ownFiles.size === 0) process.once('exit', removeOwnFiles)
  mkdirSync(GIVEN_OUT, { recursive: true })
  const file = join(GIVEN_OUT, String(port))
  const givenAtMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
  if (Date.now() - givenAtMs > LISTENS_WITHIN_MS) rmSync(file, { force: true })
  try {
    closeSync(openSync(file, 'wx'))
    ownFiles.add(file)
    return true
  } catch {
    return false
  }
}

function removeOwnFiles(): void {
  for (const file of ownFiles) rmSync(file, { force: true })
  try {
    rmdirSync(GIVEN_OUT)
  } catch {
    // It has files of other processes.
  }
}

async function canListen(server: Server, port: number, host: string): Promise<boolean> {
  try {
    await once(server.listen(port, host), 'listening')
    return true
  } catch {
    return false
  }
}
