import { expect } from 'vitest'
import { ProvedBook } from '../../src/venues/polymarket/proved-book.ts'
import { TinyVenue } from './tiny-venue.ts'

export function openTiny() {
  const venue = new TinyVenue()
  const book = new ProvedBook(venue.market)
  const give = (...events: Parameters<ProvedBook['take']>[0][]) => {
    for (const event of events) book.take(event, venue.nowMs)
  }
  return { venue, book, give }
}

export function openProved() {
  const scene = openTiny()
  scene.give(scene.venue.book(0, true), scene.venue.book(1, true))
  expect(scene.book.proved).toBeDefined()
  return scene
}
