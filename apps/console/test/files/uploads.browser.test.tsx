import { files } from '@oms/contract/system/file.ts'
import { licenseCerts } from '@oms/contract/license/license.ts'
import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import { formatCountError, UPLOAD } from '@oms/contract/core/upload.ts'
import { staff } from '@oms/contract/account/staff.ts'
import { type ReactNode, useState } from 'react'
import { describe, expect, test } from 'vitest'
import { page as browserPage } from 'vitest/browser'
import { ImportModal } from '#kit/jobs/import-modal.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { FileUpload } from '#kit/upload/file-upload.tsx'
import { ImageUpload } from '#kit/upload/image-upload.tsx'
import { AllotFile } from '#modules/license/allot-file.tsx'
import { LicenseImport } from '#modules/license/license-import.tsx'
import { held, ok, pause, refusal } from '../browser-harness.tsx'
import { useContractPage } from '../contract-page.tsx'
import { buildSample } from '#test/form-cases/contract-server.ts'
import { chooseFile, enterText, pressButton, waitUntil } from '#test/form-cases/page-driver.ts'

const start = useContractPage()

const table = (name: string) => new File(['x'], `${name}.xlsx`)
const report = (count: number, dryRun: boolean) =>
  ok({ total: count, created: count, updated: count, failed: 0, rows: [], dryRun })
const noop = () => {}
const isBusy = () => expect(document.querySelector('.ant-btn-loading')).not.toBeNull()

interface Place {
  readonly name: string
  readonly to: Endpoint
  readonly page: ReactNode
  readonly input: string
  readonly check: string
  readonly take: (count: number) => string
}
const PLACES: readonly Place[] = [
  {
    name: 'the import dialog of a list',
    to: staff.import,
    page: <ImportModal title="导入" to={staff.import} template={staff.template} onClose={noop} />,
    input: '选择表格文件',
    check: '校验',
    // The dialog adds created and updated rows.
    take: (count) => `导入${count * 2}行`,
  },
  {
    name: 'the import of certificates',
    to: licenseCerts.import,
    page: <LicenseImport onClose={noop} />,
    input: '选择表格文件',
    check: '校验全部',
    take: (count) => `导入${count}个`,
  },
  {
    name: 'the allotment by file',
    to: licenseCerts.allotFile,
    page: <AllotFile tenantId={1} onMissing={noop} onClose={noop} />,
    input: '选择 UID 文件',
    check: '核对',
    take: (count) => `确认分配${count}个`,
  },
]

describe('a file chosen while another file is validated', () => {
  test.each(PLACES)(
    '$name imports the new file only after a dry run of the new file',
    async ({ to, page, input, check, take }) => {
      const server = start(page)
      const first = held()
      server.on(to, first.respond)
      await waitUntil(() => chooseFile(input, table('甲')))
      await waitUntil(() => pressButton(check))
      await waitUntil(() => expect(server.inputsOf(to)).toHaveLength(1))
      chooseFile(input, table('乙'))
      await waitUntil(() => expect(document.body.textContent).toContain('乙.xlsx'))
      first.answer(report(5, true))
      await pause(50)
      expect(() => pressButton(take(5))).toThrow(take(5))

      server.on(to, ({ dryRun }) => report(2, dryRun === '1'))
      await waitUntil(() => pressButton(check))
      await waitUntil(() => pressButton(take(2)))
      await waitUntil(() => pressButton('完成'))
      const sent = server.inputsOf(to).map(({ file, dryRun }) => [(file as File).name, dryRun])
      expect(sent).toEqual([
        ['甲.xlsx', '1'],
        ['乙.xlsx', '1'],
        ['乙.xlsx', '0'],
      ])
    },
  )

  test.each(PLACES)('$name ignores the new file while the import runs', async ({ to, page, input, check, take }) => {
    const server = start(page)
    server.on(to, () => report(3, true))
    await waitUntil(() => chooseFile(input, table('甲')))
    await waitUntil(() => pressButton(check))
    await waitUntil(() => expect(server.inputsOf(to)).toHaveLength(1))
    const taken = held()
    server.on(to, taken.respond)
    await waitUntil(() => pressButton(take(3)))
    await waitUntil(() => expect(server.inputsOf(to)).toHaveLength(2))
    await waitUntil(isBusy)
    chooseFile(input, table('乙'))
    taken.answer(report(3, false))
    await waitUntil(() => pressButton('完成'))
    expect(document.body.textContent).toContain('已新增 3 行')
  })
})

test.each(PLACES)(
  '$name: the failed dry run of a replaced file does not end the dry run of the new file',
  async (place) => {
    const { name, to, page, input, check } = place
    const server = start(page)
    const [first, second] = [held(), held()]
    server.on(to, first.respond)
    await waitUntil(() => chooseFile(input, table('甲')))
    await waitUntil(() => pressButton(check))
    await waitUntil(() => expect(server.inputsOf(to)).toHaveLength(1))
    chooseFile(input, table('乙'))
    server.on(to, second.respond)
    await waitUntil(() => pressButton(check))
    await waitUntil(() => expect(server.inputsOf(to)).toHaveLength(2))
    await waitUntil(isBusy)
    first.answer(refusal(400, `${name}无法读取`))
    await pause(50)
    expect(document.body.textContent).not.toContain(`${name}无法读取`)
    isBusy()
    second.answer(report(2, true))
    await waitUntil(() => pressButton(place.take(2)))
  },
)

test('a late preview of a replaced certificate file is not shown', async () => {
  const server = start(<LicenseImport onClose={noop} />)
  const rows = (uid: string) => {
    const { rows: _none, ...rest } = buildSample(licenseCerts.preview.result) as { rows: unknown[] }
    const row = { row: 1, uid, hasKey: true, typeCode: 'P2P', modelCode: '', expireTime: '', problem: '' }
    return ok({ ...rest, rows: [row] })
  }
  const first = held()
  server.on(licenseCerts.preview, first.respond)
  await waitUntil(() => chooseFile('选择表格文件', table('甲')))
  await waitUntil(() => expect(server.inputsOf(licenseCerts.preview)).toHaveLength(1))
  server.on(licenseCerts.preview, () => rows('UID-OF-B'))
  chooseFile('选择表格文件', table('乙'))
  await waitUntil(() => expect(document.body.textContent).toContain('UID-OF-B'))
  first.answer(rows('UID-OF-A'))
  await pause(50)
  expect(document.body.textContent).toContain('UID-OF-B')
})

test('after a failed import, a changed field gives the next import a new idempotency key', async () => {
  const server = start(<LicenseImport onClose={noop} />)
  await waitUntil(() => chooseFile('选择表格文件', table('甲')))
  const taken = held()
  server.on(licenseCerts.import, taken.respond)
  await waitUntil(() => pressButton('导入'))
  await waitUntil(() => expect(server.inputsOf(licenseCerts.import)).toHaveLength(1))
  await waitUntil(isBusy)
  await enterText(document.querySelector('#orderNo'), 'D1')
  taken.answer(refusal(400, '订单号已存在'))
  await waitUntil(() => expect(document.body.textContent).toContain('订单号已存在'))
  await waitUntil(() => pressButton('导入'))
  await waitUntil(() => expect(server.inputsOf(licenseCerts.import)).toHaveLength(2))
  const [before, after] = server.keysOf(licenseCerts.import)
  expect([before, after]).not.toContain(null)
  expect(after).not.toBe(before)
})

test('changing a field during an import of certificates does not discard the report', async () => {
  const server = start(<LicenseImport onClose={noop} />)
  await waitUntil(() => chooseFile('选择表格文件', table('甲')))
  const taken = held()
  server.on(licenseCerts.import, taken.respond)
  await waitUntil(() => pressButton('导入'))
  await waitUntil(() => expect(server.inputsOf(licenseCerts.import)).toHaveLength(1))
  await waitUntil(isBusy)
  await enterText(document.querySelector('#orderNo'), 'D1')
  taken.answer(report(3, false))
  await waitUntil(() => pressButton('完成'))
  expect(document.body.textContent).toContain('已新增 3 行')
})

/** A field with uploaded files, and its value. */
function Field({ of: Upload }: { of: typeof FileUpload | typeof ImageUpload }) {
  const [value, setValue] = useState('')
  return (
    <>
      <Upload value={value} onChange={setValue} />
      <output>{value}</output>
    </>
  )
}

test.each([
  ['documents', FileUpload, '选择文件', '.pdf'],
  ['pictures', ImageUpload, '选择图片', '.png'],
] as const)('when two chosen %s upload at the same time, the field keeps both', async (_, upload, label, ending) => {
  const server = start(<Field of={upload} />)
  const answers = [held(), held()]
  for (const [at, { respond }] of answers.entries()) {
    server.on(files.upload, respond)
    await waitUntil(() => chooseFile(label, new File(['x'], `${at}${ending}`)))
    await waitUntil(() => expect(server.inputsOf(files.upload)).toHaveLength(at + 1))
  }
  const stored = (id: string) => ok({ ...(buildSample(files.upload.result) as object), url: `/api/v1/file/${id}` })
  answers[1]?.answer(stored('b'))
  answers[0]?.answer(stored('a'))
  const value = () => document.querySelector('output')?.textContent
  await waitUntil(() => expect(value()?.split(',').toSorted()).toEqual(['/api/v1/file/a', '/api/v1/file/b']))
})

test('files that are being uploaded count towards the maximum number of files of a field', async () => {
  const server = start(<Field of={ImageUpload} />)
  const stored = held()
  server.on(files.upload, stored.respond)
  const { maxCount } = UPLOAD.image
  for (let count = 1; count <= maxCount; count++) {
    await waitUntil(() => chooseFile('选择图片', new File(['x'], `${count}.png`)))
    await waitUntil(() => expect(server.inputsOf(files.upload)).toHaveLength(count))
  }
  chooseFile('选择图片', new File(['x'], 'more.png'))
  await waitUntil(() => expect(document.body.textContent).toContain(formatCountError(UPLOAD.image)))
  expect(server.inputsOf(files.upload)).toHaveLength(maxCount)
})

interface Row {
  readonly id: number
}
const LIST = {
  total: 2,
  isEstimate: false,
  pageNum: 1,
  pageSize: 20,
  sort: undefined,
  pending: false,
  fetching: false,
  turning: false,
  refusal: null,
  filtered: false,
  onSort: noop,
  onClear: noop,
  onRefresh: noop,
}

/** A list whose first row is deleted, or that turns to another page. */
function ListPage() {
  const [{ rows, query }, show] = useState<{ rows: readonly Row[]; query: string }>({
    rows: [{ id: 1 }, { id: 2 }],
    query: '1',
  })
  return (
    <>
      <DataTable<Row>
        {...LIST}
        rows={rows}
        query={query}
        rowKey="id"
        columns={[{ key: 'id', title: '编号', width: 90, render: ({ id }) => id }]}
        empty={{ text: '没有数据' }}
        batch={({ rows: picked }) => <output>勾选：{picked.map(({ id }) => id).join('、')}</output>}
      />
      <button type="button" onClick={() => show({ rows: [{ id: 2 }], query: '1' })}>
        删除
      </button>
      <button type="button" onClick={() => show({ rows: [{ id: 3 }], query: '2' })}>
        翻页
      </button>
    </>
  )
}
const tick = (id: number) => document.querySelector<HTMLElement>(`input[aria-label="选择 ${id}"]`)?.click()
const ticked = () => document.querySelector('output')?.textContent

test('a deleted row is no longer selected, and a row of another page stays selected', async () => {
  // A phone shows cards.
  await browserPage.viewport(1440, 900)
  start(<ListPage />)
  await waitUntil(() => expect(document.querySelector('input[aria-label="选择 1"]')).not.toBeNull())
  tick(1)
  await waitUntil(() => expect(ticked()).toBe('勾选：1'))
  tick(2)
  await waitUntil(() => expect(ticked()).toBe('勾选：1、2'))
  pressButton('删除')
  await waitUntil(() => expect(ticked()).toBe('勾选：2'))
  pressButton('翻页')
  await waitUntil(() => expect(document.querySelector('input[aria-label="选择 3"]')).not.toBeNull())
  expect(ticked()).toBe('勾选：2')
})
