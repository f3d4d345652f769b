import { devices } from '@oms/contract/device/device-info.ts'
import { staff } from '@oms/contract/account/staff.ts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createContractServer } from '#test/form-cases/contract-server.ts'
import { chooseFile, isTextShown, pressButton, waitUntil } from '#test/form-cases/page-driver.ts'
import { OneTimeSecret } from '#kit/feedback/one-time-secret.tsx'
import { TokensDialog } from '#modules/device/device-forms.tsx'
import { StaffImport } from '#modules/account/staff/staff-dialogs.tsx'
import { ok, openTab } from '../browser-harness.tsx'

let tab: ReturnType<typeof openTab> | undefined
let saved: { readonly name: string; readonly text: Promise<string> }[] = []
const close = vi.fn<() => void>()

beforeEach(() => {
  saved = []
  close.mockClear()
  let last: Blob | undefined
  vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
    last = blob as Blob
    return 'blob:saved'
  })
  const click = HTMLAnchorElement.prototype.click
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function save(this: HTMLAnchorElement) {
    if (!this.download || !last) return click.call(this)
    saved.push({ name: this.download, text: last.text() })
    return undefined
  })
})
afterEach(() => {
  tab?.close()
  tab = undefined
  vi.restoreAllMocks()
})
const escape = () =>
  document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }))
const secret = (more: { warning?: string } = {}) => (
  <OneTimeSecret
    title="设备令牌"
    owner="序列号"
    account="SN/1"
    label="设备令牌"
    secret="t0ken"
    hint="请写入设备"
    onClose={close}
    {...more}
  />
)

test('a secret that is shown once can be downloaded, and leaving its page asks for confirmation', async () => {
  tab = openTab(secret())
  await waitUntil(() => expect(tab?.hasUnsavedTabs()).toBe(true))
  await waitUntil(() => pressButton('下载'))
  expect(saved.map(({ name }) => name)).toEqual(['设备令牌-SN_1.txt'])
  expect(await saved[0]?.text).toContain('序列号：SN/1\r\n设备令牌：t0ken\r\n')
  // A browser may have blocked the download, so only the button ends the question.
  expect(tab.hasUnsavedTabs()).toBe(true)
  escape()
  document.querySelector<HTMLElement>('.ant-modal-wrap')?.click()
  expect(close).not.toHaveBeenCalled()
  pressButton('我已保存')
  expect(close).toHaveBeenCalledOnce()
})

test('a secret that can be shown again neither asks nor offers a download', async () => {
  tab = openTab(secret({ warning: '关闭后再次查看需要重新填写原因' }))
  await waitUntil(() => expect(isTextShown('t0ken')).toBe(true))
  expect(tab.hasUnsavedTabs()).toBe(false)
  expect(() => pressButton('下载')).toThrow('button 下载')
})

test('the one-time passwords of an import count as unsaved until the dialog is closed', async () => {
  const server = createContractServer((fetch) => vi.stubGlobal('fetch', fetch))
  server.on(staff.import, ({ dryRun }) =>
    ok({
      total: 1,
      created: 1,
      updated: 0,
      failed: 0,
      dryRun: dryRun === '1',
      rows: [],
      passwords: dryRun === '1' ? [] : [{ account: 'wangwu', password: 'Ab3-xyz' }],
    }),
  )
  tab = openTab(<StaffImport onClose={close} />)
  await waitUntil(() => chooseFile('选择表格文件', new File(['x'], '甲.xlsx')))
  await waitUntil(() => pressButton('校验'))
  expect(tab.hasUnsavedTabs()).toBe(false)
  await waitUntil(() => pressButton('导入1行'))
  await waitUntil(() => expect(tab?.hasUnsavedTabs()).toBe(true))
  expect(() => pressButton('完成')).toThrow('button 完成')
  pressButton('下载一次性密码')
  expect(await saved[0]?.text).toContain('账号,一次性密码\r\nwangwu,Ab3-xyz\r\n')
  await waitUntil(() => pressButton('完成'))
  expect(close).toHaveBeenCalledOnce()
})

test('a file of new device tokens is downloaded, can be downloaded again, and counts as unsaved until confirmed', async () => {
  const done = vi.fn<() => void>()
  const server = createContractServer((fetch) => vi.stubGlobal('fetch', fetch))
  server.on(devices.tokens, () => ok({ tokens: [{ sn: 'A,1', token: 'abc' }], skipped: 1 }))
  tab = openTab(<TokensDialog ids={[1, 2]} onClose={close} onDone={done} />)
  await waitUntil(() => pressButton('生成并下载'))
  await waitUntil(() => expect(isTextShown('已生成 1 个令牌并下载')).toBe(true))
  await waitUntil(() => expect(tab?.hasUnsavedTabs()).toBe(true))
  expect(close).not.toHaveBeenCalled()
  pressButton('重新下载')
  expect(saved.map(({ name }) => name)).toEqual(['设备令牌.csv', '设备令牌.csv'])
  expect(await saved[1]?.text).toContain('序列号,设备令牌\r\n"A,1",abc\r\n')
  pressButton('知道了')
  expect([close, done].map(({ mock }) => mock.calls.length)).toEqual([1, 1])
})
