import { describeConfig } from '@bookreel/service/config'

/** The page of settings, made from the schema that reads them. */
export function configPage(): string {
  const rows = describeConfig().map(
    ({ name, usual, meaning }) =>
      `| \`${name}\` | ${meaning} | ${usual === 'required' ? '**required**' : `\`${usual}\``} |`,
  )
  return `# Settings

Environment variables, read once at start. Made by \`npm run docs\` from \`service/src/config.ts\`; \`npm run stack -- up\` writes those of the engines into an environment file.

| Name | Meaning | When not given |
|---|---|---|
${rows.join('\n')}
`
}
