import { licenseGrants } from '@oms/contract/license/license-grant.ts'
import { licenseCerts, licenseOptions } from '@oms/contract/license/license.ts'
import { accounts } from '@oms/contract/account/account-list.ts'
import { deviceModels } from '@oms/contract/device/device-model.ts'
import { otaSigning } from '@oms/contract/upgrade/ota-signing.ts'
import { ota } from '@oms/contract/upgrade/ota.ts'
import { ticketDesk } from '@oms/contract/ticket/ticket-desk.ts'
import { PROBLEM_PARTS } from '@oms/contract/ticket/ticket-rows.ts'
import { feedback } from '@oms/contract/ticket/ticket.ts'
import { otaAllowlist } from '@oms/contract/upgrade/upgrade-allowlist.ts'
import { otaRelease } from '@oms/contract/upgrade/upgrade-release.ts'
import { otaTask } from '@oms/contract/upgrade/upgrade-task.ts'
import type { ReactNode } from 'react'
import { GrantDialog, GrantForm } from '#modules/license/grant-dialogs.tsx'
import { BindDialog, StepDialog, RevealKeyDialog, TenantThreshold } from '#modules/license/license-dialogs.tsx'
import { ArtifactKindProvider, FIRMWARE_KIND } from '#modules/upgrade/versions/artifact-kind.ts'
import { OtaForm } from '#modules/upgrade/versions/ota-form.tsx'
import { QuickModelModal } from '#modules/upgrade/versions/quick-model-modal.tsx'
import { SignatureModal } from '#modules/upgrade/versions/ota-drawer.tsx'
import { type BatchKind, BatchForm, RateForm } from '#modules/ticket/handling/batch-forms.tsx'
import { CommentForm } from '#modules/ticket/handling/comment-form.tsx'
import { DisposeForm } from '#modules/ticket/handling/dispose-form.tsx'
import { SlaForm } from '#modules/ticket/handling/sla-form.tsx'
import { TemplateAddForm, TemplateEditForm } from '#modules/ticket/handling/templates.tsx'
import { TicketForm } from '#modules/ticket/ticket-form.tsx'
import {
  AuditModal,
  PauseOrStopModal,
  PushVersionModal,
  RolloutPercentageModal,
} from '#modules/upgrade/release-dialogs.tsx'
import { PublishDrawer } from '#modules/upgrade/publish-drawer.tsx'
import { ReleaseCallsProvider } from '#modules/upgrade/release.tsx'
import { buildSample } from './contract-server.ts'
import type { FormCase } from './form-case.ts'

const noop = () => {}
const CERTIFICATE = { id: 1, uid: 'U1', tenantName: '客户', state: 1 } as never
const VALID = { validFrom: '2030-01-01', validTo: '2031-01-01' }

const grant = (kind: 'audit' | 'renew' | 'addQuota' | 'revoke', more: Partial<FormCase>): FormCase => ({
  name: `授权：${kind}`,
  file: 'license/grant-dialogs.tsx',
  save: licenseGrants[kind],
  field: kind === 'audit' ? 'auditRemark' : 'reason',
  record: { read: licenseGrants.get, isShown: false },
  ...(kind === 'audit' && { choose: ['pass'] }),
  form: (close, row) => <GrantDialog kind={kind} row={row as never} onClose={close} />,
  ...more,
})

const LICENSE: readonly FormCase[] = [
  {
    name: '申请授权',
    file: 'license/grant-dialogs.tsx',
    save: licenseGrants.create,
    field: 'contractNo',
    choose: ['typeCode'],
    reads: [[licenseOptions.types, { list: ['P2P'] }]],
    fill: { quota: '5', ...VALID },
    form: (close) => <GrantForm onClose={close} />,
  },
  grant('audit', {}),
  grant('renew', { fill: { validTo: VALID.validTo } }),
  grant('addQuota', { fill: { amount: '3' } }),
  grant('revoke', {}),
  {
    name: '客户库存预警',
    file: 'license/license-dialogs.tsx',
    save: licenseCerts.saveTenantThreshold,
    field: 'threshold',
    values: ['3', '4'],
    form: (close) => <TenantThreshold row={{ tenantId: 1, tenantName: '客户' } as never} onClose={close} />,
  },
  {
    name: '报废证书',
    file: 'license/license-dialogs.tsx',
    save: licenseCerts.scrap,
    field: 'reason',
    form: (close) => <StepDialog step="scrap" rows={[CERTIFICATE]} onClose={close} />,
  },
  {
    name: '绑定证书',
    file: 'license/license-dialogs.tsx',
    save: licenseCerts.bind,
    field: 'sn',
    values: ['SN1', 'SN2'],
    form: (close) => <BindDialog row={CERTIFICATE} onClose={close} />,
  },
  {
    name: '查看证书明文',
    file: 'license/license-dialogs.tsx',
    save: licenseCerts.reveal,
    field: 'reason',
    stays: true,
    opens: '证书明文',
    form: (close) => <RevealKeyDialog row={CERTIFICATE} onClose={close} />,
  },
]

const ROWS = [1, 2].map((id) => ({ id, feedbackNo: `F${id}`, tenantId: 1, tags: [], priority: 2, handlerId: null }))
const batch = (kind: BatchKind, more: Partial<FormCase>): FormCase => ({
  name: `工单批量：${kind}`,
  file: 'ticket/handling/batch-forms.tsx',
  save: feedback[kind],
  field: 'remark',
  form: (close) => <BatchForm kind={kind} rows={ROWS} onClose={close} />,
  ...more,
})
const HANDLERS = [
  accounts.search,
  { list: [{ uid: 1, account: 'a', realname: '甲', mobileNo: '' }], total: 1 },
] as const
const INFO = {
  id: 1,
  version: 1,
  handlerId: 1,
  handler: '甲',
  problemAttr: Object.fromEntries(PROBLEM_PARTS.map((part) => [part, []])),
  satisfaction: 4,
  satisfactionRemark: '',
} as never

const TICKETS: readonly FormCase[] = [
  {
    name: '新增工单',
    file: 'ticket/ticket-form.tsx',
    save: feedback.create,
    field: 'contact',
    fill: { content: '无法开机' },
    choose: ['problemType'],
    form: (close) => <TicketForm onClose={close} onMade={noop} />,
  },
  batch('assign', { choose: ['handlerId'], reads: [HANDLERS] }),
  batch('priority', { field: 'priority', values: null }),
  batch('tags', { field: 'tags', values: null }),
  batch('suspend', {}),
  batch('close', {}),
  batch('merge', { field: 'intoId', values: null, choose: ['intoId'] }),
  {
    name: '记录满意度',
    file: 'ticket/handling/batch-forms.tsx',
    save: feedback.rate,
    field: 'satisfactionRemark',
    form: (close) => <RateForm info={INFO} onClose={close} />,
  },
  {
    name: '新增备注模板',
    file: 'ticket/handling/templates.tsx',
    save: ticketDesk.addTemplate,
    field: 'title',
    fill: { content: '请重启设备' },
    form: (close) => <TemplateAddForm onClose={close} />,
  },
  {
    name: '编辑备注模板',
    file: 'ticket/handling/templates.tsx',
    save: ticketDesk.updateTemplate,
    field: 'title',
    record: { read: ticketDesk.templates, at: 'rows' },
    form: (close) => <TemplateEditForm id={1} onClose={close} />,
  },
  {
    name: '服务时限',
    file: 'ticket/handling/sla-form.tsx',
    save: ticketDesk.saveSla,
    field: 'enabled',
    values: null,
    form: (close) => <SlaForm onClose={close} />,
  },
  {
    name: '处理工单',
    file: 'ticket/handling/dispose-form.tsx',
    save: feedback.dispose,
    field: 'remark',
    stays: true,
    form: () => <DisposeForm info={INFO} refused={undefined} onDirty={noop} />,
  },
  {
    name: '添加备注',
    file: 'ticket/handling/comment-form.tsx',
    save: feedback.comment,
    field: 'remark',
    stays: true,
    form: () => <CommentForm id={1} />,
  },
]

const RELEASE = {
  ...(buildSample(otaRelease.get.result) as object),
  otaId: 1,
  rev: 3,
  percent: 50,
  submitTime: null,
  stages: [],
  counts: [],
} as never
const CALLS = { release: otaRelease, task: otaTask, white: otaAllowlist }
const withCalls = (form: ReactNode) => <ReleaseCallsProvider value={CALLS}>{form}</ReleaseCallsProvider>
const withKind = (form: ReactNode) => <ArtifactKindProvider value={FIRMWARE_KIND}>{form}</ArtifactKindProvider>
const VERSION = {
  otaVersion: { modelId: 1, verCode: '1', verName: '1.0', releaseDate: '2030-01-01 00:00:00' },
  components: [{ type: 1, name: '组件', url: `/api/v1/file/${'a'.repeat(32)}` }],
}

const UPGRADE: readonly FormCase[] = [
  {
    name: '暂停发布',
    file: 'upgrade/release-dialogs.tsx',
    save: otaRelease.pause,
    field: 'reason',
    form: (close) => withCalls(<PauseOrStopModal what="pause" release={RELEASE} onClose={close} />),
  },
  {
    name: '调整发布比例',
    file: 'upgrade/release-dialogs.tsx',
    save: otaRelease.share,
    field: 'percent',
    values: null,
    form: (close) => withCalls(<RolloutPercentageModal release={RELEASE} onClose={close} />),
  },
  {
    name: '审批发布',
    file: 'upgrade/release-dialogs.tsx',
    save: otaRelease.audit,
    choose: ['pass'],
    field: 'remark',
    form: (close) => withCalls(<AuditModal release={RELEASE} onClose={close} />),
  },
  {
    name: '推送到单台设备',
    file: 'upgrade/release-dialogs.tsx',
    save: otaTask.push,
    field: 'sn',
    values: ['SN1', 'SN2'],
    form: (close) => withCalls(<PushVersionModal release={RELEASE} onClose={close} />),
  },
  {
    name: '发布',
    file: 'upgrade/publish-drawer.tsx',
    save: otaRelease.publish,
    field: 'mode',
    values: null,
    form: (close) => withCalls(<PublishDrawer release={RELEASE} onClose={close} />),
  },
  {
    name: '上传清单签名',
    file: 'upgrade/versions/ota-drawer.tsx',
    save: otaSigning.sign,
    field: 'signature',
    values: [`${'A'.repeat(86)}==`, `${'B'.repeat(85)}A==`],
    form: (close) => withKind(<SignatureModal otaId={1} onClose={close} />),
  },
  {
    name: '新增型号（固件版本）',
    file: 'upgrade/versions/quick-model-modal.tsx',
    save: deviceModels.quickCreate,
    field: 'modelName',
    fill: { modelCode: 'sample' },
    choose: ['typeId'],
    reads: [[deviceModels.typeChoices, [{ typeId: 1, typeName: '类型', typeCode: 't' }]]],
    form: (close) => <QuickModelModal onClose={close} onCreated={noop} />,
  },
  {
    name: '固件版本',
    file: 'upgrade/versions/ota-form.tsx',
    save: ota.create,
    field: 'otaVersion_description',
    stays: true,
    form: () => withKind(<OtaForm endpoint={ota.create} place="new" initial={VERSION as never} />),
  },
]

/** Forms of licences, tickets and upgrades. */
export const WORK_CASES: readonly FormCase[] = [...LICENSE, ...TICKETS, ...UPGRADE]
