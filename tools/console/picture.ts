import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@bookreel/testbed/browser/real-browser'

/** Text stays readable, and a picture of a page takes some tens of kilobytes. */
const QUALITY = 70

/** Writes what the window shows as WebP; returns the number of bytes. */
export async function takePicture(page: Page, folder: string, name: string): Promise<number> {
  const devtools = await page.context().newCDPSession(page)
  const { data } = await devtools.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY })
  await devtools.detach()
  const bytes = Buffer.from(data, 'base64')
  writeFileSync(join(folder, `${name}.webp`), bytes)
  return bytes.length
}
