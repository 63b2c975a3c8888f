// biome-ignore-all lint/correctness/noEmptyPattern: vitest reads the names of other fixtures from the pattern.
import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import { test } from 'vitest'
import { ConsoleScene } from './console-scene.ts'
import { recordWorld } from './recorded-world.ts'

/**
 * Tests of pages that need no recorder share a service with a recorded world, and a browser, for as long as their
 * process lasts: to start these takes longer than most tests. Each test has people and pages of its own.
 */
export const consoleTest = test
  // oxlint-disable-next-line no-empty-pattern
  .extend('scene', { scope: 'worker' }, async ({}, { onCleanup }) => {
    const scene = await ConsoleScene.open()
    const streams = scene.account.serveStreams()
    onCleanup(async () => {
      await streams[Symbol.asyncDispose]()
      await scene[Symbol.asyncDispose]()
    })
    return scene
  })
  .extend('world', { scope: 'worker', auto: true }, ({ scene }) => recordWorld(scene.account.service))
  .extend('pagesAreClosed', { auto: true }, async ({ scene }, { onCleanup }) => {
    onCleanup(async () => {
      await scene.closePages()
      scene.account.service.clock.nowMs = WORLD_NOW_MS
    })
  })
