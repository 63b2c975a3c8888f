/** Stands for an agent's command line, which is not installed here: `mcp add` lists the tools of the server. */
const [, , command, action, ...rest] = process.argv
const options = new Map<string, string>()
const names: string[] = []
for (let index = 0; index < rest.length; index++) {
  const word = rest[index] ?? ''
  if (word.startsWith('--')) options.set(word, rest[++index] ?? '')
  else names.push(word)
}
const [, url = ''] = names
if (command !== 'mcp' || action !== 'add' || options.get('--transport') !== 'http') throw new Error('unknown command')
const [header = '', value = ''] = (options.get('--header') ?? '').split(/:\s*/)
const answer = await fetch(url, {
  method: 'POST',
  headers: { [header]: value, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
})
const text = await answer.text()
// The answer is JSON, or one event of a stream.
const listed = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text) as { result?: { tools: { name: string }[] } }
if (listed.result === undefined) throw new Error(JSON.stringify(listed))
process.stdout.write(`${listed.result.tools.length} tools: ${listed.result.tools.map(({ name }) => name).join(' ')}\n`)
