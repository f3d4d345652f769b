import {
  findDatesProblem,
  findDayPartsProblem,
  NewProgramInput,
  ProgramInput,
} from '@oms/contract/advertise/program-input.ts'
import { INSERT_MODE_NAME, TARGET_TYPE } from '@oms/contract/advertise/program-words.ts'
import { Form } from 'antd'
import { useSession } from '#core/auth/session.tsx'
import { Field, NoteField, NumberField, SelectField, SwitchField, TextField } from '#kit/form/field.tsx'
import { DateControl, DateField } from '#kit/form/field-date.tsx'
import { TenantPicker, useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'
import { Panel } from '#kit/record/page.tsx'
import { type DayPart, DayParts, WeekdaysField } from '../timeline/day-parts.tsx'
import { usePlayModes } from './program-cells.tsx'
import { TargetFields } from '../timeline/target-fields.tsx'

interface Props {
  readonly targets: readonly { id: number; name: string }[]
  readonly tenantId: number | undefined
  /** Name of the tenant of a stored program; `new` for a program whose tenant can be chosen. */
  readonly owner: string | undefined
}

const NEW = 'new'
const partsRule = {
  validator: async (_rule: unknown, parts: readonly DayPart[] = []) => {
    const problem = findDayPartsProblem(parts)
    if (problem) throw new Error(problem)
  },
}
const requiredDate = { required: true, message: '请选择结束日期' }
const datesRule = ({ getFieldValue }: { getFieldValue(name: string): unknown }) => ({
  validator: async (_rule: unknown, dateTo: string | undefined) => {
    const dateFrom = getFieldValue('dateFrom') as string | undefined
    const problem = dateTo && dateFrom ? findDatesProblem({ dateFrom, dateTo }) : undefined
    if (problem) throw new Error(problem)
  },
})

/** Fields of a program except its items. */
export function ProgramFields({ targets, tenantId, owner }: Props) {
  const session = useSession()
  const isPlatform = (tenantId === undefined ? session?.ownerId : String(tenantId)) === '1'
  return (
    <div className="kit-stack ad-fields">
      <Panel title="基本信息">
        <TextField of={ProgramInput} name="programName" />
        <OwnerField owner={owner} />
        <NoteField of={ProgramInput} name="description" rows={2} />
      </Panel>
      <Panel title="投放对象">
        <TargetFields chosen={targets} tenantId={tenantId} isPlatform={isPlatform} />
        <ResolutionField />
        <SwitchField of={ProgramInput} name="isDefault" on="是" off="否" />
      </Panel>
      <TimePanel />
      <RulePanel />
    </div>
  )
}

/** Common sizes of screens, wide and upright. A stored size stays offered. */
const SIZES = ['1920×1080', '1080×1920', '3840×2160', '2160×3840', '1280×720', '720×1280', '1280×800', '800×1280']

function ResolutionField() {
  const stored = (Form.useWatch('resolution', Form.useFormInstance()) as string | undefined) ?? ''
  const sizes = stored === '' || SIZES.includes(stored) ? SIZES : [stored, ...SIZES]
  const options = [{ value: '', label: '不限' }, ...sizes.map((size) => ({ value: size, label: size }))]
  return (
    <SelectField
      of={ProgramInput}
      name="resolution"
      options={options}
      hint="内容按该分辨率制作，冲突检查会提示其他分辨率的屏幕"
    />
  )
}

/** Tenant of the program, for accounts that access several tenants. Ads and targets belong to the tenant. */
function OwnerField({ owner }: Pick<Props, 'owner'>) {
  const form = Form.useFormInstance()
  const isMany = useHasManyTenants()
  if (!isMany || !owner) return null
  if (owner !== NEW) return <Form.Item label="所属客户">{owner}</Form.Item>
  const clear = () => form.setFieldsValue({ items: [], targetType: TARGET_TYPE.devices, targetIds: [] })
  return (
    <Field of={NewProgramInput} name="tenantId" hint="不选则归属当前客户；更换客户会清空广告和投放对象">
      <TenantPicker onlyEnabled create="tenant" onChange={clear} />
    </Field>
  )
}

function TimePanel() {
  const weekdays = (Form.useWatch('weekdays', Form.useFormInstance()) as number | undefined) ?? 0
  return (
    <Panel title="投放时间">
      <div className="kit-pair">
        <DateField of={ProgramInput} name="dateFrom" />
        <Form.Item
          name="dateTo"
          label="结束日期"
          required
          dependencies={['dateFrom']}
          rules={[requiredDate, datesRule]}
        >
          <DateControl placeholder="请选择结束日期" />
        </Form.Item>
      </div>
      <Field of={ProgramInput} name="weekdays">
        <WeekdaysField />
      </Field>
      <Form.Item
        name="dayParts"
        label="时段"
        extra="日期和时段按每块屏幕所在时区的当地时间"
        rules={[partsRule]}
        validateTrigger="onChange"
      >
        <DayParts weekdays={weekdays} />
      </Form.Item>
    </Panel>
  )
}

function RulePanel() {
  const modes = usePlayModes().options
  const insertMode = (Form.useWatch('insertMode', Form.useFormInstance()) as number | undefined) ?? 0
  return (
    <Panel title="播放规则">
      <div className="kit-pair">
        <SelectField of={ProgramInput} name="playMode" options={modes} />
        <NumberField of={ProgramInput} name="priority" hint="0 到 9，大者优先" />
      </div>
      <SelectField
        of={ProgramInput}
        name="insertMode"
        options={Object.entries(INSERT_MODE_NAME).map(([value, label]) => ({ value: Number(value), label }))}
      />
      {insertMode === 0 && (
        <NumberField of={ProgramInput} name="shareOfVoice" unit="%" hint="不填则与同优先级的节目单平分时间" />
      )}
    </Panel>
  )
}
