import { textOf } from './repository.ts'

/** The steps of a stage of the Dockerfile that can be repeated without Docker. */
export interface ImageRecipe {
  readonly environment: Readonly<Record<string, string>>
  /** COPY lines before the install step: the manifests. */
  readonly manifests: readonly Copy[]
  /** The npm command of the first RUN line, without what follows it. */
  readonly install: readonly string[]
  /** COPY lines after the install step: the code. */
  readonly code: readonly Copy[]
  /** The RUN lines after the code. */
  readonly build: readonly string[]
  readonly command: readonly string[]
  /** Programs that the RUN line links into /usr/local/bin: name to path in the image. */
  readonly programs: Readonly<Record<string, string>>
}

export interface Copy {
  readonly sources: readonly string[]
  readonly target: string
  /** The stage whose files are copied; undefined for files of the repository. */
  readonly stage: string | undefined
}

interface Instruction {
  readonly name: string
  readonly rest: string
}

const SUPPORTED = ['FROM', 'WORKDIR', 'ENV', 'COPY', 'RUN', 'USER', 'CMD']

/** Reads the instructions this project uses; any other form of them is an error, so that nothing is skipped. */
export function readDockerfile(stage?: string): ImageRecipe {
  const stages = stagesOf(instructionsOf(textOf('Dockerfile')))
  const instructions = stages.find(([from]) => stageName(from) === stage)
  if (instructions === undefined) throw new Error(`The Dockerfile has no stage ${stage}`)
  const runs = instructions.filter(({ name }) => name === 'RUN').map(({ rest }) => rest)
  const installAt = instructions.findIndex(({ name }) => name === 'RUN')
  const copies = (part: readonly Instruction[]) =>
    part.filter(({ name }) => name === 'COPY').map(({ rest }) => copyOf(rest))
  const variables = instructions.filter(({ name }) => name === 'ENV').flatMap(({ rest }) => rest.split(/\s+/))
  return {
    environment: Object.fromEntries(
      variables.map((variable) => /^([^=]+)=(.*)$/.exec(variable)?.slice(1) ?? [variable, '']),
    ),
    manifests: copies(instructions.slice(0, installAt)),
    install: runs[0]?.split('&&')[0]?.trim().split(/\s+/) ?? [],
    code: copies(instructions.slice(installAt)),
    build: runs.slice(1),
    command: JSON.parse(instructions.find(({ name }) => name === 'CMD')?.rest ?? '[]'),
    programs: Object.fromEntries(
      [...(runs[0] ?? '').matchAll(/ln -s \/app\/(\S+) \/usr\/local\/bin\/(\S+)/g)].map(([, path, name]) => [
        name,
        path,
      ]),
    ),
  }
}

function instructionsOf(text: string): Instruction[] {
  const lines = text
    .replaceAll('\\\n', ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
  const instructions = lines.map((line) => {
    const [, name = '', rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? []
    return { name, rest }
  })
  const unknown = instructions.filter(({ name }) => !SUPPORTED.includes(name))
  if (unknown.length > 0) throw new Error(`Unsupported Dockerfile instruction: ${JSON.stringify(unknown)}`)
  return instructions
}

/** Each begins with FROM. */
function stagesOf(instructions: readonly Instruction[]): Instruction[][] {
  const stages: Instruction[][] = []
  for (const instruction of instructions) {
    if (instruction.name === 'FROM') stages.push([])
    stages.at(-1)?.push(instruction)
  }
  return stages
}

function stageName(from: Instruction | undefined): string | undefined {
  return /\sAS\s+(\S+)$/.exec(from?.rest ?? '')?.[1]
}

function copyOf(rest: string): Copy {
  const [, stage, paths = rest] = /^--from=(\S+)\s+(.*)$/.exec(rest) ?? []
  const words = paths.split(/\s+/)
  if (words.some((word) => word.startsWith('--'))) throw new Error(`Unsupported COPY option: COPY ${rest}`)
  return { sources: words.slice(0, -1), target: words.at(-1) ?? '', stage }
}
