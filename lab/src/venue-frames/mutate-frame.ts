import type { Random } from '@bookreel/simulator/world/random'

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** Values that break careless code: wrong types, extremes, names of inherited members. */
const BAD_VALUES: readonly Json[] = [
  null,
  true,
  0,
  -1,
  1e308,
  -0,
  0.1,
  2 ** 53,
  '',
  ' ',
  '0',
  '-1',
  '1e9',
  '0x10',
  'NaN',
  'Infinity',
  '00.5',
  '.5',
  '0.5 ',
  '0.50000000000000000001',
  '99999999999999999999999999',
  '0.9999',
  '1',
  '1.0000',
  '__proto__',
  'constructor',
  'toString',
  '\u0000',
  '\ud800',
  '٣',
  [],
  {},
  [[]],
  [null],
]
const BAD_KEYS = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'length', '', '0', 'then']
/** JSON.stringify leaves out `__proto__` of a literal, so it is written as text. */
const POLLUTING = ['{"__proto__":{"polluted":1}}', '{"constructor":{"prototype":{"polluted":1}}}']
const DEEP = 3_000
const LONG = 2_000

/** Changes bytes or the structure of one frame; `other` is another frame of the same venue. */
export function mutateFrame(text: string, other: string, draw: Random): string {
  return draw.chance(0.35) ? mutateText(text, other, draw) : mutateStructure(text, draw)
}

function mutateText(text: string, other: string, draw: Random): string {
  const at = draw.whole(0, text.length)
  const to = Math.min(text.length, at + draw.whole(1, 30))
  switch (draw.whole(0, 8)) {
    case 0:
      return text.slice(0, at)
    case 1:
      return text.slice(0, at) + text.slice(to)
    case 2:
      return text.slice(0, to) + text.slice(at)
    case 3:
      return text.slice(0, at) + String.fromCharCode(draw.whole(0, 0xffff)) + text.slice(at + 1)
    case 4:
      return text.slice(0, at) + draw.pick(['"', '{', '[', ']', '}', ',', ':', '\\', '0', '-', 'e']) + text.slice(at)
    case 5:
      return text.slice(0, at) + other.slice(draw.whole(0, other.length))
    case 6:
      return text.replaceAll(/\d/g, (digit) => (draw.chance(0.02) ? String(draw.whole(0, 9)) : digit))
    case 7:
      return `${'['.repeat(draw.whole(1, DEEP))}${text}`
    default:
      return text.slice(0, at) + draw.pick(POLLUTING) + text.slice(at)
  }
}

function mutateStructure(text: string, draw: Random): string {
  let parsed: Json
  try {
    parsed = JSON.parse(text)
  } catch {
    return text
  }
  for (let times = draw.chance(0.8) ? 1 : draw.whole(2, 5); times > 0; times--) parsed = change(parsed, draw)
  const changed = JSON.stringify(parsed)
  // Adds a member that replaces the prototype where objects are merged carelessly.
  return draw.chance(0.05) ? changed.replace('{', '{"__proto__":{"polluted":1},') : changed
}

/** Walks to a random place and changes it. */
function change(value: Json, draw: Random): Json {
  if (typeof value !== 'object' || value === null || draw.chance(0.04)) return badValue(value, draw)
  if (Array.isArray(value)) return changeList(value, draw)
  const keys = Object.keys(value)
  const key = keys[draw.whole(0, keys.length - 1)]
  if (key === undefined) return badValue(value, draw)
  if (draw.chance(0.1)) return withoutKey(value, key)
  if (draw.chance(0.05)) return { ...value, [draw.pick(BAD_KEYS)]: draw.pick(BAD_VALUES) }
  return { ...value, [key]: change(value[key] ?? null, draw) }
}

function changeList(list: readonly Json[], draw: Random): Json {
  const at = draw.whole(0, Math.max(0, list.length - 1))
  const item = list[at] ?? null
  switch (draw.whole(0, 12)) {
    case 0:
      return list.toSpliced(at, 1)
    case 1:
      return [...list, item]
    case 2:
      return list.toReversed()
    case 3:
      return list.toSpliced(at, 0, draw.pick(BAD_VALUES))
    case 4:
      return draw.chance(0.05) ? Array.from({ length: LONG }, () => item) : [...list, ...list]
    default:
      return list.length === 0 ? [draw.pick(BAD_VALUES)] : list.with(at, change(item, draw))
  }
}

function badValue(value: Json, draw: Random): Json {
  if (typeof value === 'string' && draw.chance(0.5)) return nearText(value, draw)
  if (typeof value === 'number' && draw.chance(0.5)) return value + draw.pick([1, -1, 0.5, 1e6, -1e6])
  return draw.pick(BAD_VALUES)
}

/** A text that may still be valid, such as another price or another hash. */
function nearText(text: string, draw: Random): string {
  const at = draw.whole(0, Math.max(0, text.length - 1))
  return draw.pick([
    () => text.slice(0, at) + draw.whole(0, 9) + text.slice(at + 1),
    () => text.slice(0, at) + text.slice(at + 1),
    () => text + draw.whole(0, 9),
    () => `-${text}`,
    () => text.toUpperCase(),
  ])()
}

function withoutKey(value: { [key: string]: Json }, key: string): Json {
  const { [key]: _removed, ...rest } = value
  return rest
}
