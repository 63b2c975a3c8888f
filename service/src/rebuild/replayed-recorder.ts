import { PriceBoard } from '../capture/price-board.ts'
import { Recording } from '../capture/recording.ts'
import { inputIn } from '../capture/recording-input.ts'
import type { TickRows } from '../capture/tick-rows.ts'
import type { RawRecord } from '../domain/raw-record.ts'
import type { PriceVenue } from '../venues/price-venue.ts'
import type { BinaryVenue } from '../venues/venue.ts'

export interface ReplayedVenues {
  readonly venues: readonly BinaryVenue[]
  readonly priceVenues: readonly PriceVenue[]
}

/** Rows of one shard at one tick; `epoch` numbers the leases of the shard. */
export type OnRows = (shard: string, epoch: number, tickMs: number, rows: TickRows) => void

/** A recorder that lives on the records of an earlier one, and makes the same rows from them. */
export class ReplayedRecorder {
  /** By venue. */
  readonly recordings: ReadonlyMap<string, Recording>
  readonly #priceVenues: readonly PriceVenue[]
  readonly #prices: PriceBoard
  #atMs = 0

  constructor(
    { venues, priceVenues }: ReplayedVenues,
    shardOf: (venue: string, marketId: string) => string,
    onRows: OnRows,
  ) {
    this.#priceVenues = priceVenues
    this.#prices = new PriceBoard(() => this.#atMs)
    const recordingOf = (venue: BinaryVenue): Recording => {
      const recording = new Recording({
        venue,
        prices: this.#prices,
        shardOf: (marketId) => shardOf(venue.id, marketId),
        publish: (shard, tickMs, rows) => {
          const epoch = recording.epochOf(shard)
          if (epoch !== undefined) onRows(shard, epoch, tickMs, rows)
        },
        onResolved: () => {},
        onProblem: () => {},
        onDoubt: () => {},
      })
      return recording
    }
    this.recordings = new Map(venues.map((venue) => [venue.id, recordingOf(venue)]))
  }

  take(record: RawRecord): void {
    this.#atMs = record.atMs
    const recording = this.recordings.get(record.venue)
    if (recording !== undefined) {
      const input = inputIn(record)
      if (input !== undefined) recording.apply(input)
      return
    }
    const source = record.kind === 'frame' ? this.#priceVenues.find(({ id }) => id === record.venue) : undefined
    for (const event of source?.decode(record.body.toString()).events ?? []) this.#prices.take(event, record.atMs)
  }
}
