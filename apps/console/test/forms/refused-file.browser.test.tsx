import { files } from '@oms/contract/system/file.ts'
import { licenseCerts } from '@oms/contract/license/license.ts'
import { staff } from '@oms/contract/account/staff.ts'
import { afterEach, expect, test, vi } from 'vitest'
import { MaterialsField } from '#modules/advertise/materials/materials-field.tsx'
import { ImportModal } from '#kit/jobs/import-modal.tsx'
import { AllotFile } from '#modules/license/allot-file.tsx'
import { LicenseImport } from '#modules/license/license-import.tsx'
import { openTab, refusal } from '#test/browser-harness.tsx'
import { createContractServer } from '#test/form-cases/contract-server.ts'
import { chooseFile, pressButton, waitUntil } from '#test/form-cases/page-driver.ts'

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => {
  tab?.close()
  tab = undefined
})

const noop = () => {}
const list = <ImportModal title="导入" to={staff.import} template={staff.template} onClose={noop} />
const allotment = <AllotFile tenantId={1} onMissing={noop} onClose={noop} />

const problems = () => [...document.querySelectorAll('.kit-problem li')].map(({ textContent }) => textContent)

const PLACES = [
  { page: list, to: staff.import, input: '选择表格文件', check: '校验' },
  { page: <LicenseImport onClose={noop} />, to: licenseCerts.import, input: '选择表格文件', check: '校验全部' },
  { page: allotment, to: licenseCerts.allotFile, input: '选择 UID 文件', check: '核对' },
]

test.each(PLACES)(
  '$check: when a second file is refused, the form keeps the first file and shows a message about it',
  async ({ page, to, input, check }) => {
    const server = createContractServer((fetch) => vi.stubGlobal('fetch', fetch))
    tab = openTab(page)
    await waitUntil(() => chooseFile(input, new File(['x'], '甲.xlsx')))
    await waitUntil(() => expect(document.body.textContent).toContain('甲.xlsx'))
    chooseFile(input, new File([], '乙.csv'))
    await waitUntil(() => expect(problems()).toEqual([expect.stringContaining('已保留之前选择的「甲.xlsx」')]))
    await waitUntil(() => pressButton(check))
    await waitUntil(() => expect(server.inputsOf(to).map(({ file }) => (file as File).name)).toEqual(['甲.xlsx']))
  },
)

test.each(PLACES)(
  '$check: the file field shows why a table was refused until another file is chosen',
  async (place) => {
    const { page, to, input, check } = place
    const server = createContractServer((fetch) => vi.stubGlobal('fetch', fetch))
    server.on(to, () => refusal(400, '表头不正确'))
    tab = openTab(page)
    await waitUntil(() => chooseFile(input, new File(['x'], '甲.xlsx')))
    await waitUntil(() => pressButton(check))
    await waitUntil(() => expect(problems()).toEqual(['表头不正确']))
    chooseFile(input, new File(['x'], '乙.xlsx'))
    await waitUntil(() => expect(problems()).toEqual([]))
  },
)

test('the materials field names each refused file until other files are chosen', async () => {
  const server = createContractServer((fetch) => vi.stubGlobal('fetch', fetch))
  server.on(files.begin, () => refusal(400, '文件内容与格式不符'))
  tab = openTab(<MaterialsField purpose="adImage" known={[]} />)
  await waitUntil(() => chooseFile('选择素材', new File(['x'], '价目表.pdf')))
  await waitUntil(() => expect(problems()).toEqual([expect.stringContaining('「价目表.pdf」文件格式不正确')]))
  chooseFile('选择素材', new File(['text'], '海报.png'))
  await waitUntil(() => expect(problems()).toEqual(['「海报.png」文件内容与格式不符']))
})
