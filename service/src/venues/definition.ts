import { z } from 'zod'
import type { Proof } from '../domain/proof.ts'
import type { PerpVenue } from './perp-venue.ts'
import type { PriceVenue } from './price-venue.ts'
import type { BinaryVenue } from './venue.ts'
import type { OnAnswer } from './venue-http.ts'

export interface OpenVenueOptions {
  /** An answer that is not as `docs/venues/` describes it. */
  readonly onProblem?: (reason: string) => void
  /** Keeps every answer over REST. */
  readonly onAnswer?: OnAnswer
}

/** What every venue tells about itself. Its folder, its page in `docs/venues/` and one line in the registry are all it needs. */
interface CommonDefinition<Settings extends z.ZodRawShape> {
  readonly id: string
  readonly name: string
  /** By name; no two venues have the same. */
  readonly settings: Settings
  /** Settings that are never logged, and may be in files. */
  readonly secrets?: readonly (keyof Settings & string)[]
}

interface RecordedDefinition<Settings extends z.ZodRawShape> extends CommonDefinition<Settings> {
  readonly proof: Proof
  /** The setting with the number of shards. */
  shardCount: (settings: ValuesOf<Settings>) => number
  /** Why the venue is not recorded; undefined when it is. */
  offBecause?: (settings: ValuesOf<Settings>) => string | undefined
  /** A REST server that tells the time, for a machine whose own clock is in doubt. */
  clockUrl?: (settings: ValuesOf<Settings>) => string
}

export interface BinaryDefinition<Settings extends z.ZodRawShape = z.ZodRawShape> extends RecordedDefinition<Settings> {
  readonly kind: 'binary'
  open(settings: ValuesOf<Settings>, options?: OpenVenueOptions): BinaryVenue
}

export interface PerpDefinition<Settings extends z.ZodRawShape = z.ZodRawShape> extends RecordedDefinition<Settings> {
  readonly kind: 'perp'
  open(settings: ValuesOf<Settings>, options?: OpenVenueOptions): PerpVenue
}

export interface PriceDefinition<Settings extends z.ZodRawShape = z.ZodRawShape> extends CommonDefinition<Settings> {
  readonly kind: 'price'
  open(settings: ValuesOf<Settings>): PriceVenue
}

type ValuesOf<Settings extends z.ZodRawShape> = z.infer<z.ZodObject<Settings>>

/** These keep the types of the settings, and check the rest. */
export const binaryVenue = <S extends z.ZodRawShape>(definition: BinaryDefinition<S>): BinaryDefinition<S> => definition
export const perpVenue = <S extends z.ZodRawShape>(definition: PerpDefinition<S>): PerpDefinition<S> => definition
export const priceVenue = <S extends z.ZodRawShape>(definition: PriceDefinition<S>): PriceDefinition<S> => definition

export const shardCount = (usual: number) =>
  z.coerce
    .number()
    .int()
    .min(1)
    .max(1024)
    .default(usual)
    .describe(
      'number of shards of this venue; it is stored at the first start, and only `bookreel-server reshard` changes it',
    )
