import { expect, test } from 'vitest'
import { shapeOf } from './shape-of.ts'

test.each([
  [{ b: '1', a: 1, c: null, d: true }, '{b:string,a:number,c:null,d:boolean}'],
  [
    {
      bids: [
        { price: '0.1', size: '2' },
        { price: '0.2', size: '3' },
      ],
    },
    '{bids:[{price:string,size:string}]}',
  ],
  [['x', 1, 'y', null], '[null|number|string]'],
  [{ bids: [] }, '{bids:[]}'],
  ['x', 'string'],
])('the shape of %j is %s', (value, shape) => {
  expect(shapeOf(value)).toBe(shape)
})

test('another order of keys is another shape', () => {
  expect(shapeOf({ a: 1, b: 2 })).not.toBe(shapeOf({ b: 2, a: 1 }))
})
