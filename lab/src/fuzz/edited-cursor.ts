import type { Random } from '@bookreel/simulator/world/random'
import { CORPORA } from './corpora.ts'

type Part = unknown

/** A cursor of the service with one part of its position changed; the hash of the list stays nearly always. */
export function editedCursor(cursor: string, draw: Random): string {
  const parts = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as Part[]
  const last = parts.length - 1
  const at = draw.chance(0.05) ? 0 : draw.whole(Math.min(1, last), last)
  const edited = draw.pick<() => Part[]>([
    () => parts.with(at, editedPart(parts[at], draw)),
    () => parts.with(at, editedPart(parts[at], draw)),
    () => parts.with(at, editedPart(parts[at], draw)),
    () => parts.with(at, draw.pick<Part>([null, true, [], {}, [parts[at]], String(parts[at])])),
    () => parts.toSpliced(at, 1),
    () => [...parts, parts[at]],
  ])()
  return Buffer.from(JSON.stringify(edited)).toString('base64url')
}

function editedPart(part: Part, draw: Random): Part {
  if (typeof part === 'number') {
    const near = [part + 1, part - 1, part + 0.5, part * 1_000, -part]
    const far = [0, -1, 1e308, 2 ** 31, 2 ** 32, 2 ** 53, 2 ** 63, 2 ** 64, 253_402_300_800_000]
    return draw.pick([...near, ...far])
  }
  if (typeof part !== 'string') return part
  const isNumber = /^-?\d+$/.test(part)
  return draw.pick([
    '',
    part.slice(1),
    `${part}0`,
    part.toUpperCase(),
    part.replaceAll(/[a-z]/g, 'z'),
    'x'.repeat(200),
    draw.pick(draw.pick(Object.values(CORPORA))),
    ...(isNumber ? [String(BigInt(part) + 1n), `-${part}`, `${part}${part}`] : []),
  ])
}
