import {
  EFFECT_MODE,
  type EntitlementRow,
  RenewInput,
  storageEntitlements,
  OpenInput,
} from '@oms/contract/storage/entitlement.ts'
import { Form, Modal, Alert, Drawer, type FormInstance, Radio, Select, Spin } from 'antd'
import { MoneyField, NoteField, NumberField, SelectField, Field } from '#kit/form/field.tsx'
import { useFormModal, useFormDrawer } from '#kit/form/use-form-modal.ts'
import type { BatchReport } from '@oms/contract/core/transfer.ts'
import type { OpeningPlan } from '@oms/contract/storage/opening-plan.ts'
import { formatCurrency } from '@oms/contract/core/money.ts'
import type * as z from 'zod'
import { useRead } from '#core/api/query.ts'
import { dialogs } from '#core/loading/overlays.ts'
import { buildLabelOptions } from '#kit/form/label-options.ts'
import { FormFooter } from '#kit/form/form-footer.tsx'
import { buildChannelOptions } from './entitlement.tsx'
import { LossNotice, PlanQueues } from '../statistics/queue-bars.tsx'
import { PackagePicker, SerialsPicker } from '../storage-pickers.tsx'

/** Options of 生效方式. */
export const EFFECT_OPTIONS = buildLabelOptions(EFFECT_MODE)

/** Labels, calls and explanatory texts of the entitlement actions that need only a reason. */
export const ENTITLEMENT_STEP_DIALOGS = {
  suspend: {
    label: '暂停',
    to: storageEntitlements.suspend,
    states: [1],
    hint: '暂停期间不计时，排在后面的套餐一起等待；恢复后从剩余时间继续。',
  },
  resume: { label: '恢复', to: storageEntitlements.resume, states: [3], hint: '恢复后从剩余时间继续计时。' },
  cancel: {
    label: '取消',
    to: storageEntitlements.cancel,
    states: [0, 1, 3],
    hint: '取消后剩余时间作废，不能恢复；排在后面的套餐提前生效。',
  },
} as const
export type StepName = keyof typeof ENTITLEMENT_STEP_DIALOGS

export interface RowsProps {
  readonly rows: readonly EntitlementRow[]
  readonly onClose: () => void
  readonly onDone?: () => void
}
/** Names the entitlements in the title of a dialog. */
export const formatEntitlementNames = (rows: readonly EntitlementRow[]) =>
  rows.length === 1 ? `${rows[0]!.sn} 的「${rows[0]!.packageName}」` : `${rows.length} 份云存储`

export function StepDialog({ step, rows, onClose, onDone }: RowsProps & { step: StepName }) {
  const { label, to, hint } = ENTITLEMENT_STEP_DIALOGS[step]
  const { modal, form } = useFormModal(to, {
    onClose,
    onSaved: (report) => {
      onDone?.()
      showOpeningReport(report)
    },
    initial: { ids: rows.map(({ id }) => id) } as never,
  })
  const okButtonProps = { ...modal.okButtonProps, danger: step === 'cancel' }
  return (
    <Modal
      title={`${label} ${formatEntitlementNames(rows)}`}
      {...modal}
      okText={`确认${label}`}
      cancelText="返回"
      okButtonProps={okButtonProps}
    >
      <p className="kit-hint">{hint}</p>
      <Form {...form}>
        <NoteField of={to.input} name="reason" rows={3} />
      </Form>
    </Modal>
  )
}

export function RenewDialog({ rows, onClose, onDone }: RowsProps) {
  const { modal, form } = useFormModal(storageEntitlements.renew, {
    onClose,
    onSaved: (report) => {
      onDone?.()
      showOpeningReport(report)
    },
    initial: { ids: rows.map(({ id }) => id), copies: 1, source: 2, amount: 0 } as never,
  })
  const source = Form.useWatch('source', form.form as never) as number | undefined
  return (
    <Modal title={`续期 ${formatEntitlementNames(rows)}`} {...modal} okText="续期">
      <p className="kit-hint">按套餐当前版本续期，排到队尾，现有套餐用完后生效。</p>
      <Form {...form}>
        <div className="kit-pair">
          <NumberField of={RenewInput} name="copies" unit="份" />
          <SelectField of={RenewInput} name="source" />
        </div>
        {source === 1 && <MoneyField of={RenewInput} name="amount" hint="每份的实收金额" />}
        <NoteField of={RenewInput} name="reason" rows={3} />
      </Form>
    </Modal>
  )
}

const CHANNELS = buildChannelOptions()
type Report = z.output<typeof BatchReport>

/** Lists the devices that a batch left out, with their reasons. */
export function showOpeningReport({ done, failed }: Report) {
  if (failed.length === 0) return
  dialogs.warning({
    title: `成功 ${done} 台，失败 ${failed.length} 台`,
    okText: '知道了',
    content: (
      <ul className="kit-items kit-report">
        {failed.slice(0, 100).map(({ id, name, msg }) => (
          <li key={`${id}:${name}`}>
            <b>{name}</b> {msg}
          </li>
        ))}
      </ul>
    ),
  })
}

/** Opens a package on devices. Shows the resulting queues below the fields. */
export function OpenEntitlementDrawer({ sns = [], onClose }: { sns?: readonly string[]; onClose(): void }) {
  const { drawer, footer, form } = useFormDrawer(storageEntitlements.open, {
    onClose,
    onSaved: showOpeningReport,
    initial: { sns: [...sns], channels: [0], copies: 1, effectMode: 1, source: 2, amount: 0 } as never,
  })
  return (
    <Drawer
      {...drawer}
      title="开通云存储"
      footer={
        <FormFooter {...footer} saveText="开通">
          <PlanAmount form={form.form} />
        </FormFooter>
      }
    >
      <Form {...form}>
        <OpenFields />
        <PlanPreview form={form.form} />
      </Form>
    </Drawer>
  )
}

function OpenFields() {
  const of = OpenInput
  const source = Form.useWatch<number | undefined>('source')
  return (
    <>
      <Field of={of} name="sns" hint="输入序列号搜索，或粘贴多个序列号，一次最多 1000 台">
        <SerialsPicker />
      </Field>
      <div className="kit-pair">
        <Field of={of} name="packageId">
          <PackagePicker onSale create="storagePackage" />
        </Field>
        <Field of={of} name="channels">
          <Select mode="multiple" options={CHANNELS} placeholder="请选择通道" maxTagCount="responsive" />
        </Field>
        <NumberField of={of} name="copies" unit="份" />
        <SelectField of={of} name="source" />
      </div>
      {source === 1 && <MoneyField of={of} name="amount" hint="每台设备每份的实收金额，由所选通道分摊" />}
      <Field of={of} name="effectMode" hint="更换套餐后，新的保存天数只用于之后的新录像，已有录像仍按录制时的套餐保存">
        <Radio.Group vertical options={EFFECT_OPTIONS} />
      </Field>
      <NoteField of={of} name="reason" rows={2} />
    </>
  )
}

interface Asked {
  readonly sns?: string[]
  readonly packageId?: number
  readonly channels?: number[]
  readonly copies?: number
  readonly effectMode?: number
  readonly source?: number
  readonly amount?: number
}

/** Reads the plan of what the form would do, computed by the server while the fields change. */
function usePlan(form: FormInstance) {
  const asked = (Form.useWatch([], form) ?? {}) as Asked
  const { sns = [], packageId, channels = [], copies, effectMode, source, amount } = asked
  const isReady = sns.length > 0 && packageId !== undefined && channels.length > 0
  const input = { sns, packageId, channels, copies, effectMode, source, amount }
  const { data, error, isFetching } = useRead(storageEntitlements.plan, input as never, {
    quiet: true,
    enabled: isReady,
  })
  return { isReady, data, error, isFetching }
}

function PlanPreview({ form }: { form: FormInstance }) {
  const { isReady, data, error, isFetching } = usePlan(form)
  if (!isReady) return <p className="kit-hint">选择设备和套餐后，这里显示开通后的排队情况。</p>
  if (error) return <Alert type="warning" showIcon title={error.message} />
  return <Spin spinning={isFetching}>{data ? <PlanFacts plan={data} /> : <div style={{ height: 80 }} />}</Spin>
}

/** Shows count and amount beside the submit button, because the plan can be below the visible part of the form. */
function PlanAmount({ form }: { form: FormInstance }) {
  const { isReady, data, error, isFetching } = usePlan(form)
  if (!isReady || error || !data) return null
  const { entitlements, amount, failed, copies, allowance } = data
  return (
    <span role="status" aria-busy={isFetching}>
      {data.devices.toLocaleString()} 台设备 · {entitlements.toLocaleString()} 份 · 金额合计{' '}
      <b>{formatCurrency(amount)}</b>
      {failed.length > 0 && <span className="kit-problem">，{failed.length} 台不能开通</span>}
      {allowance !== null && copies > allowance && <span className="kit-problem">，开通额度不足</span>}
    </span>
  )
}

function PlanFacts({ plan }: { plan: OpeningPlan }) {
  return (
    <section className="kit-block" aria-label="开通预览">
      <p>
        将为 <b>{plan.devices}</b> 台设备开通 <b>{plan.entitlements}</b> 份，标价合计 {formatCurrency(plan.listPrice)}，
        金额合计 {formatCurrency(plan.amount)}
      </p>
      {plan.allowance !== null && <AllowanceNote copies={plan.copies} left={plan.allowance} />}
      <LossNotice {...plan} />
      {plan.failed.length > 0 && (
        <Alert
          type="error"
          showIcon
          className="kit-note"
          title={`${plan.failed.length} 台设备不能开通`}
          description={plan.failed
            .slice(0, 5)
            .map(({ name, msg }) => `${name}：${msg}`)
            .join('；')}
        />
      )}
      <PlanQueues queues={plan.queues} />
    </section>
  )
}

/** Shows how many copies the opening takes from the allowance of the tenant, and how many remain. */
const AllowanceNote = ({ copies, left }: { copies: number; left: number }) => (
  <Alert
    type={copies > left ? 'error' : 'info'}
    showIcon
    className="kit-note"
    title={
      copies > left
        ? `开通额度不足，剩余 ${left} 份，本次需要 ${copies} 份`
        : `使用开通额度 ${copies} 份，开通后剩余 ${left - copies} 份`
    }
  />
)
