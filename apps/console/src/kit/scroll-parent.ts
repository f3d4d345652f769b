/** The element that scrolls around `element`: the page's own area, a drawer, or the document. */
export function scrollParent(element: Element | null): HTMLElement {
  for (let parent = element?.parentElement; parent; parent = parent.parentElement) {
    const { overflowY } = getComputedStyle(parent)
    if ((overflowY === 'auto' || overflowY === 'scroll') && parent !== document.body) return parent
  }
  return document.documentElement
}
