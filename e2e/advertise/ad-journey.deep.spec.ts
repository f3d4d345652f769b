import type { Manifest } from '@oms/contract/advertise/engine/manifest.ts'
import { listSlotsBetween } from '@oms/contract/advertise/engine/playing.ts'
import type { BrowserContext, Page } from '@playwright/test'
import { png } from './ad-manifest.ts'
import { approvedAd, textAd } from './ad-records.ts'
import { expect as baseExpect, test as base } from '../support/fixtures.ts'
import { connected, makePoller, tokenOf } from '../support/fleet.ts'
import { OwnServer } from '../support/own-server.ts'
import { type Api, fresh, type Person } from '../support/people.ts'
import { pick } from '../support/pick.ts'

const ADS = '/advertiseManage/adList'
const PROGRAMS = '/advertiseManage/ProgramList'
const SECONDS = 4
/** This journey waits for a server that shares the machine with other journeys. */
const expect = baseExpect.configure({ timeout: 60_000 })
const right = (...actions: string[]) => actions.map((action) => `advertiseManage:adList:${action}`)
const AUTHOR = right('list', 'query', 'add', 'edit', 'upload', 'submit')
const AUDITOR = right('list', 'query', 'audit')

/** Playwright's test with a server of its own, which the journey kills. */
const test = base.extend<{ own: OwnServer }>({
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of the used fixtures from the pattern
  own: async ({}, use) => {
    const server = new OwnServer({ OMS_AD_POLL_SECONDS: '5', OMS_RATE_API: '100000', OMS_RATE_LOGIN: '100000' })
    await server.start()
    await use(server)
    await server.stop()
  },
  baseURL: async ({ own }, use) => use(own.origin),
})

/** Uploads an image as a new ad and submits the ad. */
async function uploadAd(page: Page, name: string) {
  await page.goto(ADS)
  await page.getByRole('button', { name: '新增广告' }).first().click()
  const form = page.getByRole('dialog')
  await form.getByLabel('广告名称').fill(name)
  await form.getByLabel('播放时长').fill(String(SECONDS))
  const file = { name: '海报.png', mimeType: 'image/png', buffer: png(640, 360, [200, 90, 40]) }
  await page.getByLabel('选择素材').setInputFiles(file)
  await expect(page.locator('.ad-material')).toContainText('640×360', { timeout: 60_000 })
  await page.getByRole('button', { name: '保存' }).click()
  const row = page.getByRole('row').filter({ hasText: name })
  await row.getByRole('button', { name: '提交审核' }).click()
  await expect(row).toContainText('待审核')
}

/** Approves the ad after a look at its preview. */
async function approveAd(page: Page, name: string) {
  await page.goto(`${ADS}?auditStatus=1`)
  await page.getByRole('row').filter({ hasText: name }).getByRole('button', { name: '审核' }).click()
  const drawer = page.locator('.ant-drawer').filter({ hasText: `审核广告「${name}」` })
  await expect(page.frameLocator('iframe[title^="预览"]').locator('.layer-shown img')).toBeVisible({ timeout: 30_000 })
  for (const box of await drawer.getByRole('checkbox').all()) await box.check()
  await drawer.getByRole('button', { name: /通\s*过/ }).click()
  await expect(page.getByText('审核完成')).toBeVisible()
}

/** Drags the ads into a new program, looks at the preview and publishes the program. */
async function publishProgram(page: Page, { program, names, sn }: { program: string; names: string[]; sn: string }) {
  await page.goto(`${PROGRAMS}/add`)
  await page.getByLabel('节目单名称').fill(program)
  const library = page.getByRole('region', { name: '广告库' })
  const track = page.getByRole('region', { name: '节目单内容' })
  for (const [index, name] of names.entries()) {
    await library.getByRole('listitem').filter({ hasText: name }).dragTo(track.getByRole('list'))
    await expect(track.locator('output')).toContainText(`共 ${index + 1} 条`)
  }
  await pick(page.getByLabel('投放对象').last(), sn)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: '预览', exact: true }).click()
  const preview = page.frameLocator('iframe[title="预览节目单"]')
  await expect(preview.locator('.layer-shown .content')).toBeVisible({ timeout: 60_000 })
  await expect(preview.locator('.bar-name')).toContainText(program)
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /关闭|Close/ })
    .click()
  await page.getByRole('button', { name: '提交发布' }).click()
  const publish = page.getByRole('dialog').filter({ hasText: '提交发布' })
  await expect(publish).toContainText('将投放到 1 块屏幕')
  await publish.getByRole('button', { name: /发\s*布$/ }).click()
  await expect(page.getByText('发布成功')).toBeVisible()
}

/** Opens the player on another page, and enters the code of the player in the console. */
async function pairPlayer(page: Page, context: BrowserContext, sn: string) {
  const player = await context.newPage()
  await player.goto('/player/')
  const letters = player.locator('.pairing-code span')
  await expect(letters).toHaveCount(6)
  const code = (await letters.allTextContents()).join('')
  await page.bringToFront()
  await page.goto(`${PROGRAMS}/screens`)
  await page.getByRole('button', { name: '配对屏幕' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('配对码').fill(code)
  await pick(dialog.getByLabel('设备'), sn)
  await dialog.getByRole('button', { name: /配\s*对$/ }).click()
  await expect(page.getByText('配对成功')).toBeVisible()
  return player
}

/** Creates three approved ads, of which one is uploaded, submitted and approved at the screen. Returns their names. */
async function approvedNames({ page, context, login, staff, api }: Prepared) {
  const [author, auditor] = [await staff(AUTHOR, '投放员'), await staff(AUDITOR, '审核员')]
  const [admin, second] = [await api(), await api(auditor)]
  const names = [fresh('海报'), fresh('早市'), fresh('晚市')]
  for (const adName of names.slice(1))
    await approvedAd(admin, second, { adName, adType: 4, duration: SECONDS, text: textAd(adName) })
  await login(author)
  await uploadAd(page, names[0]!)
  await context.clearCookies()
  await login(auditor)
  await approveAd(page, names[0]!)
  await context.clearCookies()
  await login()
  return names
}
interface Prepared {
  readonly page: Page
  readonly context: BrowserContext
  login(person?: Person): Promise<void>
  staff(permissions: readonly string[], realname?: string): Promise<Person>
  api(person?: Person): Promise<Api>
}

interface Play {
  readonly start: number
  readonly result: number
  readonly clock: number
}

/** Returns the stored plays in the order of their start. */
async function playsOf({ dataDir }: OwnServer): Promise<Play[]> {
  const client = await connected(dataDir)
  const { rows } = await client.query<Play>(
    'select start_ms::float8 as start, result, clock from ad_plays order by start_ms',
  )
  const rejected = await client.query('select reason, n from ad_rejects')
  await client.end()
  expect(rejected.rows).toEqual([])
  return rows
}

test('AD-07 an ad is uploaded, approved, published, played while the server is killed, and every play is counted once', async ({
  page,
  context,
  login,
  staff,
  api,
  own,
}) => {
  test.setTimeout(480_000)
  const { sn } = await makePoller(own.dataDir)
  const names = await approvedNames({ page, context, login, staff, api })
  const player = await pairPlayer(page, context, sn)
  const program = fresh('门店节目单')
  await page.bringToFront()
  await publishProgram(page, { program, names, sn })
  await player.bringToFront()
  const shown = player.locator('.layer-shown .content')
  await expect(shown).toBeVisible({ timeout: 120_000 })
  await player.waitForFunction(() => Boolean(navigator.serviceWorker.controller))
  const headers = { authorization: `Bearer ${tokenOf(sn)}` }
  const manifest = (await (
    await fetch(`${own.origin}/device/v1/ad/manifest/${sn}`, { headers })
  ).json()) as unknown as Manifest
  const plannedName = (at: number) => [...listSlotsBetween(manifest, at, at + 1)][0]?.ad?.name
  const textOf = async () => (await shown.textContent()) ?? ''
  /** Waits until the player shows each of the three ads in turn. */
  const showsAll = async () => {
    for (const name of names.slice(1)) await expect.poll(textOf, { timeout: 30_000, intervals: [200] }).toBe(name)
    await expect(shown).toHaveJSProperty('tagName', 'IMG', { timeout: 30_000 })
  }
  await showsAll()

  const from = Date.now()
  await own.kill()
  await showsAll()
  await player.reload()
  await expect(shown).toBeVisible()
  await showsAll()
  expect(names).toContain(plannedName(Date.now()))
  const to = Date.now()
  await own.start()

  const slots = [...listSlotsBetween(manifest, from, to)].slice(1, -1)
  const countsOf = (plays: readonly Play[]) =>
    slots.map((slot) => plays.filter(({ start }) => start >= slot.start && start < slot.start + slot.ms).length)
  await expect
    .poll(async () => countsOf(await playsOf(own)).filter((count) => count === 0), { timeout: 120_000 })
    .toEqual([])
  await player.close()
  const plays = await playsOf(own)
  expect(countsOf(plays)).toEqual(slots.map(() => 1))
  // The server stores whether it can trust the time of a play.
  expect(new Set(plays.map(({ clock }) => clock))).toEqual(new Set([1]))
  expect(plays.filter(({ result }) => result === 3)).toEqual([])

  await page.bringToFront()
  await login()
  await page.goto('/advertiseManage/statisticalAnalysis')
  await expect(page.getByRole('link', { name: new RegExp(`播放次数.*${plays.length}`) })).toBeVisible()
  await page.goto('/advertiseManage/statisticalAnalysis?view=detail')
  await expect(page.getByRole('row').filter({ hasText: '合计' })).toContainText(String(plays.length))
  await expect(page.getByRole('row').filter({ hasText: program })).toHaveCount(3)
  const admin = await api()
  const screen = await admin.call<Record<string, unknown>>('GET', `/api/v1/advertise/screen/${sn}`)
  expect(screen).toMatchObject({ playerKind: 1, width: 1440, offlineReady: 1, readyFiles: 1, totalFiles: 1 })
})
