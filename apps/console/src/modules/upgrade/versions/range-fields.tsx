import { about } from '@oms/contract/core/fields.ts'
import { OTA_MESSAGES, OtaVersionInput } from '@oms/contract/upgrade/ota.ts'
import { formatVersionRange, includesNewerVersions, isRangeBackwards } from '@oms/contract/upgrade/version-range.ts'
import { Form, Input } from 'antd'
import { digitsOnly, buildFieldRules } from '#kit/form/field.tsx'
import { showCount } from '#kit/form/text-limit.ts'
import './ota.css'

type End = 'oldVerMin' | 'oldVerMax'
const PATH = { min: ['otaVersion', 'oldVerMin'], max: ['otaVersion', 'oldVerMax'] }

const numberIn = (value: unknown) => (value === '' || value === undefined || value === null ? null : Number(value))

/** Form fields for the range of applicable old versions. Both ends are optional; a hint shows the range in words. */
export function RangeFields() {
  const form = Form.useFormInstance()
  const range = () => ({
    oldVerMin: numberIn(form.getFieldValue(PATH.min)),
    oldVerMax: numberIn(form.getFieldValue(PATH.max)),
  })
  const ordered = {
    validator: async () => {
      if (isRangeBackwards(range())) throw new Error(OTA_MESSAGES.range)
    },
  }
  return (
    <div className="ota-wide">
      <div className="kit-row">
        <EndField name="oldVerMin" />
        <EndField name="oldVerMax" formRule={ordered} />
      </div>
      <RangeHint />
    </div>
  )
}

function EndField({ name, formRule }: { name: End; formRule?: { validator(): Promise<void> } }) {
  const { title, max } = about(OtaVersionInput, name)
  const { rules, validateTrigger } = buildFieldRules({ of: OtaVersionInput, name })
  return (
    <Form.Item
      name={['otaVersion', name]}
      label={title}
      normalize={digitsOnly}
      validateTrigger={validateTrigger}
      rules={[...rules, ...(formRule ? [formRule] : [])]}
      dependencies={formRule ? [PATH.min] : []}
      className="ota-end"
    >
      <Input inputMode="numeric" {...(max !== undefined && showCount(max))} placeholder="不填则不限" />
    </Form.Item>
  )
}

/** Shows the range in words and warns about a range that cannot be enabled. */
function RangeHint() {
  const form = Form.useFormInstance()
  const oldVerMin = numberIn(Form.useWatch(PATH.min, { form, preserve: true }))
  const oldVerMax = numberIn(Form.useWatch(PATH.max, { form, preserve: true }))
  const verCode = numberIn(Form.useWatch(['otaVersion', 'verCode'], { form, preserve: true }))
  const range = { oldVerMin, oldVerMax }
  const beyond = verCode !== null && includesNewerVersions({ ...range, verCode })
  return (
    <p className="kit-hint" role="status">
      {isRangeBackwards(range) ? '范围不成立' : formatVersionRange(range)}
      {beyond && <strong className="kit-warning">；{OTA_MESSAGES.beyond}，否则不能启用</strong>}
    </p>
  )
}
