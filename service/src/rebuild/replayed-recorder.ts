import { PriceBoard } from '../capture/price-board.ts'
import type { TickRows } from '../capture/recorder.ts'
import { Recording } from '../capture/recording.ts'
import { inputIn } from '../capture/recording-input.ts'
import type { RawRecord } from '../domain/raw-record.ts'
import type { PriceVenue } from '../venues/price-venue.ts'
import type { BinaryVenue } from '../venues/venue.ts'

export interface ReplayedVenues {
  readonly venue: BinaryVenue
  readonly priceVenues: readonly PriceVenue[]
}

/** Rows of one shard at one tick; `epoch` numbers the leases of the shard. */
export type OnRows = (shard: number, epoch: number, tickMs: number, rows: TickRows) => void

/** A recorder that lives on the records of an earlier one, and makes the same rows from them. */
export class ReplayedRecorder {
  readonly #venues: ReplayedVenues
  readonly #prices: PriceBoard
  readonly #recording: Recording
  #atMs = 0

  constructor(venues: ReplayedVenues, shardOf: (marketId: string) => number, onRows: OnRows) {
    this.#venues = venues
    this.#prices = new PriceBoard(() => this.#atMs)
    this.#recording = new Recording({
      venue: venues.venue,
      prices: this.#prices,
      perps: [],
      shardOf,
      publish: (shard, tickMs, rows) => {
        const epoch = this.#recording.epochOf(shard)
        if (epoch !== undefined) onRows(shard, epoch, tickMs, rows)
      },
      onResolved: () => {},
      onProblem: () => {},
      onDoubt: () => {},
    })
  }

  get recording(): Recording {
    return this.#recording
  }

  take(record: RawRecord): void {
    const { venue, priceVenues } = this.#venues
    this.#atMs = record.atMs
    if (record.venue === venue.id) {
      const input = inputIn(record)
      if (input !== undefined) this.#recording.apply(input)
      return
    }
    const source = record.kind === 'frame' ? priceVenues.find(({ id }) => id === record.venue) : undefined
    for (const event of source?.decode(record.body.toString()).events ?? []) this.#prices.take(event, record.atMs)
  }
}
