import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { addStaticFile } from './static-file.ts'

const FOLDER = new URL('./icon/', import.meta.url)
const CACHE_CONTROL = 'public, max-age=86400'
/** `favicon.ico` is what browsers request for pages without a link, such as JSON answers. */
const FILES = { 'favicon.svg': 'image/svg+xml', 'favicon.ico': 'image/x-icon' } as const

/** For the head of every page. */
export const ICON_LINK = '<link rel="icon" href="/favicon.svg" type="image/svg+xml">'

/** Adds the icon that browsers show beside the title of a page. */
export function addIcon(app: FastifyInstance): void {
  for (const [name, type] of Object.entries(FILES)) {
    const content = readFileSync(new URL(name, FOLDER))
    addStaticFile(app, `/${name}`, { content, type, cacheControl: CACHE_CONTROL })
  }
}
