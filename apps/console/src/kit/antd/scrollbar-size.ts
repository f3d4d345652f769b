interface Size {
  readonly width: number
  readonly height: number
}

const sizes = new Map<string, Size>()

/**
 * Returns the scrollbar width of an element in pixels, measured once per kind. The build substitutes this file for
 * antd's measurement (`build/unused-parts.ts`). antd adds and removes a style sheet for each table or dialog, which
 * forces the browser to recompute all styles twice.
 */
export function getTargetScrollBarSize(target: unknown): Size {
  if (!(target instanceof Element)) return { width: 0, height: 0 }
  const kind = getComputedStyle(target).scrollbarWidth
  const known = sizes.get(kind)
  if (known) return known
  const box = document.createElement('div')
  box.style.cssText = `position:absolute;width:100px;height:100px;overflow:scroll;scrollbar-width:${kind}`
  document.body.append(box)
  const size = { width: box.offsetWidth - box.clientWidth, height: box.offsetHeight - box.clientHeight }
  box.remove()
  sizes.set(kind, size)
  return size
}

/** Returns the width of the window's scrollbar in pixels. */
export default function getScrollBarSize() {
  return getTargetScrollBarSize(document.documentElement).width
}
