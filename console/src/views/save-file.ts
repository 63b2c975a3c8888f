/** Long enough for a browser that asks where to save the file. */
const KEPT_MS = 600_000

/** Gives bytes to the browser as a file of its downloads. */
export function saveFile(bytes: BlobPart, name: string): void {
  const address = URL.createObjectURL(new Blob([bytes]))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), KEPT_MS)
}
