const LAYERS = '.ant-modal-root, .ant-drawer'

interface Stop {
  readonly element: HTMLElement
  /** The dialog or drawer that contains the element; null for the page itself. */
  readonly layer: Element | null
}

/** The last focused element of the page and of each open layer, latest last. */
let trail: readonly Stop[] = []

/** Restores the focus when a dialog is removed without its closing animation. */
export function returnFocus() {
  document.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof HTMLElement)) return
    const layer = target.closest(LAYERS)
    // Menus and lists outside `#root` are temporary, so the focus never returns to them.
    if (!layer && !target.closest('#root')) return
    // Tabbing past the last field of a dialog focuses the page briefly before the dialog regains the focus.
    const last = trail.at(-1)
    if (!layer && last?.layer && last.element.checkVisibility()) return
    trail = [...trail.filter((each) => each.layer !== layer && each.element.isConnected), { element: target, layer }]
  })
  const onRemoved = () => {
    const last = trail.at(-1)
    if (document.activeElement !== document.body || !last?.layer || last.layer.isConnected) return
    trail
      .findLast(({ element }) => element.isConnected && element.checkVisibility())
      ?.element.focus({ preventScroll: true })
  }
  // A layer is already empty when it is removed, so the stored entries identify the layer.
  new MutationObserver(onRemoved).observe(document.body, { childList: true })
}
