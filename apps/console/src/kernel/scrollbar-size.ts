interface Size {
  readonly width: number
  readonly height: number
}

const sizes = new Map<string, Size>()

/**
 * Pixels a scrollbar of this element takes, measured once per kind. A build has this in the place of the measure of
 * antd's foundations (`build/unused-parts.ts`), which adds a style sheet and takes it away again each time a table
 * shows or a dialog opens: the browser then computes the style of everything there is anew, twice.
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

/** Width of the window's own scrollbar, in pixels. */
export default function getScrollBarSize() {
  return getTargetScrollBarSize(document.documentElement).width
}
