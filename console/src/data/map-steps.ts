/** Rows of a map in cents, as the tiles have them. */
export const MAP_STEPS = [0.1, 0.5, 1, 5] as const
export type MapStep = (typeof MAP_STEPS)[number]
export const USUAL_STEP: MapStep = 1

export const PRICE_STEPS = { 0.1: '0.001', 0.5: '0.005', 1: '0.01', 5: '0.05' } as const
