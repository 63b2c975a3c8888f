import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const SOURCE = join(import.meta.dirname, '..')

test('no page shows a text of a venue or a person with characters that change how other text is shown', () => {
  const files = globSync('**/*.tsx', { cwd: SOURCE })
  const texts = files.flatMap((file) =>
    [...readFileSync(join(SOURCE, file), 'utf8').matchAll(/<bdi[^>]*>\s*\{([^}]*)\}/g)].map(([, shown = '']) => ({
      file,
      shown: shown.trim(),
    })),
  )
  expect(texts.length).toBeGreaterThan(20)
  expect(texts.filter(({ shown }) => !shown.startsWith('plainText('))).toEqual([])
  // These names are always chosen by venues and people.
  const bare = files.filter((file) =>
    /[>·] ?\{(?:\w+\.)?(?:slug|question|who)\}/.test(readFileSync(join(SOURCE, file), 'utf8')),
  )
  expect(bare).toEqual([])
})
