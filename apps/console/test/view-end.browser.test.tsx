import { playbackConsents } from '@oms/contract/storage/consent.ts'
import { expect, test, vi } from 'vitest'
import { page } from 'vitest/browser'
import { pressButton, typeInto, waitUntil } from '#test/form-cases/page-driver.ts'
import { useSessionEvents } from '#app/server-news.ts'
import { emitEvent } from '#core/events/events.ts'
import { ViewDialog } from '#modules/storage/playback/playback-dialogs.tsx'
import { ok, refusal } from './browser-harness.tsx'
import { useContractPage } from './contract-page.tsx'

const start = useContractPage()
const CONSENT = {
  id: 1,
  sn: 'CAM1',
  rangeBegin: '2030-01-01 08:00:00',
  rangeEnd: '2030-01-01 09:00:00',
  validUntil: '2099-01-01 00:00:00',
} as never
const PICTURE = {
  time: '2030-01-01 08:00:01',
  url: 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7',
}
const TIMES = { channels: [0], days: [], list: [] }
const REFUSED = refusal(501, '未取得用户授权，不能查看录像')

function View({ validUntil }: { validUntil?: string }) {
  useSessionEvents(async () => {}, false)
  const consent = { ...(CONSENT as object), ...(validUntil && { validUntil }) } as never
  return <ViewDialog consent={consent} onClose={() => {}} />
}

/** Opens a view of recordings. The returned `answer` replaces the server's response about the consent. */
async function openView(url: string | null, validUntil?: string) {
  const server = start(<View {...(validUntil && { validUntil })} />)
  server.on(playbackConsents.times, () => ok(TIMES))
  server.on(playbackConsents.view, () =>
    ok({ url, pictures: url === null ? [PICTURE] : [], expireTime: 0, watermark: '张三' }),
  )
  await waitUntil(() => typeInto('reason', '核对花屏画面'))
  await waitUntil(() => pressButton('查看'))
  const shown = url === null ? page.getByAltText(/摄像机图片/) : page.getByLabelText('录像', { exact: true })
  await expect.element(shown).toBeInTheDocument()
  return { shown, answer: (body: unknown) => server.on(playbackConsents.times, () => body) }
}

for (const [what, url] of [
  ['video', '/live/index.m3u8'],
  ['picture', null],
] as const)
  test(`withdrawing a consent removes the open ${what} at once`, async () => {
    const { shown, answer } = await openView(url)
    answer(REFUSED)
    emitEvent('changed', { resource: 'oss' })
    await expect.element(page.getByText('授权已撤回，查看已结束'), { timeout: 1000 }).toBeVisible()
    await expect.element(shown).not.toBeInTheDocument()
  })

test('an expired consent ends the view with its own message', async () => {
  const { answer } = await openView(null, '2020-01-01 00:00:00')
  answer(REFUSED)
  emitEvent('changed', { resource: 'oss' })
  await expect.element(page.getByText('授权已过期，查看已结束')).toBeVisible()
})

test('a view stays open after a server error and after a change of another consent', async () => {
  const { shown, answer } = await openView(null)
  answer(refusal(500, 'x'))
  emitEvent('changed', { resource: 'oss' })
  await new Promise((resolve) => setTimeout(resolve, 500))
  await expect.element(shown).toBeInTheDocument()
})

test('a refused play address empties the player and checks the consent', async () => {
  const GONE = 410
  class Gone extends XMLHttpRequest {
    override get status() {
      return GONE
    }
  }
  vi.stubGlobal('XMLHttpRequest', Gone)
  const { shown, answer } = await openView('/gone/index.m3u8')
  await expect.element(page.getByText('播放地址已失效，请重新获取')).toBeVisible()
  await expect.element(shown).not.toHaveAttribute('src')
  answer(REFUSED)
  emitEvent('changed', { resource: 'oss' })
  await expect.element(page.getByText('授权已撤回，查看已结束')).toBeVisible()
})
