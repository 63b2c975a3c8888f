/** Builds the console into `dist` of this workspace: npm run build:console */
import { fileURLToPath } from 'node:url'
import { buildConsole } from './build-console.ts'

await buildConsole(fileURLToPath(new URL('../dist', import.meta.url)))
