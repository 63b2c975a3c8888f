import type { Bound } from '../bound.ts'
import type { Attack } from './attack.ts'
import type { Scene } from './scene.ts'
import type { Told } from './tally.ts'

/** One kind of attack. */
export interface Generator {
  /** Kebab-case, and the name of its file. */
  readonly name: string
  /** Whether it uses keys of customers, one account of each tier. */
  readonly isKeyed?: true
  /** Ends when the signal of the attack is aborted. */
  run(attack: Attack): Promise<void>
  /** What the service may give it at most. */
  bounds(told: Told, scene: Scene): readonly Bound[]
}
