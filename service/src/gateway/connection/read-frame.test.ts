import { expect, test } from 'vitest'
import { idIn } from './read-frame.ts'

test.each([
  ['{"id":7}', 7],
  ['{"id":"seven","op":"nothing"}', 'seven'],
])('a broken frame is answered under the name it gave itself: %s', (text, id) => {
  expect(idIn(text)).toBe(id)
})

test.each(['{"id":1.5}', '{"id":1e300}', '{"id":""}', `{"id":"${'x'.repeat(65)}"}`, '{"id":{}}', 'null', '{'])(
  'a name that no answer may have is left out: %s',
  (text) => {
    expect(idIn(text)).toBeUndefined()
  },
)
