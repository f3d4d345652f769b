import { licenseCerts } from '@oms/contract/license/license.ts'
import { ALLOT_MODE, AllotForm, type AllotPlan } from '@oms/contract/license/license-rows.ts'
import { Alert, Button, Checkbox, Form, type FormInstance, Modal, Radio, Result, Steps } from 'antd'
import { useState } from 'react'
import { call, type ApiError } from '#core/api/client.ts'
import { useWrite } from '#core/api/query.ts'
import { useCan } from '#core/auth/session.tsx'
import { ReasonedButton } from '#kit/feedback/reasoned-button.tsx'
import { focusFirstFieldOnOpen } from '#kit/form/save/focus-first.ts'
import { showAtField } from '#kit/form/save/show-at-field.ts'
import { Field, NoteField, NumberField, SelectField, TextField } from '#kit/form/field.tsx'
import { showApiError } from '#kit/feedback/show-api-error.ts'
import { AllotFile } from './allot-file.tsx'
import { useVendorLabels, BatchPicker, TypeField } from './license.tsx'
import { DeviceModelPicker } from '#kit/pickers/model-picker.tsx'
import { TenantPicker } from '#kit/pickers/tenant-picker.tsx'

const FILE_MODE = 4
const MODES = [
  ...Object.entries(ALLOT_MODE).map(([value, label]) => ({ value: Number(value), label })),
  { value: FILE_MODE, label: '按文件' },
]
const INITIAL = { mode: 1, vendor: 2, typeCode: 'P2P' }
type Values = Record<string, unknown>

/** Allots certificates to a tenant: selection, preview, confirmation. */
export function AllotWizard({ onClose }: { onClose(): void }) {
  const { form, chosen, setChosen, busy, next } = useAllotPlan()
  const [done, setDone] = useState<number>()
  const mode = Form.useWatch('mode', { form, preserve: true }) as number | undefined
  const shared = { open: true, title: '分配证书', width: 720, onCancel: onClose }
  const steps = <AllotSteps current={done !== undefined ? 2 : chosen ? 1 : 0} />
  if (done !== undefined)
    return (
      <Allotted
        shared={shared}
        steps={steps}
        title={`已分配 ${done} 个证书给「${chosen?.plan.tenantName}」`}
        onClose={onClose}
      />
    )
  if (chosen)
    return <Summary {...chosen} shared={shared} steps={steps} onBack={() => setChosen(undefined)} onDone={setDone} />
  return (
    <Modal
      {...shared}
      footer={mode === FILE_MODE ? null : <SelectionFooter busy={busy} onClose={onClose} />}
      afterOpenChange={focusFirstFieldOnOpen}
    >
      {steps}
      <Form name="license-allot" form={form} layout="vertical" initialValues={INITIAL} onFinish={() => void next()}>
        <Field of={AllotForm} name="tenantId">
          <TenantPicker onlyEnabled create="tenant" />
        </Field>
        <Form.Item name="mode" label="分配方式">
          <Radio.Group optionType="button" options={MODES} />
        </Form.Item>
        <CertificateFields form={form} mode={mode ?? 1} onClose={onClose} />
      </Form>
    </Modal>
  )
}

/** Validates the form and requests the preview of the allotment. */
function useAllotPlan() {
  const [form] = Form.useForm()
  const [chosen, setChosen] = useState<{ values: Values; plan: AllotPlan }>()
  const [busy, setBusy] = useState(false)
  const next = async () => {
    const values = (await form.validateFields().catch(() => undefined)) as Values | undefined
    if (!values) return
    setBusy(true)
    const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== ''))
    await call(licenseCerts.plan, given as never, { quiet: true }).then(
      (plan) => setChosen({ values: given, plan }),
      (refusal: ApiError) => showAtField(form, refusal) || showApiError(refusal),
    )
    setBusy(false)
  }
  return { form, chosen, setChosen, busy, next }
}

function SelectionFooter({ busy, onClose }: { busy: boolean; onClose(): void }) {
  return (
    <>
      <Button onClick={onClose}>取消</Button>
      <Button type="primary" loading={busy} htmlType="submit" form="license-allot">
        下一步
      </Button>
    </>
  )
}

function AllotSteps({ current }: { current: number }) {
  return (
    <Steps
      size="small"
      current={current}
      style={{ marginBottom: 16 }}
      items={[{ title: '选择证书' }, { title: '核对' }, { title: '完成' }]}
    />
  )
}

interface AllottedProps {
  shared: object
  steps: React.ReactNode
  title: string
  onClose(): void
}

function Allotted({ shared, steps, title, onClose }: AllottedProps) {
  return (
    <Modal
      {...shared}
      footer={
        <Button type="primary" onClick={onClose}>
          完成
        </Button>
      }
    >
      {steps}
      <Result status="success" title={title} />
    </Modal>
  )
}

/** Renders the fields of the chosen method to select certificates. */
function CertificateFields({ form, mode, onClose }: { form: FormInstance; mode: number; onClose(): void }) {
  const of = AllotForm
  const vendors = useVendorLabels().options
  const tenantId = Form.useWatch('tenantId', { form, preserve: true }) as number | undefined
  if (mode === FILE_MODE)
    return <AllotFile tenantId={tenantId} onMissing={() => form.validateFields(['tenantId'])} onClose={onClose} />
  if (mode === 2)
    return (
      <div className="kit-pair">
        <TextField of={of} name="first" hint="完整 UID，含在区间内" />
        <TextField of={of} name="last" hint="区间内不在库存的证书会跳过" />
      </div>
    )
  if (mode === 3)
    return (
      <Field of={of} name="batchId" hint="分配该批次剩余的全部库存">
        <BatchPicker stock />
      </Field>
    )
  return (
    <div className="kit-pair">
      <SelectField of={of} name="vendor" options={vendors} />
      <Field of={of} name="typeCode">
        <TypeField />
      </Field>
      <NumberField of={of} name="count" unit="个" hint="从最早入库的证书开始" />
      <Field of={of} name="modelId" hint="只分配限定该型号的证书">
        <DeviceModelPicker create="deviceModel" />
      </Field>
    </div>
  )
}

interface SummaryProps {
  values: Values
  plan: AllotPlan
  shared: object
  steps: React.ReactNode
  onBack(): void
  onDone(count: number): void
}

function Summary({ values, plan, shared, steps, onBack, onDone }: SummaryProps) {
  const [form] = Form.useForm()
  const [free, setFree] = useState(false)
  const allot = useWrite(free ? licenseCerts.allotFree : licenseCerts.allot)
  const act = async () => {
    const { reason = '' } = await form.validateFields()
    const input = { ...values, expect: plan.count, reason } as never
    allot.mutate(input, { onSuccess: ({ count }) => onDone(count) })
  }
  const reason = plan.count === 0 ? '没有符合条件的库存证书' : !plan.covered && !free ? '客户的有效授权不足' : undefined
  const footer = (
    <>
      <Button onClick={onBack}>上一步</Button>
      <ReasonedButton
        type="primary"
        reason={reason}
        loading={allot.isPending}
        onClick={() => void act().catch(() => {})}
      >{`确认分配 ${plan.count} 个`}</ReasonedButton>
    </>
  )
  const of = free ? licenseCerts.allotFree.input : AllotForm
  return (
    <Modal {...shared} footer={footer}>
      {steps}
      <PlanFacts plan={plan} />
      {!plan.covered && plan.count > 0 && <NotCoveredAlert free={free} onFree={setFree} />}
      <Form key={String(free)} form={form} layout="vertical" style={{ marginTop: 12 }}>
        <NoteField of={of as typeof AllotForm} name="reason" rows={2} />
      </Form>
    </Modal>
  )
}

function NotCoveredAlert({ free, onFree }: { free: boolean; onFree(free: boolean): void }) {
  const can = useCan()
  return (
    <Alert
      type="warning"
      showIcon
      style={{ marginBlock: 12 }}
      title="客户的有效授权不足以覆盖本次分配"
      description={
        can(licenseCerts.allotFree.access) ? (
          <Checkbox checked={free} onChange={({ target }) => onFree(target.checked)}>
            不使用授权，直接分配（将记录为免授权分配）
          </Checkbox>
        ) : (
          '请先在「授权管理」中申请授权或增加额度。'
        )
      }
    />
  )
}

function PlanFacts({ plan }: { plan: AllotPlan }) {
  return (
    <>
      <p className="kit-hint kit-row kit-sum">
        <span>
          将分配 <b>{plan.count.toLocaleString()}</b> 个证书给「{plan.tenantName}」
        </span>
        {plan.skipped > 0 && <span>跳过 {plan.skipped} 个不在库存的证书</span>}
      </p>
      {plan.firstUid && (
        <p className="kit-hint">
          首个 <span className="kit-mono">{plan.firstUid}</span>，末个 <span className="kit-mono">{plan.lastUid}</span>
          ，来自批次 {plan.batches.map(({ batchNo, count }) => `${batchNo}（${count}）`).join('、')}
        </p>
      )}
      <GrantTable groups={plan.groups} />
    </>
  )
}

function GrantTable({ groups }: Pick<AllotPlan, 'groups'>) {
  return (
    <table className="kit-table" aria-label="授权核对">
      <thead>
        <tr>
          <th>授权类型</th>
          <th>限定型号</th>
          <th className="kit-number">数量</th>
          <th className="kit-number">授权余额</th>
          <th>授权单号</th>
        </tr>
      </thead>
      <tbody>
        {groups.map(({ typeCode, modelName, count, remaining, grantNos }) => (
          <tr key={`${typeCode}:${modelName}`}>
            <td>{typeCode}</td>
            <td>{modelName || '不限'}</td>
            <td className="kit-number">{count.toLocaleString()}</td>
            <td className="kit-number">{remaining === null ? '无有效授权' : remaining.toLocaleString()}</td>
            <td>{grantNos.join('、') || '-'}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
