import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { APIRequestContext, Locator, Page } from '@playwright/test'
import {
  type Client,
  assertSwupdateInstalled,
  startSwupdate,
  withoutSwupdate,
} from '../../apps/server/test/clients/swupdate-client.ts'
import { makeImage, makeSigner, type Signer } from '../../apps/server/test/clients/swupdate-image.ts'
import { expect, test } from '../support/fixtures.ts'
import { makePoller, type Poller, tokenOf } from '../support/fleet.ts'
import type { Api } from '../support/people.ts'
import { expectSwitched, pick } from '../support/pick.ts'

const ENGINEER = [
  ...['list', 'query', 'add', 'edit', 'enable', 'uploadComp', 'white', 'publish', 'task'].map(
    (key) => `upgrade:ota:${key}`,
  ),
  'device:apkManage:list',
  'device:apkManage:query',
]
/** Configures a client that polls every second; generous timeouts, because the machine runs other tests too. */
const SOON = { timeout: 60_000 }

test.skip(withoutSwupdate !== undefined, withoutSwupdate)
let folder = ''
let vendor: Signer
let stranger: Signer
test.beforeAll(() => {
  assertSwupdateInstalled()
  folder = mkdtempSync(join(tmpdir(), 'oms-journey-'))
  chmodSync(folder, 0o755)
  vendor = makeSigner(folder, 'vendor')
  stranger = makeSigner(folder, 'stranger')
})
test.afterAll(() => {
  if (folder) rmSync(folder, { recursive: true, force: true })
})

interface Image {
  readonly file: string
  readonly payload: Buffer
  /** Messages that SWUpdate prints during an installation. */
  readonly target: string
}

function imageOf(name: string, signer: Signer): Image {
  const payload = randomBytes(2_000_000)
  const target = join(folder, `${name}.installed`)
  const file = join(folder, `${name}.swu`)
  writeFileSync(file, makeImage(folder, { signer, version: name, payload, target }))
  return { file, payload, target }
}

const field = (page: Page, name: string) => page.getByRole('textbox', { name })
const rowOf = (page: Page, text: string) => page.getByRole('row', { name: new RegExp(text) })

/** Uploads the image as a new version, enables it, and releases it to all devices in the console. */
async function publish(page: Page, { modelName }: Poller, verName: string, { file }: Image) {
  await page.goto('/AddOta')
  await pick(page.getByRole('combobox', { name: '设备型号' }), modelName)
  await field(page, '版本号').fill('200')
  await field(page, '版本名称').fill(verName)
  await field(page, '发布日期').fill('2026-01-01 08:00:00')
  await field(page, '发布日期').press('Tab')
  await page.locator('input[type=file]').first().setInputFiles(file)
  await expect(page.getByText('组件上传成功')).toBeVisible()
  await page.getByRole('button', { name: '保存', exact: true }).click()
  await expect(page.getByText('新增成功')).toBeVisible()
  const row = rowOf(page, verName)
  await row.getByRole('switch').click()
  await page.getByRole('dialog').getByRole('button', { name: '启用' }).click()
  await expectSwitched(row.getByRole('switch'), true)
  await row.getByRole('button', { name: '发布', exact: true }).click()
  await expect(page.getByRole('heading', { name: `${verName}（200）` })).toBeVisible()
  await page.getByRole('button', { name: '发布', exact: true }).click()
  const sheet = page.getByRole('dialog', { name: new RegExp(`发布「${verName}」`) })
  await sheet.getByText('一次性按比例').click()
  await expect(sheet.getByText('现在有 1 台设备会在下次检查时收到')).toBeVisible()
  await sheet.getByRole('button', { name: '发布', exact: true }).click()
  await expect(sheet).toBeHidden()
  await expect(page.getByText('正式发布', { exact: true })).toBeVisible()
  await page.getByRole('tab', { name: '升级任务' }).click()
  await expect(page.getByText('还没有升级任务：设备下次检查时会领取')).toBeVisible()
}

/** Verifies the release manifest with openssl and the file's digest, as docs/guides/connect-http.md describes. */
async function expectSigned(request: APIRequestContext, admin: Api, { sn }: Poller, image: Buffer) {
  const headers = { authorization: `Bearer ${tokenOf(sn)}` }
  const told = await (await request.post('/device/v1/check', { headers, data: { sn, verCode: 100 } })).json()
  const { keys } = await admin.call<{ keys: { pem: string }[] }>('GET', '/api/v1/device/ota/signing/keys')
  const place = (name: string) => join(folder, `${sn}-${name}`)
  for (const name of ['manifest.json', 'manifest.sig'])
    writeFileSync(
      place(name),
      await (await request.get(told.manifest.url.replace('manifest.json', name), { headers })).body(),
    )
  writeFileSync(place('vendor.pub'), keys[0]?.pem ?? '')
  const [text, signature, key] = [place('manifest.json'), place('manifest.sig'), place('vendor.pub')]
  const check = ['pkeyutl', '-verify', '-pubin', '-inkey', key, '-rawin', '-in', text, '-sigfile', signature]
  expect(execFileSync('openssl', check, { encoding: 'utf8' })).toContain('Verified Successfully')
  const { components } = JSON.parse(readFileSync(text, 'utf8')) as { components: { sha256: string }[] }
  expect(components.map(({ sha256 }) => sha256)).toEqual([createHash('sha256').update(image).digest('hex')])
}

/** Waits for a text in the row; on failure the error contains the client's last output. */
async function reaches(row: Locator, words: string | RegExp, { lines }: Client) {
  try {
    await expect(row).toContainText(words, SOON)
  } catch (error) {
    throw new Error(`${String(error)}\n${lines.slice(-60).join('\n')}`)
  }
}

test("OTA-13 Debian's swupdate installs a signed image published from the console, and the console shows the success", async ({
  page,
  context,
  request,
  baseURL,
  login,
  staff,
  api,
  accessible,
}) => {
  const device = await makePoller()
  const verName = `秋季版 ${device.modelName}`
  const image = imageOf('autumn', vendor)
  await login(await staff(ENGINEER, '发布工程师'))
  await publish(page, device, verName, image)
  const beside = await context.newPage()
  await beside.goto(`/device/apkManage/detail/${device.deviceId}`)
  await beside.getByRole('tab', { name: '升级任务' }).click()
  await expect(beside.getByText('还没有升级任务')).toBeVisible()
  await expectSigned(request, await api(), device, readFileSync(image.file))
  // From here on neither page is touched: the updates must arrive by events.
  const identity = { sn: device.sn, token: tokenOf(device.sn), url: baseURL ?? '', certificate: vendor.certificate }
  const before = startSwupdate(folder, identity)
  try {
    const task = rowOf(page, device.sn)
    await reaches(task, '安装中', before)
    await expect(task).toContainText('100 → 200')
    await expect(rowOf(beside, verName)).toContainText('安装中', SOON)
    await expect
      .poll(() => existsSync(image.target) && readFileSync(image.target).equals(image.payload), SOON)
      .toBe(true)
    await expect.poll(() => before.lines.some((line) => /SWUPDATE successful/i.test(line)), SOON).toBe(true)
  } finally {
    await before.stop()
  }

  // The device boots the installed image; SWUpdate reports the success at its start.
  const after = startSwupdate(folder, identity, ['-c', '2'])
  try {
    const figures = page.getByRole('list', { name: '按状态筛选任务' })
    await expect(figures.getByRole('button', { name: '升级成功 1' })).toBeVisible(SOON)
    await expect(page.getByText('共 1 个任务，成功率 100.00%，已安装该版本的设备 1 台')).toBeVisible()
    const task = rowOf(page, device.sn)
    await expect(task).toContainText('升级成功')
    await expect(task.getByRole('progressbar', { name: '进度' })).toHaveAttribute('aria-valuenow', '100')
    await expect(task).toContainText(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/)
    await expect(rowOf(beside, verName)).toContainText('升级成功', SOON)
    await beside.getByRole('tab', { name: '版本历史' }).click()
    await expect(beside.getByRole('tabpanel', { name: '版本历史' })).toContainText('200')
    await expect(beside.getByRole('tabpanel', { name: '版本历史' })).toContainText('升级任务')
    await task.getByRole('button', { name: '详情' }).click()
    const details = page.getByRole('dialog', { name: new RegExp(`${device.sn} → 200`) })
    await expect(details.getByText('设备上报记录')).toBeVisible()
    await expect(details).toContainText('Update Installed')
    await accessible()
  } finally {
    await after.stop()
  }
})

/**
 * Either message is accepted. SWUpdate keeps its log in a ring buffer, and on a busy device the report lacks the first
 * message.
 */
const REFUSED = /Authentication of all signatures failed|Compatible SW not found/

test('a device refuses an image that is signed with another key, and the console shows the reason', async ({
  page,
  baseURL,
  login,
  staff,
  accessible,
}) => {
  const device = await makePoller()
  const verName = `冒名版 ${device.modelName}`
  const image = imageOf('forged', stranger)
  await login(await staff(ENGINEER, '发布工程师'))
  await publish(page, device, verName, image)
  const identity = { sn: device.sn, token: tokenOf(device.sn), url: baseURL ?? '', certificate: vendor.certificate }
  const client = startSwupdate(folder, identity)
  try {
    const task = rowOf(page, device.sn)
    await reaches(task, '升级失败', client)
    await reaches(task, REFUSED, client)
    await page.getByRole('tab', { name: '失败原因（1）' }).click()
    const reason = rowOf(page, REFUSED.source)
    await expect(reason).toContainText(device.sn)
    await accessible()
    expect(existsSync(image.target)).toBe(false)
  } finally {
    await client.stop()
  }
})
