const LAYERS = '.ant-modal-root, .ant-drawer'
const REMEMBERED = 9

/** Where the focus was, the latest last. */
let trail: readonly HTMLElement[] = []

/** A dialog that is gone at once, without its own closing, takes the focus along: it goes back to where it was before. */
export function returnFocus() {
  document.addEventListener('focusin', ({ target }) => {
    if (target instanceof HTMLElement)
      trail = [...trail.filter((each) => each !== target && each.isConnected), target].slice(-REMEMBERED)
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
