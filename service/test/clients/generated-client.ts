import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
/** Inside the repository, so that the compiler finds the types of Node. */
const HERE = import.meta.dirname
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024
const DECLARED = join(HERE, 'declared.openapi.json')

const STRICT = {
  target: 'es2024',
  module: 'nodenext',
  lib: ['es2024', 'dom', 'dom.iterable'],
  types: ['node'],
  noEmit: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
}

/** A client that Redocly generates from the declared schema, with a program that uses it. */
export class GeneratedClient implements AsyncDisposable {
  readonly #folder: string

  private constructor(folder: string) {
    this.#folder = folder
  }

  static async of(program: string): Promise<GeneratedClient> {
    const folder = await mkdtemp(join(HERE, '.generated-'))
    const client = new GeneratedClient(folder)
    await run('redocly', ['generate-client', DECLARED, '--output', join(folder, 'client.ts'), '--import-ext', 'ts'])
    await writeFile(join(folder, 'program.ts'), program)
    await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
    const config = { compilerOptions: STRICT, files: ['client.ts', 'program.ts'] }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
    return client
  }

  /** Errors of the compiler; empty when the program compiles. */
  async compileErrors(): Promise<string> {
    return run('tsc', ['--project', join(this.#folder, 'tsconfig.json')]).then(
      () => '',
      (error: { stdout?: string }) => String(error.stdout),
    )
  }

  /** What the program prints as JSON. */
  async output(args: readonly string[]): Promise<unknown> {
    const program = join(this.#folder, 'program.ts')
    const { stdout } = await run(process.execPath, [program, ...args], { maxBuffer: MAX_OUTPUT_BYTES })
    return JSON.parse(stdout)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true })
  }
}
