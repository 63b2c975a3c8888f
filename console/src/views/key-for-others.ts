/** Whether a key belongs to a field, a dialog or the browser, and not to the page. */
export function isKeyForOthers({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  const isTyping =
    target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null
  return isTyping || ctrlKey || metaKey || altKey || document.querySelector('dialog[open]') !== null
}
