import { files } from '@oms/contract/file/file.ts'
import { agentOrders } from '@oms/contract/agent/orders/order.ts'
import { licenseCerts } from '@oms/contract/license/license.ts'
import { staff } from '@oms/contract/staff/staff.ts'
import { Form } from 'antd'
import { afterEach, expect, test, vi } from 'vitest'
import { page as browserPage } from 'vitest/browser'
import { MaterialsField } from '#modules/advertise/materials/materials-field.tsx'
import { ImportModal } from '#kit/jobs/import-modal.tsx'
import { SerialsField } from '#modules/agent/orders/order-serials.tsx'
import { AllotFile } from '#modules/license/allot-file.tsx'
import { LicenseImport } from '#modules/license/license-import.tsx'
import { ok, openTab, refusal } from '#app/browser-tests/browser-harness.tsx'
import { createContractServer } from '#app/form-cases/contract-server.ts'
import { chooseFile, pressButton, waitUntil } from '#app/form-cases/page-driver.ts'

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => {
  tab?.close()
  tab = undefined
})

const noop = () => {}
const list = <ImportModal title="导入" to={staff.import} template={staff.template} onClose={noop} />
const allotment = <AllotFile tenantId={1} onMissing={noop} onClose={noop} />

const problems = () => [...document.querySelectorAll('.kit-file-problems li')].map(({ textContent }) => textContent)

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

test('the serial-number field names all accepted formats when it refuses a file, and accepts a text file', async () => {
  const server = createContractServer((fetch) => vi.stubGlobal('fetch', fetch))
  tab = openTab(
    <Form>
      <SerialsField tenantId={undefined} />
    </Form>,
  )
  const input = '选择序列号文件'
  await waitUntil(() => chooseFile(input, new File(['x'], '序列号.pdf')))
  await waitUntil(() => expect(problems()).toEqual([expect.stringContaining('xlsx/csv/txt')]))
  expect(document.body.textContent).toContain('支持 xlsx、csv、txt')
  chooseFile(input, new File(['SN001'], '序列号.txt'))
  const sent = () => server.inputsOf(agentOrders.targetFile).map(({ file }) => (file as File).name)
  await waitUntil(() => expect(sent()).toEqual(['序列号.txt.csv']))
})

test('the report of a file of serial numbers disappears when the field is changed by hand', async () => {
  const server = createContractServer((fetch) => vi.stubGlobal('fetch', fetch))
  server.on(agentOrders.targetFile, () =>
    ok({ total: 2, serials: ['SN001'], rows: [{ row: 2, msg: '「NOPE」设备不存在或未绑定智能体' }] }),
  )
  tab = openTab(
    <Form>
      <Form.Item name="serials">
        <SerialsField tenantId={undefined} />
      </Form.Item>
    </Form>,
  )
  await waitUntil(() => chooseFile('选择序列号文件', new File(['SN001\nNOPE'], '序列号.csv')))
  await waitUntil(() => expect(document.body.textContent).toContain('文件共 2 行：读入 1 行，1 行有问题'))
  const field = browserPage.getByRole('textbox')
  await expect.element(field).toHaveValue('SN001')
  await field.fill('SN001\nSN002')
  await waitUntil(() => expect(document.body.textContent).not.toContain('文件共 2 行'))
})
