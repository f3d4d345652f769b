import { appAccount } from '@oms/contract/storage/app-account.ts'
import type { ImportReport } from '@oms/contract/core/transfer.ts'
import { licenseCerts } from '@oms/contract/license/license.ts'
import { jobs } from '@oms/contract/system/job.ts'
import { type ReactNode, useState } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { JobItem } from '#app/jobs/job-item.tsx'
import { createContractServer } from '#test/form-cases/contract-server.ts'
import { chooseFile, pressButton, waitUntil } from '#test/form-cases/page-driver.ts'
import { emitEvent } from '#core/events/events.ts'
import { ImportModal } from '#kit/jobs/import-modal.tsx'
import { AllotFile } from '#modules/license/allot-file.tsx'
import { LicenseImport } from '#modules/license/license-import.tsx'
import { GrantFileAudit } from '#modules/storage/entitlements/grant-file.tsx'
import { ok, openTab } from '../browser-harness.tsx'

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => {
  tab?.close()
  tab = undefined
})

const CHECK = 41
const IMPORT = 42
const report = (dryRun: boolean): ImportReport => ({
  total: 2099,
  created: 2097,
  updated: 2097,
  failed: 2,
  rows: [],
  dryRun,
})
const jobRow = (over: object) => ({
  jobId: CHECK,
  title: '校验导入文件：App账号',
  state: 'done' as const,
  percent: 100,
  error: '',
  rows: 2099,
  file: { id: 'f'.repeat(32), name: '失败明细.csv', size: 9, expired: false },
  report: report(true),
  answer: null,
  createTime: '2026-01-01 00:00:00',
  finishTime: '2026-01-01 00:00:01',
  ...over,
})
const runningRow = () => jobRow({ state: 'running', percent: 40, file: null, report: null, finishTime: null })

const noop = () => {}
const table = () => new File(['x'], '甲.xlsx')
const text = () => document.body.textContent

/** Serves a dry run that is a job, and returns how to end it. */
function start(page: ReactNode) {
  const server = createContractServer((fetch) => vi.stubGlobal('fetch', fetch))
  let row: object = runningRow()
  server.on(jobs.get, ({ id }) => ok(Number(id) === CHECK ? row : { ...runningRow(), jobId: IMPORT }))
  server.on(jobs.cancel, () => ok(null))
  tab = openTab(page)
  const end = (ended: object) => {
    row = ended
    emitEvent('job', { jobId: CHECK, state: 'done', percent: 100 })
  }
  return { server, end }
}

const dialog = (onClose: () => void) => (
  <ImportModal title="导入" to={appAccount.import} template={appAccount.template} onClose={onClose} />
)
const PLACES = [
  { to: appAccount.import, page: dialog, input: '选择表格文件', check: '校验', take: '导入4194行' },
  {
    to: licenseCerts.import,
    page: (onClose: () => void) => <LicenseImport onClose={onClose} />,
    input: '选择表格文件',
    check: '校验全部',
    take: '导入2097个',
  },
  {
    to: licenseCerts.allotFile,
    page: (onClose: () => void) => <AllotFile tenantId={1} onMissing={noop} onClose={onClose} />,
    input: '选择 UID 文件',
    check: '核对',
    take: '确认分配2097个',
  },
]

test.each(PLACES)(
  '$check: the dialog shows the report of a dry run in a background job and imports the checked file as another job',
  async (place) => {
    const close = vi.fn<() => void>()
    const { server, end } = start(place.page(close))
    server.on(place.to, () => ok({ jobId: CHECK }))
    await waitUntil(() => chooseFile(place.input, table()))
    await waitUntil(() => pressButton(place.check))
    await waitUntil(() => expect(text()).toContain('正在后台校验，尚未导入'))
    expect(close).not.toHaveBeenCalled()
    end(jobRow({}))
    await waitUntil(() => expect(text()).toContain('共 2099 行：将新增 2097 行'))
    expect(text()).toContain('下载失败明细')
    server.on(place.to, () => ok({ jobId: IMPORT }))
    await waitUntil(() => pressButton(place.take))
    await waitUntil(() => expect(close).toHaveBeenCalledOnce())
    expect(server.inputsOf(place.to)).toMatchObject([{ dryRun: '1' }, { dryRun: '0' }])
  },
)

test('the file field shows why a dry run failed, and choosing another file cancels a running dry run', async () => {
  const { server, end } = start(dialog(noop))
  server.on(appAccount.import, () => ok({ jobId: CHECK }))
  await waitUntil(() => chooseFile('选择表格文件', table()))
  await waitUntil(() => pressButton('校验'))
  await waitUntil(() => expect(text()).toContain('正在后台校验'))
  end(jobRow({ state: 'failed', report: null, file: null, error: '客户已停用' }))
  await waitUntil(() => expect(text()).toContain('客户已停用'))
  end(runningRow())
  await waitUntil(() => pressButton('校验'))
  await waitUntil(() => expect(text()).toContain('正在后台校验'))
  chooseFile('选择表格文件', new File(['x'], '乙.xlsx'))
  await waitUntil(() => expect(server.inputsOf(jobs.cancel)).toMatchObject([{ id: String(CHECK) }]))
  expect(text()).not.toContain('正在后台校验')
})

/** A dialog that closes as its page closes it. */
function Closing() {
  const [isOpen, setOpen] = useState(true)
  return isOpen && dialog(() => setOpen(false))
}

test('when the dialog is closed during a dry run, a notification reports the result', async () => {
  const { server, end } = start(<Closing />)
  server.on(appAccount.import, () => ok({ jobId: CHECK }))
  await waitUntil(() => chooseFile('选择表格文件', table()))
  await waitUntil(() => pressButton('校验'))
  await waitUntil(() => expect(text()).toContain('正在后台校验'))
  pressButton('取消')
  await waitUntil(() => expect(document.querySelector('.ant-modal .ant-steps')).toBeNull())
  end(jobRow({}))
  await waitUntil(() => expect(text()).toContain('校验完成，尚未导入'))
  expect(text()).not.toContain('App账号完成')
  expect(text()).toContain('2 行有问题')
  expect(text()).toContain('下载失败明细')
})

test('the job centre marks a finished dry run as checked', async () => {
  start(
    <ul>
      <JobItem job={jobRow({})} />
    </ul>,
  )
  await waitUntil(() => expect(text()).toContain('已校验'))
  expect(text()).not.toContain('已完成')
})

test('the dialog of an approval shows what will be executed, not the sums of the file', async () => {
  const checked = {
    lines: 2097,
    failed: 2,
    devices: 2000,
    copies: 2100,
    listPrice: 189_000,
    amount: 0,
    allowance: null,
    lostSeconds: 0,
    lostAmount: 0,
    lostDevices: 0,
    reasons: [{ msg: '序列号：设备不存在', lines: 2 }],
    tenants: [{ name: '甲公司', devices: 2000, copies: 2100 }],
    tenantCount: 1,
  }
  const row = { id: 1, rev: 0, fileName: 'g.csv', lines: 2099, effectMode: 1, checked }
  start(<GrantFileAudit row={row as never} onClose={noop} />)
  await waitUntil(() => expect(text()).toContain('2,097 行（文件共 2,099 行）'))
  for (const part of ['2,000 台', '2,100 份', '¥1,890.00', '设备不存在', '甲公司']) expect(text()).toContain(part)
})
