import type { BatchReport } from '@oms/contract/core/transfer.ts'
import { OpenInput, storageEntitlements } from '@oms/contract/storage/entitlement.ts'
import type { OpeningPlan } from '@oms/contract/storage/opening-plan.ts'
import { formatCurrency } from '@oms/contract/core/money.ts'
import { Alert, Drawer, Form, type FormInstance, Radio, Select, Spin } from 'antd'
import type * as z from 'zod'
import { useRead } from '#core/api/query.ts'
import { dialogs } from '#core/loading/overlays.ts'
import { Field, MoneyField, NoteField, NumberField, SelectField } from '#kit/form/field.tsx'
import { FormFooter } from '#kit/form/form-footer.tsx'
import { useFormDrawer } from '#kit/form/use-form-modal.ts'
import { buildChannelOptions } from './channel-options.ts'
import { EFFECT_OPTIONS } from './effect-options.ts'
import { LossNotice, PlanQueues } from '../statistics/plan-queues.tsx'
import { PackagePicker, SerialsPicker } from '../storage-pickers.tsx'

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
        ? `开通额度不足，剩余${left}份，本次需要 ${copies} 份`
        : `使用开通额度 ${copies} 份，开通后剩余 ${left - copies} 份`
    }
  />
)
