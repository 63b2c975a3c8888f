/** The anchor that GitHub gives to a heading. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')
}

export function headingOf({ method, path }: { readonly method: string; readonly path: string }): string {
  return `${method} ${path}`
}

/** A link to an object of the same page. */
export function linkTo(name: string): string {
  return `[${name}](#${anchorOf(name)})`
}

export function groupFile(group: string): string {
  return `docs/endpoints/${group.toLowerCase()}.md`
}
