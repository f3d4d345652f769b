import { staff } from '@oms/contract/account/staff.ts'
import { afterEach, expect, test, vi } from 'vitest'
import { createContractServer } from '#test/form-cases/contract-server.ts'
import { chooseFile, isTextShown, pressButton, waitUntil } from '#test/form-cases/page-driver.ts'
import { StaffImport } from '#modules/account/staff/staff-dialogs.tsx'
import { ok, openTab } from '../browser-harness.tsx'

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => {
  tab?.close()
  tab = undefined
})

test('the dialog with the one-time passwords also lists the refused rows and offers the file of refused rows', async () => {
  const server = createContractServer((fetch) => vi.stubGlobal('fetch', fetch))
  const close = vi.fn<() => void>()
  tab = openTab(<StaffImport onClose={close} />)
  server.on(staff.import, ({ dryRun }) =>
    ok({
      total: 3,
      created: 1,
      updated: 0,
      failed: 2,
      dryRun: dryRun === '1',
      rows: [{ row: 3, field: '手机号', msg: '手机号格式不正确' }],
      file: { id: 'f'.repeat(32), name: '用户导入失败明细.csv', size: 9 },
      passwords: dryRun === '1' ? [] : [{ account: 'wangwu', password: 'Ab3-xyz' }],
    }),
  )
  await waitUntil(() => chooseFile('选择表格文件', new File(['x'], '甲.xlsx')))
  await waitUntil(() => pressButton('校验'))
  await waitUntil(() => pressButton('导入1行'))
  await waitUntil(() => expect(isTextShown('共 3 行：已新增 1 行，2 行有问题')).toBe(true))
  expect(isTextShown('1 个新账号的一次性密码')).toBe(true)
  expect(document.body.textContent).toContain('手机号：手机号格式不正确')
  expect(isTextShown('下载失败明细')).toBe(true)
})
