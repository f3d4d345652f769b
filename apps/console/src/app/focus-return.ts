const LAYERS = '.ant-modal-root, .ant-drawer'

/** Where the focus was last in the page and in each of its layers, the latest last: however long a form one walked through. */
let trail: readonly HTMLElement[] = []

/** A dialog that is gone at once, without its own closing, takes the focus along: it goes back to where it was before. */
export function returnFocus() {
  document.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof HTMLElement)) return
    const layer = target.closest(LAYERS)
    trail = [...trail.filter((each) => each.isConnected && each.closest(LAYERS) !== layer), target]
  })
  const onRemoved = (changes: readonly MutationRecord[]) => {
    if (
      document.activeElement !== document.body ||
      !changes.some(({ removedNodes }) => [...removedNodes].some(isLayer))
    )
      return
    trail.findLast((each) => each.isConnected && each.checkVisibility())?.focus({ preventScroll: true })
  }
  new MutationObserver(onRemoved).observe(document.body, { childList: true })
}

const isLayer = (node: Node) => node instanceof Element && (node.matches(LAYERS) || node.querySelector(LAYERS) !== null)
