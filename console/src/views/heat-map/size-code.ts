/** How a size becomes one byte; tiles of the service tell theirs. */
export interface SizeScale {
  readonly unit: number
  readonly stepsPerOctave: number
}

const MOST = 255

/** The same as the service computes, so that live columns and tiles have no visible boundary. */
export function codeOfSize(size: number, { unit, stepsPerOctave }: SizeScale): number {
  if (size <= 0) return 0
  return Math.min(MOST, Math.max(1, 1 + Math.round(stepsPerOctave * Math.log2(size / unit))))
}

export function sizeOfCode(code: number, { unit, stepsPerOctave }: SizeScale): number {
  return code === 0 ? 0 : unit * 2 ** ((code - 1) / stepsPerOctave)
}
