import { expect, test } from 'vitest'
import { KeptAnswers, MOST_KEPT_ANSWERS } from './kept-answers.ts'

test('an answer is rendered once for each name, and a bounded number of them is kept', async () => {
  const kept = new KeptAnswers()
  const rendered: string[] = []
  const ask = (name: string) =>
    kept.find(name, () => {
      rendered.push(name)
      return `answer ${name}`
    })
  expect(ask('a')).toBe(ask('a'))
  expect((await ask('a').answer({})).content.toString()).toBe('answer a')
  expect(rendered).toEqual(['a'])
  for (let number = 0; number < 100; number++) ask(`other ${number}`)
  expect(kept.size).toBe(MOST_KEPT_ANSWERS)
})
