import type { GapEntry } from '@bookreel/sdk'
import { expect, test } from 'vitest'
import { openGapOf } from './open-gap.ts'

test('the gap that lasts begins with the gaps right before it', () => {
  const gap = (from: string, to: string, cause: string) => ({ from, to, cause, kind: 'missing' }) as GapEntry
  const gaps = [gap('a', 'b', 'resync'), gap('c', 'd', 'venue_silent'), gap('d', 'e', 'disconnected')]
  expect(openGapOf({ recorded_to: 'e', gaps })).toEqual({ from: 'c', cause: 'disconnected' })
  expect(openGapOf({ recorded_to: 'f', gaps })).toBeUndefined()
})
