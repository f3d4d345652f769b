import { ads, type AdRow } from '@oms/contract/advertise/ad.ts'
import { programChecks } from '@oms/contract/advertise/program-check.ts'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { buildSample } from '#test/form-cases/contract-server.ts'
import { useAdActions } from '#modules/advertise/ads/ad-list.page.tsx'
import { PublishDialog } from '#modules/advertise/programs/publish-dialog.tsx'
import { ok } from '../browser-harness.tsx'
import { useContractPage } from '../contract-page.tsx'

const start = useContractPage()
const none = () => {}
const DRAFT = { id: 1, adName: '开业大吉', auditStatus: 0, enableStat: 1, refCount: 0, isBeyondScope: false }
const WARNING = '目前没有其他人可以审核该广告，需要另一位有审核权限的账号'

const Actions = () => useAdActions({ onShow: none, onEdit: none, onAudit: none })(DRAFT as AdRow)

for (const hasAuditor of [false, true])
  test(`submitting an ad ${hasAuditor ? 'with' : 'without'} another auditor ${hasAuditor ? 'shows no warning' : 'warns the submitter'}`, async () => {
    const server = start(<Actions />)
    server.on(ads.submit, () => ok({ verNo: 1, contentHash: '', hasAuditor }, '已提交审核'))
    await page.getByRole('button', { name: '提交审核' }).click()
    await expect.element(page.getByText('已提交审核')).toBeVisible()
    if (hasAuditor) expect(page.getByText(WARNING).elements()).toEqual([])
    else await expect.element(page.getByText(WARNING)).toBeVisible()
  })

test('the publishing dialog says that no other account may approve the program', async () => {
  const server = start(<PublishDialog id={1} onClose={none} />)
  const sample = buildSample(programChecks.dryRun.result) as object
  server.on(programChecks.dryRun, () =>
    ok({ ...sample, hasTargets: true, screens: 1, insertMode: 0, needsApproval: true, hasApprover: false }),
  )
  await expect.element(page.getByText('发布后需要另一人审批，但目前没有其他人可以审批')).toBeVisible()
})
