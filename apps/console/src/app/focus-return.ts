const LAYERS = '.ant-modal-root, .ant-drawer'

interface Stop {
  readonly element: HTMLElement
  /** The dialog or drawer it is in; null: the page itself. */
  readonly layer: Element | null
}

/** Where the focus was last in the page and in each of its layers, the latest last, however long a form one walked through. */
let trail: readonly Stop[] = []

/** A dialog that is gone at once, without its own closing, takes the focus along: it goes back to where it was before. */
export function returnFocus() {
  document.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof HTMLElement)) return
    const layer = target.closest(LAYERS)
    // Menus and lists that hang below the body come and go: nothing goes back to them.
    if (!layer && !target.closest('#root')) return
    // Past its last field a dialog's focus touches the page for a moment, before it is called back.
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
  // A layer is empty by the time it is taken away: only its place in the trail tells what it was.
  new MutationObserver(onRemoved).observe(document.body, { childList: true })
}
