const PRESENT_MS = 300_000

let lastMs = Date.now()

for (const kind of ['pointerdown', 'keydown', 'focus']) {
  window.addEventListener(kind, () => {
    lastMs = Date.now()
  })
}

/** Whether somebody used this page lately. Requests without a person would keep a forgotten session alive. */
export function isPresent(nowMs: number): boolean {
  return nowMs - lastMs < PRESENT_MS
}
