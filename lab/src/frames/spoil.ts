import type { Random } from '@bookreel/simulator/world/random'
import { CORPORA } from '../fuzz/corpora.ts'

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

const TEXTS = Object.values(CORPORA).flat()
const NUMBERS = [0, -1, 1.5, 1e21, -1e308, 2 ** 53, 2 ** 31, 4_294_967_296, 5e-324, 1_794_700_000_000]
const NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'id',
  'op',
  'then',
  '',
  'since',
  '0',
]
const LONG = 70_000
const DEEP = 5_000

/** A copy with one to three errors at random places. */
export function spoil(content: Json, draw: Random): Json {
  let spoiled = content
  for (let times = draw.whole(1, 3); times > 0; times--) spoiled = spoilOnce(spoiled, draw)
  return spoiled
}

/** JSON of any shape. */
export function anyJson(draw: Random, depth = 3): Json {
  const kind = draw.whole(0, depth === 0 ? 3 : 5)
  if (kind === 0) return draw.pick([null, true, false])
  if (kind === 1) return draw.pick(NUMBERS)
  if (kind < 4) return draw.pick(TEXTS)
  if (kind === 4) return Array.from({ length: draw.whole(0, 4) }, () => anyJson(draw, depth - 1))
  const entries = Array.from({ length: draw.whole(0, 4) }, () => [anyName(draw), anyJson(draw, depth - 1)] as const)
  return Object.fromEntries(entries)
}

/** Bytes that are not JSON, or too much JSON. */
export function brokenText(valid: string, draw: Random): string | Buffer {
  switch (draw.whole(0, 8)) {
    case 0:
      return valid.slice(0, draw.whole(0, valid.length))
    case 1:
      return `${valid}${draw.pick(TEXTS)}`
    case 2:
      return `{"id":1,"op":${'['.repeat(DEEP)}${']'.repeat(DEEP)}}`
    case 3:
      return `${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`
    case 4:
      return valid.replace(/"id":[^,}]*/, `"id":"${'x'.repeat(draw.whole(60, LONG))}"`)
    case 5:
      return valid.replace('{', `{"__proto__":{"op":"ping"},"id":1e999,"op":"ping","op":`)
    case 6:
      return draw.pick(TEXTS)
    case 7:
      return Buffer.from(Array.from({ length: draw.whole(1, 200) }, () => draw.whole(0, 255)))
    default:
      return ''
  }
}

function spoilOnce(content: Json, draw: Random): Json {
  if (Array.isArray(content) && content.length > 0 && draw.chance(0.7)) {
    const at = draw.whole(0, content.length - 1)
    if (draw.chance(0.1)) return Array.from({ length: draw.whole(2, 600) }, () => content[at] ?? null)
    return content.map((each, index) => (index === at ? spoilOnce(each, draw) : each))
  }
  if (typeof content === 'object' && content !== null && !Array.isArray(content) && draw.chance(0.85)) {
    return spoilMember(content, draw)
  }
  return anyJson(draw)
}

function spoilMember(content: Readonly<Record<string, Json>>, draw: Random): Json {
  const entries = Object.entries(content)
  const at = draw.whole(0, Math.max(0, entries.length - 1))
  const [name, value] = entries[at] ?? ['', null]
  const others = entries.filter((_, index) => index !== at)
  switch (draw.whole(0, 4)) {
    case 0:
      return Object.fromEntries(others)
    case 1:
      return Object.fromEntries([...entries, [anyName(draw), anyJson(draw)]])
    case 2:
      return Object.fromEntries([...others, [anyName(draw), value]])
    default:
      return Object.fromEntries([...others, [name, spoilOnce(value, draw)]])
  }
}

/** `Object.fromEntries` creates an own member even for `__proto__`, as JSON.parse does. */
function anyName(draw: Random): string {
  return draw.chance(0.7) ? draw.pick(NAMES) : draw.pick(TEXTS)
}
