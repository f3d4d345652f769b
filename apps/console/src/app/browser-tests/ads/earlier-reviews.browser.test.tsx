import { type AdDetail, AdVersionRow, ads } from '@oms/contract/advertise/ad.ts'
import { ProgramVersionRow, programs } from '@oms/contract/advertise/program.ts'
import { programPublish } from '@oms/contract/advertise/program-publish.ts'
import { afterEach, expect, test, vi } from 'vitest'
import { page } from 'vitest/browser'
import { AdAudit } from '#modules/advertise/ads/ad-audit.tsx'
import { ProgramAudit } from '#modules/advertise/publishing/audit-drawer.tsx'
import { buildSample, createContractServer } from '#app/form-cases/contract-server.ts'
import { ok, openTab } from '../browser-harness.tsx'

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => {
  tab?.close()
  tab = undefined
})

const AD = { ...(buildSample(ads.get.result) as AdDetail), id: 7, adName: '新品', verNo: 2, approvedVer: 0 }
const named = (value: string) => [
  { field: 'name', title: '广告名称', value: '新品' },
  { field: 'text', title: '文字内容', value },
]
const version = (verNo: number, fields: object) => ({
  ...(buildSample(AdVersionRow) as object),
  verNo,
  files: [],
  checks: [],
  ...fields,
})
const REJECTED = { auditStatus: 3, auditName: '杜伟', auditTime: '2026-11-01 10:00:00', auditRemark: '字号太小' }

function openAd(list: readonly object[]) {
  const server = createContractServer((fetch) => vi.stubGlobal('fetch', fetch))
  server.on(ads.get, () => ok(AD))
  server.on(ads.versions, () => ok({ list }))
  tab = openTab(<AdAudit row={AD} onClose={() => {}} />)
}
const DECISION = '此前的审核版本 1 已驳回杜伟 审核于 2026-11-01 10:00:00驳回原因：'
const earlier = (noun = '审核') => page.getByRole('region', { name: `此前的${noun}` })

test('AD-03 the review of a resubmitted ad shows the earlier rejection and the changes since', async () => {
  openAd([
    version(2, { auditStatus: 1, auditTime: null, content: named('全场七折') }),
    version(1, { ...REJECTED, content: named('全场八折') }),
  ])
  await expect
    .element(earlier())
    .toHaveTextContent(`${DECISION}字号太小驳回后的修改与版本 1 比较文字内容全场八折 全场七折`)
  const changes = [...(earlier().element().querySelectorAll('.ad-changed') ?? [])].map((each) => each.textContent)
  expect(changes).toEqual(['文字内容全场八折 全场七折'])
  await expect.element(page.getByText('此前没有通过的版本')).toBeVisible()
})

test('AD-03 the review says when the resubmitted content equals the rejected content', async () => {
  openAd([
    version(2, { auditStatus: 1, auditTime: null, content: named('全场八折') }),
    version(1, { ...REJECTED, content: named('全场八折') }),
  ])
  await expect.element(earlier().getByText('提交的内容与被驳回的版本 1 相同')).toBeVisible()
})

test('AD-03 a first submission and withdrawn versions have no earlier decisions', async () => {
  openAd([
    version(2, { auditStatus: 1, auditTime: null, content: named('全场八折') }),
    version(1, { auditStatus: 0, auditTime: null, content: named('全场八折') }),
  ])
  await expect.element(page.getByText('此前没有通过的版本')).toBeVisible()
  expect(earlier().query()).toBeNull()
})

test('AD-05 the approval of a program shows the earlier rejection and the changes since', async () => {
  const server = createContractServer((fetch) => vi.stubGlobal('fetch', fetch))
  const sample = { ...(buildSample(ProgramVersionRow) as object), adNames: ['早餐'], targets: [], targetCount: 0 }
  const rejected = { state: 4, auditByName: '杜伟', auditTime: '2026-11-01 10:00:00', auditRemark: '时长不足' }
  const review = buildSample(programPublish.review.result) as { version: object }
  server.on(programPublish.review, () => ok({ ...review, version: { ...review.version, verNo: 2, state: 1 } }))
  server.on(programs.versions, () =>
    ok({
      list: [
        { ...sample, verNo: 2, state: 1, auditTime: null, adNames: ['早餐', '午餐'] },
        { ...sample, verNo: 1, ...rejected },
      ],
      total: 2,
      pageNum: 1,
      pageSize: 50,
    }),
  )
  tab = openTab(<ProgramAudit row={{ id: 3, programName: '早间', waitingVer: 2 } as never} onClose={() => {}} />)
  await expect
    .element(earlier('审批'))
    .toHaveTextContent(`${DECISION.replaceAll('审核', '审批')}时长不足驳回后的修改与版本 1 比较广告早餐 早餐、午餐`)
  const changes = [...(earlier('审批').element().querySelectorAll('.ad-changed') ?? [])].map((each) => each.textContent)
  expect(changes).toEqual(['广告早餐 早餐、午餐'])
})
