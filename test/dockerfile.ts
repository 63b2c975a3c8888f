import { textOf } from './repository.ts'

/** The steps of the Dockerfile that can be repeated without Docker. */
export interface ImageRecipe {
  readonly environment: Readonly<Record<string, string>>
  /** COPY lines before the install step: the manifests. */
  readonly manifests: readonly Copy[]
  /** The npm command of the RUN line, without what follows it. */
  readonly install: readonly string[]
  /** COPY lines after the install step: the code. */
  readonly code: readonly Copy[]
  readonly command: readonly string[]
  /** Programs that the RUN line links into /usr/local/bin: name to path in the image. */
  readonly programs: Readonly<Record<string, string>>
}

export interface Copy {
  readonly sources: readonly string[]
  readonly target: string
}

/** Reads the instructions this project uses; any other form of them is an error, so that nothing is skipped. */
export function readDockerfile(): ImageRecipe {
  const lines = textOf('Dockerfile')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
  const instructions = lines.map((line) => {
    const [, name = '', rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? []
    return { name, rest }
  })
  const unknown = instructions.filter(
    ({ name }) => !['FROM', 'WORKDIR', 'ENV', 'COPY', 'RUN', 'USER', 'CMD'].includes(name),
  )
  if (unknown.length > 0) throw new Error(`Unsupported Dockerfile instruction: ${JSON.stringify(unknown)}`)
  const runs = instructions.filter(({ name }) => name === 'RUN')
  if (runs.length !== 1) throw new Error(`Expected one RUN line, found ${runs.length}`)
  const installAt = instructions.findIndex(({ name }) => name === 'RUN')
  const copies = (part: typeof instructions) =>
    part.filter(({ name }) => name === 'COPY').map(({ rest }) => copyOf(rest))
  const variables = instructions.filter(({ name }) => name === 'ENV').flatMap(({ rest }) => rest.split(/\s+/))
  return {
    environment: Object.fromEntries(
      variables.map((variable) => /^([^=]+)=(.*)$/.exec(variable)?.slice(1) ?? [variable, '']),
    ),
    manifests: copies(instructions.slice(0, installAt)),
    install: runs[0]?.rest.split('&&')[0]?.trim().split(/\s+/) ?? [],
    code: copies(instructions.slice(installAt)),
    command: JSON.parse(instructions.find(({ name }) => name === 'CMD')?.rest ?? '[]'),
    programs: Object.fromEntries(
      [...(runs[0]?.rest ?? '').matchAll(/ln -s \/app\/(\S+) \/usr\/local\/bin\/(\S+)/g)].map(([, path, name]) => [
        name,
        path,
      ]),
    ),
  }
}

function copyOf(rest: string): Copy {
  const words = rest.split(/\s+/)
  if (words.some((word) => word.startsWith('--'))) throw new Error(`Unsupported COPY option: COPY ${rest}`)
  return { sources: words.slice(0, -1), target: words.at(-1) ?? '' }
}
