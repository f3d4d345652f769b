/** Returns the scroll container of `element`: the page area, a drawer, or the document. */
export function findScrollParent(element: Element | null): HTMLElement {
  for (let parent = element?.parentElement; parent; parent = parent.parentElement) {
    const { overflowY } = getComputedStyle(parent)
    if ((overflowY === 'auto' || overflowY === 'scroll') && parent !== document.body) return parent
  }
  return document.documentElement
}
