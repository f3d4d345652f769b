import type { Content } from './contents/content.ts'
import { createElement } from './pages/dom.ts'

const FADE_MS = 400

/** Shows contents on layers: the next content is prepared below the visible one. */
export class Stage {
  readonly root = createElement('div', 'stage')
  readonly #idle: HTMLElement
  #shown: { readonly content: Content; readonly layer: HTMLElement } | undefined
  readonly #prepared = new Map<Content, HTMLElement>()

  constructor(idle: HTMLElement) {
    this.#idle = idle
    this.root.append(idle)
  }

  /** Adds a content on an invisible layer, where the content loads. */
  prepare(content: Content) {
    const layer = createElement('div', 'layer', content.element)
    this.#prepared.set(content, layer)
    this.root.prepend(layer)
  }

  /** Removes a prepared content that is not needed. */
  discard(content: Content) {
    const layer = this.#prepared.get(content)
    if (!layer) return
    this.#prepared.delete(content)
    remove(content, layer)
  }

  show(content: Content, offsetMs: number, withFade: boolean) {
    const layer = this.#prepared.get(content)
    if (!layer) return
    this.#prepared.delete(content)
    const before = this.#shown
    this.#shown = { content, layer }
    layer.classList.add('layer-shown')
    this.#idle.hidden = true
    content.start(offsetMs)
    const canFade = withFade && before !== undefined && typeof layer.animate === 'function'
    if (canFade) layer.animate([{ opacity: 0 }, { opacity: 1 }], { duration: FADE_MS, easing: 'ease-in-out' })
    if (!before) return
    before.layer.classList.replace('layer-shown', 'layer-leaving')
    // The previous layer stays until the new layer is painted, so that the screen never flashes black.
    setTimeout(() => remove(before.content, before.layer), canFade ? FADE_MS : 50)
  }

  showIdle() {
    if (this.#shown) remove(this.#shown.content, this.#shown.layer)
    this.#shown = undefined
    this.#idle.hidden = false
  }
}

function remove(content: Content, layer: HTMLElement) {
  content.stop()
  layer.remove()
}
