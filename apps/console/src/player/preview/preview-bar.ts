import { createElement } from '../pages/dom.ts'

const RATES = [1, 4, 16]
export type Orientation = 'landscape' | 'portrait'
const DAY_SECONDS = 86_400

export interface BarActions {
  previous(): void
  next(): void
  rate(rate: number): void
  orientation(orientation: Orientation): void
  /** Seconds of the local day. */
  seek(second: number): void
}

/** A coloured part of the timeline. */
export interface TimelinePart {
  readonly from: number
  readonly to: number
  readonly kind: string
  readonly title: string
}

/** Controls of the preview. */
export class PreviewBar {
  readonly root: HTMLElement
  readonly #rates: HTMLElement
  readonly #orientations: HTMLElement
  readonly #time = createElement('output', 'bar-time')
  readonly #name = createElement('span', 'bar-name')
  readonly #strip = createElement('div', 'bar-strip')
  readonly #slider = createElement('input', 'bar-slider')

  constructor(actions: BarActions) {
    this.#rates = choice(
      '播放速度',
      RATES.map((rate) => [String(rate), `${rate}×`]),
      (rate) => actions.rate(Number(rate)),
    )
    this.#orientations = choice(
      '屏幕方向',
      [
        ['landscape', '横屏'],
        ['portrait', '竖屏'],
      ],
      (value) => actions.orientation(value as Orientation),
    )
    this.#slider.type = 'range'
    this.#slider.max = String(DAY_SECONDS - 1)
    this.#slider.setAttribute('aria-label', '时间轴')
    this.#slider.addEventListener('input', () => actions.seek(Number(this.#slider.value)))
    const line = createElement(
      'div',
      'bar-line',
      button('上一条', actions.previous),
      button('下一条', actions.next),
      this.#rates,
      this.#orientations,
      this.#name,
      this.#time,
    )
    this.root = createElement('footer', 'bar', createElement('div', 'bar-timeline', this.#strip, this.#slider), line)
    select(this.#rates, '1')
    select(this.#orientations, 'landscape')
  }

  setOrientation(orientation: Orientation) {
    select(this.#orientations, orientation)
  }

  setTime(second: number) {
    const pad = (value: number) => String(Math.floor(value)).padStart(2, '0')
    this.#time.textContent = `${pad(second / 3600)}:${pad((second / 60) % 60)}:${pad(second % 60)}`
    this.#slider.value = String(second)
    this.#slider.setAttribute('aria-valuetext', this.#time.textContent)
  }

  setName(name: string) {
    this.#name.textContent = name
    this.#name.title = name
  }

  setTimeline(parts: readonly TimelinePart[]) {
    this.#strip.textContent = ''
    for (const { from, to, kind, title } of parts) {
      const part = createElement('i', `bar-part bar-${kind}`)
      part.style.left = `${(from / DAY_SECONDS) * 100}%`
      part.style.width = `${((to - from) / DAY_SECONDS) * 100}%`
      part.title = title
      this.#strip.append(part)
    }
  }
}

function button(label: string, onClick: () => void) {
  const made = createElement('button', 'bar-button', label)
  made.type = 'button'
  made.addEventListener('click', onClick)
  return made
}

function choice(label: string, options: readonly (readonly [string, string])[], onChoose: (value: string) => void) {
  const group = createElement('div', 'bar-choice')
  group.setAttribute('role', 'group')
  group.setAttribute('aria-label', label)
  for (const [value, text] of options) {
    const made = button(text, () => {
      select(group, value)
      onChoose(value)
    })
    made.dataset['value'] = value
    group.append(made)
  }
  return group
}

function select(group: HTMLElement, value: string) {
  for (const each of group.querySelectorAll('button'))
    each.setAttribute('aria-pressed', String(each.dataset['value'] === value))
}
