import { dictData } from '@oms/contract/dict/dict.ts'
import { licenseCerts } from '@oms/contract/license/license.ts'
import { afterEach, expect, test, vi } from 'vitest'
import { ImportModal } from '#kit/jobs/import-modal.tsx'
import { AllotFile } from '#modules/license/allot-file.tsx'
import { LicenseImport } from '#modules/license/license-import.tsx'
import { openTab } from '#app/browser-tests/browser-harness.tsx'
import { createContractServer } from '#app/form-cases/contract-server.ts'
import { chooseFile, pressButton, waitUntil } from '#app/form-cases/page-driver.ts'

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => {
  tab?.close()
  tab = undefined
})

const noop = () => {}
const list = <ImportModal title="导入" to={dictData.import} template={dictData.template} onClose={noop} />
const allotment = <AllotFile tenantId={1} onMissing={noop} onClose={noop} />

test.each([
  { page: list, to: dictData.import, input: '选择表格文件', check: '校验' },
  { page: <LicenseImport onClose={noop} />, to: licenseCerts.import, input: '选择表格文件', check: '校验全部' },
  { page: allotment, to: licenseCerts.allotFile, input: '选择 UID 文件', check: '核对' },
])('$check: a refused second file leaves the first file and says so', async ({ page, to, input, check }) => {
  const server = createContractServer((fetch) => vi.stubGlobal('fetch', fetch))
  tab = openTab(page)
  await waitUntil(() => chooseFile(input, new File(['x'], '甲.xlsx')))
  await waitUntil(() => expect(document.body.textContent).toContain('甲.xlsx'))
  chooseFile(input, new File([], '乙.csv'))
  await waitUntil(() => expect(document.body.textContent).toContain('已保留之前选择的「甲.xlsx」'))
  await waitUntil(() => pressButton(check))
  await waitUntil(() => expect(server.inputsOf(to).map(({ file }) => (file as File).name)).toEqual(['甲.xlsx']))
})
