import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { MAP_STEPS, type MapStep, USUAL_STEP } from '../../data/map-steps.ts'
import styles from '../../views/heat-map/heat-map.module.css'

/** How many cents a row of the map has; part of the address. */
export function StepSelect({ step }: { readonly step: MapStep }): ReactNode {
  const navigate = useNavigate()
  const choose = (cents: number): void => {
    const chosen = MAP_STEPS.find((each) => each === cents && each !== USUAL_STEP)
    const search = (before: object): object => ({ ...before, step: chosen })
    void navigate({ to: '.', search, replace: true, resetScroll: false })
  }
  return (
    <select
      className={styles.select}
      aria-label="Price step of the map"
      value={step}
      onChange={({ target }) => choose(Number(target.value))}
    >
      {MAP_STEPS.map((each) => (
        <option key={each} value={each}>
          {each}¢
        </option>
      ))}
    </select>
  )
}
