import type { AdText } from '@oms/contract/advertise/engine/manifest.ts'
import { createElement } from '../pages/dom.ts'
import type { Content, ContentHost } from './content.ts'

/** Height in pixels of the screen for which font sizes are given. */
const DESIGN_HEIGHT = 1080
/** Distance that a scrolling text moves in a second at speed 1, in widths of the screen. */
const SCREENS_PER_SECOND = 0.03

/** Shows a text. A scrolling text moves from right to left as one line, at a position that follows from the offset. */
export function createTextContent(host: ContentHost, text: AdText): Content {
  const line = createElement('div', text.scroll ? 'content-text-line' : 'content-text-block', text.content)
  const frame = createElement('div', `content content-text`, line)
  frame.style.color = text.color
  frame.style.background = text.background
  frame.style.textAlign = text.align
  let animation: Animation | undefined
  // Frames of the preview are smaller than a screen; the shorter side of a portrait screen counts.
  const scale = () => {
    const { clientWidth, clientHeight } = frame
    line.style.fontSize = `${(text.fontSize * Math.min(clientWidth, clientHeight)) / DESIGN_HEIGHT}px`
  }
  const scroll = (offsetMs: number) => {
    const [frameWidth, lineWidth] = [frame.clientWidth, line.scrollWidth]
    const distance = frameWidth + lineWidth
    const duration = (distance / (frameWidth * SCREENS_PER_SECOND * Math.max(1, text.speed))) * 1000
    animation = line.animate(
      [{ transform: `translateX(${frameWidth}px)` }, { transform: `translateX(${-lineWidth}px)` }],
      { duration, iterations: Infinity },
    )
    animation.currentTime = offsetMs % duration
    animation.playbackRate = host.rate()
  }
  const onResize = () => scale()
  return {
    element: frame,
    ready: Promise.resolve(),
    start(offsetMs) {
      scale()
      window.addEventListener('resize', onResize)
      if (text.scroll) scroll(offsetMs)
    },
    stop() {
      window.removeEventListener('resize', onResize)
      animation?.cancel()
    },
    onFail: () => {},
  }
}
