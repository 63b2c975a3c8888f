/**
 * Runs ClickHouse in this process: `node clickhouse-launcher.ts <config.xml> <data folder>`. The engine library is
 * `clickhouse-local`; its statements open the HTTP and TCP listeners, and the last one blocks until stdin closes.
 */
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { DataType, isNullPointer, load, open } from 'ffi-rs'

// Use the global `process`: importing 'node:process' makes stdin non-blocking, and the engine would see end of file.
const [configFile, dataFolder] = process.argv.slice(2)
if (!configFile || !dataFolder) process.exit(2)

const require = createRequire(import.meta.url)
const fromChdb = createRequire(require.resolve('chdb'))
const libraryPackage = fromChdb.resolve(`@chdb/lib-${process.platform}-${process.arch}-gnu`)
open({ library: 'chdb', path: join(dirname(libraryPackage), 'libchdb.so') })

// Three statements: the quota in `clickhouse-config.ts` of the user without a password.
const statements = [
  'SYSTEM START LISTEN HTTP',
  'SYSTEM START LISTEN TCP',
  "SELECT * FROM file('-', 'LineAsString', 'line String') FORMAT Null",
]
const engineArgs = ['clickhouse-local', '--config-file', configFile, '--path', dataFolder, '--log-level', 'error']
engineArgs.push('--query', statements.join('; '))
const result = load({
  library: 'chdb',
  funcName: 'chdb_query_cmdline',
  retType: DataType.External,
  paramsType: [DataType.I32, DataType.StringArray],
  paramsValue: [engineArgs.length, engineArgs],
})
const errorOf = {
  library: 'chdb',
  funcName: 'chdb_result_error',
  paramsType: [DataType.External],
  paramsValue: [result],
}
if (isNullPointer(load({ ...errorOf, retType: DataType.External }))) process.exit(0)
process.stderr.write(`${load({ ...errorOf, retType: DataType.String })}\n`)
process.exit(1)
