import { readdir, readFile, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { build } from 'vite'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** Where the service serves it. */
const BASE = '/app/'
/** Browsers that know `light-dark()`; older ones would get styles for one theme only. */
const CSS_TARGETS = ['chrome125', 'firefox125', 'safari18']
/** Marks of packages for servers that render React, and times of the build on a busy machine. */
const UNIMPORTANT: readonly string[] = ['MODULE_LEVEL_DIRECTIVE', 'PLUGIN_TIMINGS']
/** What several pages need, in one file: a page of fifteen small ones waits for three rounds of requests. */
const SHARED = { name: 'shared', test: /\/src\/(?:views|words|data|shell)\/[^/]+\.tsx?$|useMutation/, minShareCount: 3 }
const COMPRESSED: readonly string[] = ['.html', '.js', '.css', '.svg']

/** Builds the console into a folder that is emptied first, with Brotli and gzip versions beside the files. */
export async function buildConsole(folder: string): Promise<void> {
  await requireOwnFolder(folder)
  await build({
    root: ROOT,
    base: BASE,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    mode: 'production',
    // Vite takes the kind of build from the environment, and tests have their own.
    define: { 'process.env.NODE_ENV': JSON.stringify('production') },
    oxc: { jsx: { runtime: 'automatic', development: false } },
    resolve: { conditions: ['bookreel-source', 'module', 'browser', 'production'] },
    css: { transformer: 'lightningcss' },
    build: {
      outDir: folder,
      emptyOutDir: true,
      manifest: true,
      target: 'es2024',
      cssTarget: CSS_TARGETS,
      // One file compresses better than thirty.
      cssCodeSplit: false,
      // Inline content and the polyfill, an inline script, are refused by the policy of the page.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      rolldownOptions: {
        output: { codeSplitting: { groups: [SHARED] } },
        onLog(level, log, report) {
          if (!UNIMPORTANT.includes(log.code ?? '')) report(level, log)
        },
      },
    },
  })
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && COMPRESSED.includes(extname(entry.name)))
  await Promise.all(files.map(({ parentPath, name }) => compress(join(parentPath, name))))
}

/** The folder is emptied, so it must be new, empty, or a build of before. */
async function requireOwnFolder(folder: string): Promise<void> {
  const names = await readdir(folder).catch((): string[] => [])
  if (names.length === 0 || names.includes('.vite')) return
  throw new Error(`${folder} has other files than a build of the console, and would be emptied. Choose another folder.`)
}

async function compress(path: string): Promise<void> {
  const bytes = await readFile(path)
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }),
    promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION }),
  ])
  await Promise.all([writeFile(`${path}.br`, br), writeFile(`${path}.gz`, gz)])
}
