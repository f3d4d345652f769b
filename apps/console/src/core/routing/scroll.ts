/** Attribute of the scroll container of a tab's page. */
export const SCROLLER_ATTRIBUTE = 'data-scroller'
const DURATION_MS = 800

/** Scrolls the page around `from` to the top in 800 ms, after a page change in a list. */
export function scrollToTop(from: Element | null, duration = DURATION_MS) {
  const scroller = from?.closest(`[${SCROLLER_ATTRIBUTE}]`) ?? document.scrollingElement
  if (!scroller || scroller.scrollTop === 0) return
  const calm =
    document.documentElement.dataset['motion'] === 'reduced' || matchMedia('(prefers-reduced-motion: reduce)').matches
  const start = scroller.scrollTop
  const begun = performance.now()
  const step = (now: number) => {
    const part = calm ? 1 : Math.min(1, (now - begun) / duration)
    scroller.scrollTop = start * (1 - easeInOut(part))
    if (part < 1) requestAnimationFrame(step)
  }
  requestAnimationFrame(step)
}

const easeInOut = (part: number) => (part < 0.5 ? 4 * part ** 3 : 1 - (-2 * part + 2) ** 3 / 2)
