import { ProgramInput } from '@oms/contract/advertise/program-input.ts'
import { programOptions } from '@oms/contract/advertise/program-options.ts'
import { TARGET_TYPE, PROGRAM_TARGET_NAME } from '@oms/contract/advertise/program-words.ts'
import { Form, Segmented } from 'antd'
import { useState } from 'react'
import { useRead } from '#core/api/query.ts'
import { Field } from '#kit/form/field.tsx'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { RecordSelect, type RecordSelectProps } from '#kit/pickers/record-select.tsx'
import { RecordsSelect } from '#kit/pickers/records-select.tsx'
import { PairingLink } from '../programs/program-cells.tsx'
import type { RecordOption } from '#kit/pickers/use-shown-options.tsx'

interface Named {
  readonly id: number
  readonly name: string
}

/** Fields for the targets of a program: their kind, and the devices, groups, models or tenants. */
export function TargetFields({
  chosen,
  tenantId,
  isPlatform,
}: {
  readonly chosen: readonly Named[]
  readonly tenantId: number | undefined
  readonly isPlatform: boolean
}) {
  const form = Form.useFormInstance()
  const targetType = (Form.useWatch('targetType', form) as number | undefined) ?? TARGET_TYPE.devices
  const isDefault = Form.useWatch('isDefault', form) === 1
  const [first] = useState(targetType)
  const kinds = Object.entries(PROGRAM_TARGET_NAME).flatMap(([value, label]) =>
    Number(value) === TARGET_TYPE.tenants && !isPlatform ? [] : [{ value: Number(value), label }],
  )
  if (isDefault)
    return <p className="kit-muted">默认节目单在没有其他节目单时播放，覆盖所属客户的全部屏幕，不需要选择投放对象。</p>
  return (
    <>
      <Form.Item name="targetType" style={{ marginBottom: 8 }}>
        <TargetType kinds={kinds} onKind={() => form.setFieldValue('targetIds', [])} />
      </Form.Item>
      <Field of={ProgramInput} name="targetIds" hint={<PairedOnly targetType={targetType} />}>
        <TargetSelect
          key={targetType}
          targetType={targetType as 1}
          tenantId={tenantId}
          chosen={targetType === first ? chosen : []}
        />
      </Field>
    </>
  )
}

/** Says that only paired screens play, and links to the page where screens are paired. */
const PairedOnly = ({ targetType }: { targetType: number }) => (
  <>
    {targetType === TARGET_TYPE.devices ? '只能选择已配对的屏幕' : '只投放到其中已配对的屏幕'}，
    <PairingLink />
  </>
)

interface TypeProps {
  readonly value?: number
  onChange?(value: number): void
  onKind(): void
  readonly kinds: { value: number; label: string }[]
}

/** Kind of the targets. Another kind empties the chosen targets. */
const TargetType = ({ value = TARGET_TYPE.devices, onChange, onKind, kinds }: TypeProps) => (
  <Segmented
    block
    aria-label="投放对象"
    options={kinds}
    value={value}
    onChange={(next) => {
      onKind()
      onChange?.(next)
    }}
  />
)

interface SelectProps {
  readonly value?: readonly number[]
  onChange?(ids: number[]): void
  readonly id?: string
  readonly targetType: keyof typeof PROGRAM_TARGET_NAME
  readonly tenantId: number | undefined
  readonly chosen: readonly Named[]
}

function TargetSelect({ targetType, tenantId, ...props }: SelectProps) {
  const [keyword, onSearch] = useKeyword()
  const read = useRead(programOptions.targets, { targetType, keyword, ...(tenantId && { tenantId }) }, { quiet: true })
  const isScreens = targetType === TARGET_TYPE.devices
  const options = (read.data?.list ?? []).map((row) => (isScreens ? toScreenOption(row) : toTargetOption(row)))
  return (
    <RecordsSelect
      {...props}
      maxTagCount={12}
      placeholder={`选择要投放的${PROGRAM_TARGET_NAME[targetType]}`}
      source={{ options, read, onSearch, ...(isScreens && { emptyText: NO_PAIRED_SCREEN }) }}
    />
  )
}

/** Selects one screen by serial number or name. */
export function ScreenSelect(props: RecordSelectProps) {
  const [keyword, onSearch] = useKeyword()
  const read = useRead(programOptions.screens, { keyword }, { quiet: true })
  const options = (read.data?.list ?? []).map(({ devName, ...row }) => toScreenOption({ ...row, detail: devName }))
  return (
    <RecordSelect
      placeholder="选择一块屏幕"
      {...props}
      source={{ options, read, onSearch, emptyText: NO_PAIRED_SCREEN }}
    />
  )
}

interface Target {
  readonly id: number
  readonly name: string
  readonly detail: string
  readonly hasScreen: boolean
}

/** Text of a list of screens without a match. */
export const NO_PAIRED_SCREEN = '没有找到已配对的屏幕'

const join = (...texts: readonly string[]) => texts.filter((text) => text !== '').join('，')
const addDetails = (name: string, details: string) => (details === '' ? name : `${name}（${details}）`)

/** Returns the option of a screen. A device without a paired screen cannot be selected and says so. */
export const toScreenOption = ({ id, name, detail, hasScreen }: Target): RecordOption => ({
  value: id,
  label: addDetails(name, join(detail === name ? '' : detail, hasScreen ? '' : '未配对，不能选择')),
  disabled: !hasScreen,
})

/** Returns the option of a group, model or tenant. Screens can be paired later, so an empty record can be selected. */
const toTargetOption = ({ id, name, detail, hasScreen }: Target): RecordOption => ({
  value: id,
  label: addDetails(name, join(detail === name ? '' : detail, hasScreen ? '' : '没有已配对的屏幕')),
})
