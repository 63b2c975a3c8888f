import { type ReactNode, useEffect, useRef } from 'react'
import type { Playback, PlaybackView } from '../../../data/history/playback.ts'
import { SPEEDS, type Speed, speedText } from '../../../data/history/speeds.ts'
import type { Step } from '../../../data/history/steps.ts'
import { usePreferences } from '../../../data/preferences.ts'
import controls from '../../../views/controls.module.css'
import { momentText } from '../../../words/moment-texts.ts'
import type { Span } from './chosen-range.ts'
import styles from './history.module.css'

interface TransportProps {
  readonly view: PlaybackView
  readonly play: { readonly text: string; readonly isDisabled: boolean; readonly onPress: () => void }
  readonly speed: Speed
  readonly onSpeed: (speed: Speed) => void
  readonly onStep: (step: Step, direction: 1 | -1) => void
}

export function Transport({ view, play, speed, onSpeed, onStep }: TransportProps): ReactNode {
  return (
    <div className={styles.transport}>
      <fieldset className={styles.steps} aria-label="Steps">
        <StepButton text="|◀" name="Start of the range" hint="Home" onPress={() => onStep('range', -1)} />
        <StepButton text="◀" name="One slot back" hint="←" onPress={() => onStep('slot', -1)} />
        <button
          type="button"
          className={`${controls.primary} ${styles.play}`}
          disabled={play.isDisabled}
          onClick={play.onPress}
        >
          {view.state === 'paused' ? play.text : 'Pause'}
        </button>
        <StepButton text="▶" name="One slot forward" hint="→" onPress={() => onStep('slot', 1)} />
        <StepButton text="▶|" name="End of the range" hint="End" onPress={() => onStep('range', 1)} />
      </fieldset>
      <fieldset className={styles.steps} aria-label="Steps to gaps and trades">
        <StepButton text="‹ gap" name="Previous gap" hint="[" onPress={() => onStep('gap', -1)} />
        <StepButton text="gap ›" name="Next gap" hint="]" onPress={() => onStep('gap', 1)} />
        <StepButton text="‹ trade" name="Previous trade" hint="," onPress={() => onStep('trade', -1)} />
        <StepButton text="trade ›" name="Next trade" hint="." onPress={() => onStep('trade', 1)} />
      </fieldset>
      <fieldset className={styles.speeds} aria-label="Speed">
        {SPEEDS.map((each) => (
          <button key={each} type="button" aria-pressed={each === speed} onClick={() => onSpeed(each)}>
            {speedText(each)}
          </button>
        ))}
      </fieldset>
    </div>
  )
}

interface StepButtonProps {
  readonly text: string
  readonly name: string
  readonly hint: string
  readonly onPress: () => void
}

function StepButton({ text, name, hint, onPress }: StepButtonProps): ReactNode {
  return (
    <button type="button" className={controls.button} aria-label={name} title={`${name} (${hint})`} onClick={onPress}>
      {text}
    </button>
  )
}

interface ScrubberProps {
  readonly playback: Playback
  readonly range: Span
  readonly intervalMs: number
}

/** The playhead as a bar. It and the clock follow every movement, so React does not draw them. */
export function Scrubber({ playback, range, intervalMs }: ScrubberProps): ReactNode {
  const bar = useRef<HTMLInputElement>(null)
  const clock = useRef<HTMLOutputElement>(null)
  const { zone } = usePreferences()
  useEffect(() => {
    const show = (): void => {
      const text = momentText(playback.atMs, zone, 3)
      if (bar.current !== null) {
        bar.current.value = String(playback.atMs)
        bar.current.setAttribute('aria-valuetext', text)
      }
      if (clock.current !== null) clock.current.textContent = `${text} · slot ${Math.round(playback.atMs / intervalMs)}`
    }
    show()
    return playback.onMove(show)
  }, [playback, zone, intervalMs])
  const firstMs = Math.ceil(range.fromMs / intervalMs) * intervalMs
  return (
    <div className={styles.scrubber}>
      <input
        ref={bar}
        type="range"
        data-playhead=""
        aria-label="Playhead"
        min={firstMs}
        max={Math.max(firstMs, (Math.ceil(range.toMs / intervalMs) - 1) * intervalMs)}
        step={intervalMs}
        defaultValue={playback.atMs}
        onInput={({ currentTarget }) => playback.moveTo(Number(currentTarget.value))}
      />
      <output ref={clock} className={styles.clock} />
    </div>
  )
}
