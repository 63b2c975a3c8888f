import { type Config, readConfig } from '../config.ts'
import type { VenueAddresses } from '../fieldcheck/run-fieldcheck.ts'
import { developmentSettings, readSettingsFile } from './development-stack.ts'
import { readVenueAddresses } from './venue-addresses.ts'
import { WrongUsage } from './wrong-usage.ts'

export interface ConfigPlaces {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** File of `--settings`; its values replace those of the environment. */
  readonly settingsFile: string | undefined
  /** Folders in which a development stack may run. */
  readonly folders: readonly string[]
  readonly programName: string
  readonly note: (line: string) => void
}

const ENGINES = ['CLICKHOUSE_URL', 'NATS_URL', 'DATABASE_URL', 'REDIS_URL']

/** Reads the settings of the environment or of `--settings`. */
export function givenConfig(places: ConfigPlaces): Config {
  return given(places, readConfig)
}

/** As `givenConfig`, only the addresses of venues; everything else may be missing. */
export function givenVenueAddresses(places: ConfigPlaces): VenueAddresses {
  return given(places, readVenueAddresses)
}

function given<Settings>(
  { environment, settingsFile, programName }: ConfigPlaces,
  read: (environment: Record<string, string | undefined>) => Settings,
): Settings {
  try {
    return read({ ...environment, ...(settingsFile !== undefined && readSettingsFile(settingsFile)) })
  } catch (error) {
    if (error instanceof WrongUsage) throw error
    throw new WrongUsage(`${(error as Error).message}\n\`${programName} settings\` lists all settings.`)
  }
}

/** As `givenConfig`; without settings for any engine, those of the development stack that is running. */
export async function findConfig(places: ConfigPlaces): Promise<Config> {
  const { environment, settingsFile, folders, programName, note } = places
  const isGiven =
    settingsFile !== undefined ||
    ENGINES.some((name) => environment[name] !== undefined || environment[`${name}_FILE`] !== undefined)
  if (isGiven || environment.NODE_ENV === 'production') return givenConfig(places)
  const { file, settings } = await developmentSettings(folders, programName)
  note(`Using the development stack of ${file}.`)
  return givenConfig({ ...places, environment: { ...environment, ...settings } })
}
