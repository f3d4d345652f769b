import type { Page } from '@playwright/test'
import { png } from './ad-manifest.ts'
import { approvedAd, textAd } from './ad-records.ts'
import { expect, test } from './fixtures.ts'
import { connected, makePoller } from './fleet.ts'
import { ADMIN, type Api, fresh, md5 } from './people.ts'

/** Uploads an image as the administrator. Returns the id of the file once the server has read the file. */
async function uploadImage(page: Page, admin: Api) {
  const { request } = page
  const login = await request.post('/api/v1/account/login', {
    form: { account: ADMIN.account, pswdMd5: md5(ADMIN.password) },
  })
  const { data } = (await login.json()) as { data: { token: string } }
  const file = { name: '海报.png', mimeType: 'image/png', buffer: png(640, 360, [200, 90, 40]) }
  const reply = await request.post('/api/v1/advertise/ad/upload', {
    headers: { ticket: data.token },
    multipart: { purpose: 'adImage', file },
  })
  const stored = (await reply.json()) as { code: number; msg: string; data: { id: string } }
  expect([stored.code, stored.msg]).toEqual([200, expect.any(String)])
  const state = async () =>
    (await admin.call<{ probeState: number }>('GET', `/api/v1/advertise/ad/probe/${stored.data.id}`)).probeState
  await expect.poll(state, { timeout: 60_000 }).toBe(1)
  return stored.data.id
}

test('AD-07 a published program plays on a screen that was paired by code, and the server counts the plays', async ({
  page,
  api,
  staff,
}) => {
  const admin = await api()
  const rights = ['list', 'query', 'audit'].map((right) => `advertiseManage:adList:${right}`)
  const auditor = await api(await staff(rights, '审核员'))
  const adIds = [
    await approvedAd(admin, auditor, { adType: 4, duration: 4, text: textAd('今日特价') }),
    await approvedAd(admin, auditor, {
      adType: 1,
      duration: 4,
      materials: [{ fileId: await uploadImage(page, admin) }],
    }),
  ]
  const { deviceId, sn } = await makePoller()
  const { id: programId } = await admin.call<{ id: number }>('POST', '/api/v1/advertise/program', {
    programName: fresh('节目单'),
    items: adIds.map((adId) => ({ adId })),
    dateFrom: '2020-01-01',
    dateTo: '2099-12-31',
    targetType: 1,
    targetIds: [deviceId],
  })

  await page.goto('/player/')
  const letters = page.locator('.pairing-code span')
  await expect(letters).toHaveCount(6)
  const code = (await letters.allTextContents()).join('')
  await admin.call('POST', '/api/v1/advertise/screen/pair', { code, deviceId })
  await admin.call('POST', `/api/v1/advertise/program/publish/${programId}`, {})
  const shown = page.locator('.layer-shown .content')
  await expect(shown).toBeVisible({ timeout: 120_000 })
  const seen = new Set<string>()
  const tagOf = async () => seen.add(await shown.evaluate(({ tagName }) => tagName)).size
  await expect.poll(tagOf, { timeout: 30_000, intervals: [500] }).toBe(2)

  const client = await connected()
  const plays = async () => {
    const { rows } = await client.query<{ ad_id: number; result: number; clock: number }>(
      'select ad_id, result, clock from ad_plays where device_id = $1 and program_id = $2',
      [deviceId, programId],
    )
    return rows
  }
  await expect
    .poll(async () => (await plays()).filter(({ result }) => result === 1).length, { timeout: 100_000 })
    .toBeGreaterThan(3)
  const rows = await plays()
  expect(new Set(rows.map(({ ad_id }) => Number(ad_id)))).toEqual(new Set(adIds))
  // The server stores whether it can trust the time of a play.
  expect(new Set(rows.map(({ clock }) => clock))).toEqual(new Set([1]))
  const rejected = await client.query('select reason, n from ad_rejects where device_id = $1', [deviceId])
  expect(rejected.rows).toEqual([])
  await client.end()
  const screen = async () => admin.call<Record<string, unknown>>('GET', `/api/v1/advertise/screen/${sn}`)
  await expect.poll(async () => (await screen())['width'], { timeout: 100_000 }).toBe(1440)
  expect(await screen()).toMatchObject({ playerKind: 1, offlineReady: 1, readyFiles: 1, totalFiles: 1 })
})
