import { ReleaseInput } from '@oms/contract/upgrade/upgrade-release.ts'
import { describePlan } from '@oms/contract/upgrade/release-plan.ts'
import { Alert, Drawer, Form, Radio, Switch, TimePicker } from 'antd'
import { useState } from 'react'
import dayjs, { type Dayjs } from 'dayjs'
import { useRead } from '#core/api/query.ts'
import { Field, NumberField } from '#kit/form/field.tsx'
import { DateTimeField } from '#kit/form/field-date.tsx'
import { MoreFields } from '#kit/form/more-fields.tsx'
import { FormFooter } from '#kit/form/form-footer.tsx'
import { useFormDrawer } from '#kit/form/use-form-modal.ts'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { RecordsSelect, type RecordsSelectProps } from '#kit/pickers/records-select.tsx'
import { TenantsPicker } from '#kit/pickers/tenant-picker.tsx'
import { useReleaseCalls, FORMAL_MODE, type Release } from './release.tsx'
import {
  PercentInput,
  toInitialValues,
  isRolledOut,
  toReleaseInput,
  type PublishValues,
  StageEditor,
} from './stage-editor.tsx'
import { type DryRunResult, useDryRun } from './dry-run.tsx'

const MODES = [
  { value: 2, label: '正式发布' },
  { value: 1, label: '测试发布（仅白名单）' },
]
const WAYS = [
  { value: true, label: '分阶段，按结果自动推进（推荐）' },
  { value: false, label: '一次性按比例' },
]

/** Fields that open the advanced section when they have a value. */
const ADVANCED = [
  'startTime',
  'endTime',
  'dailyStart',
  'dailyEnd',
  'perMinute',
  'maxDownloads',
  'bandwidth',
  'autoRetries',
  'needConfirm',
]

/** Form that publishes a version. A summary shows the effect; the settings follow below. */
export function PublishDrawer({ release, onClose }: { release: Release; onClose(): void }) {
  const [initial] = useState(() => toInitialValues(release))
  const { drawer, footer, form } = usePublishForm(initial, onClose)
  const values = {
    ...initial,
    ...Form.useWatch((all) => all as PublishValues, { form: form.form, preserve: true }),
  }
  const [tenants, setTenants] = useState(() => new Map(release.tenants.map(({ id, name }) => [id, name])))
  const [groups, setGroups] = useState(() => new Map(release.groups.map(({ id, name }) => [id, name])))
  const isFormal = values.mode === FORMAL_MODE
  const waits = isFormal && release.needsAudit
  const dryRun = useDryRun(release.otaId, toReleaseInput(values))
  return (
    <Drawer
      title={`发布「${release.verName}」（${release.verCode}）`}
      {...drawer}
      footer={<Footer {...footer} {...{ waits, isFormal, dryRun }} />}
    >
      <Summary values={values} names={{ tenants, groups }} waits={waits} dryRun={dryRun} />
      {isRolledOut(release) && <Alert style={{ marginBottom: 16 }} type="info" showIcon title={OUT} />}
      <Form {...form}>
        <Form.Item name="mode" label="发布方式">
          <Radio.Group options={MODES} optionType="button" />
        </Form.Item>
        <div hidden={!isFormal}>
          <ScopeFields
            release={release}
            isStaged={values.staged}
            stageCounts={dryRun.data?.stages ?? []}
            onTenants={setTenants}
            onGroups={setGroups}
          />
        </div>
        <MoreFields title="高级：时间、限速与重试" names={ADVANCED}>
          <div hidden={!isFormal}>
            <Times />
          </div>
          <Limits />
        </MoreFields>
      </Form>
    </Drawer>
  )
}

interface ScopeFieldsProps {
  readonly release: Release
  readonly isStaged: PublishValues['staged']
  readonly stageCounts: Parameters<typeof StageEditor>[0]['counts']
  onTenants(names: Map<number, string>): void
  onGroups(names: Map<number, string>): void
}

/** Fields for the percentage, the tenants and the groups of a release. */
function ScopeFields({ release, isStaged, stageCounts, onTenants, onGroups }: ScopeFieldsProps) {
  return (
    <>
      <Form.Item name="staged" label="推进方式">
        <Radio.Group options={WAYS} />
      </Form.Item>
      {isStaged ? (
        <StageEditor counts={stageCounts} />
      ) : (
        <Field of={ReleaseInput} name="percent" hint="同一台设备在同一版本中的位置固定，提高比例不会漏掉已收到的设备">
          <PercentInput />
        </Field>
      )}
      <Field of={ReleaseInput} name="tenantIds">
        <TenantsPicker
          onlyEnabled
          create="tenant"
          placeholder="不选则不限客户"
          chosen={release.tenants}
          onNames={(names) => onTenants(new Map(names))}
        />
      </Field>
      <Field of={ReleaseInput} name="groupIds">
        <GroupsPicker otaId={release.otaId} chosen={release.groups} onNames={(names) => onGroups(new Map(names))} />
      </Field>
    </>
  )
}

/** Connects the form to the endpoint that publishes a version. */
function usePublishForm(initial: PublishValues, onClose: () => void) {
  const calls = useReleaseCalls()
  return useFormDrawer(calls.release.publish, {
    onClose,
    initial,
    alsoChanges: ['device'],
    input: (values) => {
      const { otaId, rev } = values as unknown as PublishValues
      return { otaId, rev, ...toReleaseInput(values as unknown as PublishValues) }
    },
  })
}

const OUT = '该版本正在发布。重新发布从当前已达到的比例继续，已在范围内的设备不会退出；进行中的任务不受影响。'

function Summary(props: {
  values: PublishValues
  names: { tenants: ReadonlyMap<number, string>; groups: ReadonlyMap<number, string> }
  waits: boolean
  dryRun: ReturnType<typeof useDryRun>
}) {
  const { values, names, waits, dryRun } = props
  const policy = toReleaseInput(values)
  const of = (known: ReadonlyMap<number, string>, ids: readonly number[]) =>
    ids.map((id) => known.get(id) ?? String(id))
  const lines = describePlan(
    {
      ...(policy as Omit<typeof policy, 'mode'>),
      mode: values.mode,
      stages: (policy.stages ?? []) as never,
      tenants: of(names.tenants, values.tenantIds ?? []),
      groups: of(names.groups, values.groupIds ?? []),
    } as never,
    { needsAudit: waits },
  )
  return (
    <section className="kit-block kit-note" aria-label="发布说明">
      {lines.map((line) => (
        <p key={line}>{line}</p>
      ))}
      <p role="status">
        {dryRun.error ? '填写完整后显示会收到的设备数' : dryRun.data ? dryRunText(dryRun.data) : '正在预演…'}
      </p>
    </section>
  )
}

interface FooterProps extends Omit<Parameters<typeof FormFooter>[0], 'saveText' | 'children'> {
  readonly waits: boolean
  readonly isFormal: boolean
  readonly dryRun: ReturnType<typeof useDryRun>
}

/** Repeats the number of devices beside the save button, because the summary scrolls out of the window. */
const Footer = ({ waits, isFormal, dryRun: { data, error, isFetching }, ...footer }: FooterProps) => (
  <FormFooter {...footer} saveText={waits ? '提交审批' : isFormal ? '发布' : '保存'}>
    {!error && data && (
      <span aria-busy={isFetching}>
        现在有 <b>{data.count.toLocaleString()}</b> 台设备会收到
      </span>
    )}
  </FormFooter>
)

function dryRunText({ count, total, obstacles }: DryRunResult) {
  const later = obstacles.find(({ rule }) => rule === 'window')?.count ?? 0
  const wait = later > 0 ? `，${later} 台在发布时间段开放后才能收到` : ''
  return `按此发布，现在有 ${count} 台设备会在下次检查时收到${wait}（该型号共 ${total} 台）`
}

const Times = () => (
  <>
    <div className="kit-pair">
      <DateTimeField of={ReleaseInput} name="startTime" hint="不填则立即开始" />
      <DateTimeField of={ReleaseInput} name="endTime" hint="不填则不结束" />
    </div>
    <div className="kit-pair">
      <Field of={ReleaseInput} name="dailyStart" hint="不填则全天；可跨零点">
        <MinutePicker placeholder="如 02:00" />
      </Field>
      <Field of={ReleaseInput} name="dailyEnd">
        <MinutePicker placeholder="如 06:00" />
      </Field>
    </div>
  </>
)

const Limits = () => (
  <>
    <div className="kit-pair">
      <NumberField of={ReleaseInput} name="perMinute" unit="台" hint="不填则不限" />
      <NumberField of={ReleaseInput} name="maxDownloads" unit="台" hint="不填则不限" />
    </div>
    <div className="kit-pair">
      <NumberField
        of={ReleaseInput}
        name="bandwidth"
        unit="MB/s"
        hint="该版本所有下载在每个服务进程上共用的带宽，不填则不限；保存后对正在进行的下载同样生效"
      />
    </div>
    <div className="kit-pair">
      <NumberField of={ReleaseInput} name="timeoutMinutes" unit="分钟" hint="设备无响应超过该时间视为失败" />
      <NumberField of={ReleaseInput} name="autoRetries" unit="次" hint="失败的设备自动再收到的次数" />
    </div>
    <Form.Item
      name="needConfirm"
      label="需要设备用户确认"
      valuePropName="checked"
      extra="支持确认的设备在用户同意后才下载"
    >
      <Switch className="kit-switch" checkedChildren="需要" unCheckedChildren="不需要" />
    </Form.Item>
  </>
)

function GroupsPicker({ otaId, ...props }: RecordsSelectProps & { otaId: number }) {
  const calls = useReleaseCalls()
  const [keyword, onSearch] = useKeyword()
  const read = useRead(calls.release.groups, { otaId, keyword }, { quiet: true })
  const options = (read.data ?? []).map(({ id, name, tenantName }) => ({
    value: id,
    label: tenantName ? `${name}（${tenantName}）` : name,
  }))
  return (
    <RecordsSelect {...props} create="deviceGroup" placeholder="不选则不限分组" source={{ options, read, onSearch }} />
  )
}

/** A date without a daylight-saving change. */
const ANY_DAY = '2000-01-01'

/** Time picker whose value is in minutes after midnight. */
function MinutePicker(props: {
  value?: number | null
  onChange?(minute: number | null): void
  id?: string
  placeholder?: string
}) {
  const { value, onChange, ...rest } = props
  const at = value === undefined || value === null ? null : dayjs(ANY_DAY).add(value, 'minute')
  return (
    <TimePicker
      {...rest}
      style={{ width: '100%' }}
      format="HH:mm"
      needConfirm={false}
      value={at}
      onChange={(next: Dayjs | null) => onChange?.(next ? next.hour() * 60 + next.minute() : null)}
    />
  )
}
