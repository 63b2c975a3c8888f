/** A book of a market or a perp that is older is no longer called live, wherever it is used. */
export const LIVE_FOR_MS = 60_000
