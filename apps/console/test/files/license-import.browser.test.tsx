import { licenseCerts } from '@oms/contract/license/license.ts'
import { expect, test } from 'vitest'
import { chooseFile, pressButton, waitUntil } from '#test/form-cases/page-driver.ts'
import { AllotFile } from '#modules/license/allot-file.tsx'
import { LicenseImport } from '#modules/license/license-import.tsx'
import { ok, refusal } from '../browser-harness.tsx'
import { useContractPage } from '../contract-page.tsx'

const start = useContractPage()
const noop = () => {}
const table = () => new File(['x'], '甲.xlsx')
const report = { total: 3, created: 2, updated: 2, failed: 1, rows: [{ row: 3, msg: 'UID已存在' }], dryRun: true }

test.each([
  { page: <LicenseImport onClose={noop} />, to: licenseCerts.import, input: '选择表格文件', check: '校验全部' },
  {
    page: <AllotFile tenantId={1} onMissing={noop} onClose={noop} />,
    to: licenseCerts.allotFile,
    input: '选择 UID 文件',
    check: '核对',
  },
])('$check: the report has a gap to the file button above', async ({ page, to, input, check }) => {
  const server = start(page)
  server.on(to, () => ok(report))
  await waitUntil(() => chooseFile(input, table()))
  await waitUntil(() => pressButton(check))
  await waitUntil(() => expect(document.querySelector('.ant-alert')).not.toBeNull())
  const bottom = document.querySelector('.kit-row')!.getBoundingClientRect().bottom
  expect(document.querySelector('.ant-alert')!.getBoundingClientRect().top - bottom).toBeGreaterThanOrEqual(8)
})

test('a file without rows shows an error and no empty preview', async () => {
  const server = start(<LicenseImport onClose={noop} />)
  server.on(licenseCerts.preview, () => ok({ rows: [] }))
  server.on(licenseCerts.import, () => refusal(400, '表格中没有数据', { field: 'file' }))
  await waitUntil(() => chooseFile('选择表格文件', table()))
  await waitUntil(() => pressButton('校验全部'))
  await waitUntil(() => expect(document.body.textContent).toContain('表格中没有数据'))
  expect(document.querySelector('table[aria-label="文件预览"]')).toBeNull()
})
