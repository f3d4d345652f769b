const REMEMBERED = 9

/** Where the focus was, the latest last. */
let trail: readonly HTMLElement[] = []
let inDialog = false

/** A dialog that is gone at once, without its own closing, takes the focus along: it goes back to where it was before. */
export function returnFocus() {
  document.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof HTMLElement)) return
    inDialog = target.closest('.ant-modal-root, .ant-drawer') !== null
    trail = [...trail.filter((each) => each !== target && each.isConnected), target].slice(-REMEMBERED)
  })
  // Dialogs are children of the body, emptied first and removed then.
  new MutationObserver((changes) => {
    if (!inDialog || document.activeElement !== document.body || trail.at(-1)?.isConnected !== false) return
    if (!changes.some(({ removedNodes }) => removedNodes.length > 0)) return
    trail.findLast((each) => each.isConnected && each.checkVisibility())?.focus({ preventScroll: true })
  }).observe(document.body, { childList: true })
}
