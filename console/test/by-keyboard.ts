import type { Locator, Page } from 'playwright-core'

const MOST_STOPS = 200
/** Keys are sent together: to ask the page after each takes ten times as long as to move. */
const AT_ONCE = 20

/**
 * Notes in the page where the focus goes and that everybody could see it: with an outline, and on the screen. Once what
 * is wanted has the focus, further Tabs do nothing.
 */
const WATCH_FOCUS = `(() => {
  if (globalThis.focusWalk !== undefined) return
  const walk = (globalThis.focusWalk = { wanted: null, unseen: [] })
  addEventListener('keydown', (event) => {
    if (event.key !== 'Tab' || walk.wanted === null || document.activeElement !== walk.wanted) return
    event.preventDefault()
    event.stopImmediatePropagation()
  }, true)
  addEventListener('focusin', ({ target: element }) => {
    if (element === document.body || !location.pathname.startsWith('/app')) return
    const hasOutline = [null, '::after'].some((part) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(element, part)
      return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2
    })
    const { top, bottom, left, right } = element.getBoundingClientRect()
    const isOnScreen = bottom > 0 && top < innerHeight && right > 0 && left < innerWidth
    if (hasOutline && isOnScreen) return
    walk.unseen.push((hasOutline ? 'off the screen: ' : 'no outline: ') + element.outerHTML.slice(0, 160))
  })
})()`

/** Uses a page as somebody does who has no pointer. */
export class ByKeyboard {
  readonly page: Page
  /** Stops of the focus that nobody could see. */
  readonly unseen = new Set<string>()

  constructor(page: Page) {
    this.page = page
  }

  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key)
  }

  /** Moves the focus to an element. */
  async reach(target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
    await target.waitFor().catch(async (error: Error) => {
      const pages = this.page.context().pages()
      const shown = await Promise.all(pages.map((page) => page.evaluate('document.body.innerText.slice(0, 1500)')))
      throw new Error(`${error.message}\n${shown.join('\n— the next page —\n')}`, { cause: error })
    })
    const { keyboard } = this.page
    for (let stops = 0; stops <= MOST_STOPS; stops += AT_ONCE) {
      if (await this.#aimAt(target)) return
      if (key === 'Shift+Tab') await keyboard.down('Shift')
      await Promise.all(Array.from({ length: AT_ONCE }, () => keyboard.press('Tab')))
      if (key === 'Shift+Tab') await keyboard.up('Shift')
      await this.#collect()
    }
    throw new Error(`${key} does not lead to ${String(target)}`)
  }

  /** Moves the focus to an element and presses it. */
  async use(target: Locator, key: 'Enter' | 'Space' = 'Enter'): Promise<void> {
    await this.reach(target)
    await this.press(key)
  }

  /** Replaces the text of a field. */
  async fill(target: Locator, text: string): Promise<void> {
    await this.reach(target)
    await this.press('Control+a')
    await this.page.keyboard.type(text)
  }

  /** Goes through everything that can have the focus, in both directions: nothing keeps it. */
  async goRound(): Promise<void> {
    const first = this.page.getByRole('link', { name: 'Skip to the content' })
    for (const key of ['Tab', 'Shift+Tab'] as const) {
      await this.reach(first, key)
      await this.press(key)
      await this.reach(first, key)
    }
  }

  /** Finds a page or a market by the command palette. */
  async find(text: string, entry: string | RegExp): Promise<void> {
    await this.press('Control+k')
    await this.page.getByRole('combobox', { name: 'Search pages and markets' }).waitFor()
    await this.page.keyboard.type(text)
    const wanted = this.page.getByRole('option').filter({ hasText: entry }).first()
    await wanted.waitFor()
    for (let steps = 0; (await wanted.getAttribute('aria-selected')) !== 'true'; steps++) {
      if (steps > MOST_STOPS) throw new Error(`the arrows do not lead to ${String(entry)}`)
      await this.press('ArrowDown')
    }
    await this.press('Enter')
  }

  /** Whether the target has the focus already. */
  async #aimAt(target: Locator): Promise<boolean> {
    await this.page.evaluate(WATCH_FOCUS)
    return target.evaluate((element) => {
      const walk = (globalThis as { focusWalk?: { wanted: unknown } }).focusWalk
      if (walk !== undefined) walk.wanted = element
      return element === element.ownerDocument.activeElement
    })
  }

  async #collect(): Promise<void> {
    const found = await this.page.evaluate<string[]>('globalThis.focusWalk?.unseen.splice(0) ?? []')
    for (const each of found) this.unseen.add(`${new URL(this.page.url()).pathname} ${each}`)
  }
}

export async function hasFocus(target: Locator): Promise<boolean> {
  return target.evaluate((element) => element === element.ownerDocument.activeElement)
}
