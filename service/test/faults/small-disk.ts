import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A tmpfs that a test can fill; disposing removes it. */
export class SmallDisk implements Disposable {
  readonly folder: string

  constructor(megabytes: number) {
    this.folder = mkdtempSync(join(tmpdir(), 'bookreel-disk-'))
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=755`, 'tmpfs', this.folder], {
        stdio: 'pipe',
      })
    } catch (error) {
      rmdirSync(this.folder)
      throw new Error('Mounting a tmpfs failed. The full-disk test needs it: run this test as root.', {
        cause: error,
      })
    }
  }

  get freeBytes(): number {
    const { bavail, bsize } = statfsSync(this.folder)
    return bavail * bsize
  }

  /** Fills the disk to the last byte. */
  fill(): void {
    for (let part = 0; this.freeBytes > 0; part++) {
      try {
        writeFileSync(join(this.folder, `ballast-${part}`), Buffer.alloc(this.freeBytes))
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
      }
    }
  }

  makeRoom(): void {
    execFileSync('sh', ['-c', 'rm -f "$0"/ballast-*', this.folder])
  }

  [Symbol.dispose](): void {
    // Lazy: a process that is ending may still have a file open.
    execFileSync('umount', ['--lazy', this.folder])
    rmSync(this.folder, { recursive: true, force: true })
  }
}
