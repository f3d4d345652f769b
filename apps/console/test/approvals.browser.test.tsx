import { programPublish } from '@oms/contract/advertise/program-publish.ts'
import { agentOrders } from '@oms/contract/agent/orders/order.ts'
import { ORDER_STATE_CODE } from '@oms/contract/agent/orders/order-entities.ts'
import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import { licenseGrants } from '@oms/contract/license/license-grant.ts'
import { storageGrantFiles } from '@oms/contract/storage/grant-file.ts'
import { otaRelease } from '@oms/contract/upgrade/upgrade-release.ts'
import type { ReactNode } from 'react'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { buildSample } from '#test/form-cases/contract-server.ts'
import { pressButton, readFieldErrors, waitUntil } from '#test/form-cases/page-driver.ts'
import { ProgramAudit } from '#modules/advertise/programs/audit-drawer.tsx'
import { OrderDialog } from '#modules/agent/orders/order-dialogs.tsx'
import { GrantDialog } from '#modules/license/grant-dialogs.tsx'
import { GrantFileAudit } from '#modules/storage/entitlements/grant-file.tsx'
import { AuditModal } from '#modules/upgrade/release-dialogs.tsx'
import { ReleaseCallsProvider } from '#modules/upgrade/release.tsx'
import { ok } from './browser-harness.tsx'
import { useContractPage } from './contract-page.tsx'

const start = useContractPage()
const close = () => {}
const ORDER = {
  ...(buildSample(agentOrders.get.result) as object),
  id: 1,
  state: ORDER_STATE_CODE.refunding,
  refunds: [],
} as never
const FILE = { id: 1, rev: 0, fileName: 'g.csv', lines: 2, devices: 2, copies: 2, listPrice: 0 } as never
const RELEASE = { otaId: 1, rev: 1, verName: '1.0', submitByName: '甲' } as never
const GRANT = { ...(buildSample(licenseGrants.get.result) as object), id: 1, status: 0 } as never
const PROGRAM = { id: 3, programName: '早间', waitingVer: 2 } as never
const REVIEW = { ...(buildSample(programPublish.review.result) as { version: object }), inForce: null, waitingVer: 2 }
const WAITING = { ...REVIEW, version: { ...REVIEW.version, verNo: 2, state: 1 } }

const APPROVALS: readonly [name: string, save: Endpoint, approve: string, dialog: ReactNode][] = [
  ['批量开通', storageGrantFiles.audit, '同意并执行', <GrantFileAudit key="f" row={FILE} onClose={close} />],
  ['退款', agentOrders.refundAudit, '同意', <OrderDialog key="o" step="refundAudit" row={ORDER} onClose={close} />],
  ['授权', licenseGrants.audit, '通过', <GrantDialog key="g" kind="audit" row={GRANT} onClose={close} />],
  ['节目单', programPublish.audit, '通过', <ProgramAudit key="p" row={PROGRAM} onClose={close} />],
  [
    '发布',
    otaRelease.audit,
    '通过',
    <ReleaseCallsProvider key="r" value={{ release: otaRelease } as never}>
      <AuditModal release={RELEASE} onClose={close} />
    </ReleaseCallsProvider>,
  ],
]

for (const [name, save, approve, dialog] of APPROVALS)
  test(`an approval of ${name} needs a decision, and its button names the decision`, async () => {
    const server = start(dialog)
    server.on(agentOrders.get, () => ok(ORDER))
    server.on(licenseGrants.get, () => ok(GRANT))
    server.on(programPublish.review, () => ok(WAITING))
    await waitUntil(() => pressButton('提交'))
    await waitUntil(() => expect(readFieldErrors()).toEqual(['请选择审批结果']))
    expect(server.inputsOf(save)).toEqual([])
    await page.getByRole('radio', { name: '驳回' }).click()
    const reject = page.getByRole('button', { name: /^驳\s?回$/ })
    await expect.element(reject).toHaveClass(/ant-btn-dangerous|ant-btn-color-dangerous/)
    await page.getByRole('radio', { name: approve }).click()
    await waitUntil(() => pressButton(approve))
    await waitUntil(() => expect(server.inputsOf(save)).toHaveLength(1))
  })
