import { devices } from '@oms/contract/device/device-info.ts'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { buildRecordSample, buildSample } from '#test/form-cases/contract-server.ts'
import DeviceDetailPage from '#modules/device/device-detail.page.tsx'
import { DeviceEditForm } from '#modules/device/device-forms.tsx'
import { VideoCalendar } from '#modules/storage/entitlements/device-storage.tsx'
import { storageDeviceVideos } from '@oms/contract/storage/device-video.ts'
import { ok, refusal } from './browser-harness.tsx'
import { useContractPage } from './contract-page.tsx'

const start = useContractPage()
const DEVICE = {
  ...(buildSample(devices.get.result) as object),
  id: 1,
  sn: 'CAM1',
  imei: '',
  osVer: '',
  appVer: '',
  hwVer: '',
  region: '',
  warrantyEnd: null,
  tags: [],
  remark: '',
}

test('the device page hides fields without a value, so its tabs are visible at 1280×720 without scrolling', async () => {
  await page.viewport(1080, 600)
  const server = start(<DeviceDetailPage />)
  server.on(devices.get, () => ok(DEVICE))
  await expect.element(page.getByText('CAM1').first()).toBeVisible()
  for (const title of ['IMEI', '备注', '标签']) expect(page.getByText(title, { exact: true }).elements()).toEqual([])
  expect(page.getByRole('tablist').element().getBoundingClientRect().top).toBeLessThan(420)
  await page.getByRole('button', { name: /显示 \d+ 个空字段/ }).click()
  await expect.element(page.getByText('IMEI', { exact: true })).toBeVisible()
})

test('the device page says how many versions are newer, and opens with the versions when no attributes are known', async () => {
  const server = start(<DeviceDetailPage />)
  server.on(devices.get, () => ok({ ...DEVICE, versionsBehind: 3 }))
  server.on(devices.attributes, () => ok({ updateTime: null, wanted: false, list: [] }))
  await expect.element(page.getByText('版本落后 3 个版本')).toBeVisible()
  await expect.element(page.getByRole('tab', { name: '版本历史' })).toHaveAttribute('aria-selected', 'true')
})

test('an error in a folded field of the device form opens the section and focuses the field', async () => {
  const stored = {
    ...(buildRecordSample(devices.get.result, devices.update) as object),
    id: 1,
    sn: 'CAM1',
    mac: '',
    imei: '',
    hwVer: '',
    verCode: null,
    tags: [],
    warrantyEnd: null,
    remark: '',
  }
  const server = start(<DeviceEditForm row={stored as never} onClose={() => {}} />)
  server.on(devices.get, () => ok(stored))
  server.on(devices.update, () => refusal(400, 'IMEI已存在', { field: 'imei' }))
  await expect.element(page.getByText('更多信息')).toBeVisible()
  await expect.element(page.getByLabelText('IMEI')).not.toBeVisible()
  await page.getByRole('button', { name: '保存' }).click()
  await expect.element(page.getByText('IMEI已存在').first()).toBeVisible()
  await expect.element(page.getByLabelText('IMEI')).toHaveFocus()
})

test('choosing a tab in the lower half of the window moves the tabs to the top', async () => {
  await page.viewport(1080, 600)
  const server = start(
    <div style={{ minHeight: 2000, paddingTop: 400 }}>
      <DeviceDetailPage />
    </div>,
  )
  server.on(devices.get, () => ok(DEVICE))
  const tab = page.getByRole('tab', { name: '软件包' })
  await expect.element(tab).toBeInTheDocument()
  // `click()` of the locator would scroll the tab into view first, so the DOM method is called.
  ;(tab.element() as HTMLElement).click()
  await expect.poll(() => page.getByRole('tablist').element().getBoundingClientRect().top).toBeLessThan(100)
})

test('a day of the calendar shows its whole amount on a phone', async () => {
  await page.viewport(390, 844)
  const server = start(<VideoCalendar sn="CAM1" channel={0} today="2030-01-31" />)
  const day = { day: '2030-01-01', segments: 1, seconds: 60, events: 0, bytes: 419_850_000, hasVideo: true }
  server.on(storageDeviceVideos.usage, () => ok({ month: '2030-01', days: [day] }))
  const amount = page.getByText('400.4 MB', { exact: true })
  await expect.element(amount).toBeVisible()
  const { scrollWidth, clientWidth, scrollHeight, clientHeight } = amount.element()
  expect([scrollWidth - clientWidth, scrollHeight - clientHeight]).toEqual([0, 0])
  expect(getComputedStyle(amount.element()).whiteSpace).toBe('normal')
})
