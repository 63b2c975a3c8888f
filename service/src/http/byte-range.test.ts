import { expect, test } from 'vitest'
import { byteRangeOf } from './byte-range.ts'

test.each([
  ['bytes=0-9', { start: 0, end: 10 }],
  ['bytes=90-', { start: 90, end: 100 }],
  ['bytes=90-999', { start: 90, end: 100 }],
  ['bytes=-8', { start: 92, end: 100 }],
  ['bytes=-800', { start: 0, end: 100 }],
  ['bytes=100-', 'outside'],
  ['bytes=-0', 'outside'],
])('%s of a file with 100 bytes', (header, part) => {
  expect(byteRangeOf(header, 100)).toEqual(part)
})

test.each([undefined, '', 'bytes=-', 'bytes=5-2', 'bytes=0-1,5-6', 'lines=1-2', 'bytes=a-b', 'bytes=1e3-'])(
  '%j means the whole file',
  (header) => {
    expect(byteRangeOf(header, 100)).toBeUndefined()
  },
)
