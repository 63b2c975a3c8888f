/** The environment variable that tells test workers where the recorded worlds of this run are kept. */
export const WORLD_DIR = 'BOOKREEL_WORLD_DIR'

/** Undefined outside of a test run. */
export function worldDir(): string | undefined {
  return process.env[WORLD_DIR]
}
