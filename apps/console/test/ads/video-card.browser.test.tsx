import { afterEach, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { AdPicture, AdThumb } from '#modules/advertise/ads/ad-cells.tsx'
import { openTab } from '../browser-harness.tsx'

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => {
  tab?.close()
  tab = undefined
})

const video = { adName: '年末音乐会', adType: 2, thumbUrl: '', codec: 'hvc1' }
const isInside = (inner: Element, outer: Element) => {
  const [a, b] = [inner.getBoundingClientRect(), outer.getBoundingClientRect()]
  return a.left >= b.left && a.right <= b.right && a.top >= b.top && a.bottom <= b.bottom
}

test('AD-02 a video without a poster is shown as a card with its name and codec, in lists and in the editor', async () => {
  tab = openTab(
    <p>
      <AdPicture row={video} />
      <AdThumb ad={video} />
      <AdThumb ad={{ ...video, adName: '片头', codec: '' }} />
      <AdThumb ad={{ ...video, adName: '海报', adType: 1, codec: '' }} />
    </p>,
  )
  await expect.element(page.getByRole('img', { name: '年末音乐会 H.265' }).first()).toBeVisible()
  const cards = [...document.querySelectorAll('.ad-video-card')]
  expect(cards.map((card) => [card.textContent, card.getAttribute('title')])).toEqual([
    ['H.265', '年末音乐会 · H.265'],
    ['H.265', '年末音乐会 · H.265'],
    ['视频', '片头 · 视频'],
  ])
  for (const card of cards) expect(isInside(card, card.parentElement!)).toBe(true)
})
