import { NOTICE_TARGET, NoticeInput, notices } from '@oms/contract/notice/notice.ts'
import type { NoticeTarget } from '@oms/contract/notice/notice-rows.ts'
import { Form } from 'antd'
import type * as z from 'zod'
import { useRead } from '#core/api/query.ts'
import { useMustChooseTenant, useSession } from '#core/auth/session.tsx'
import { Field, SelectField } from '#kit/form/field.tsx'
import { TargetPicker, type TargetKind } from './target-picker.tsx'

const PLATFORM = '1'
const EVERYONE = 1
const CUSTOMERS = 2

/** Form fields for the targets of a notice. Shows the number of recipients. */
export function TargetFields({ chosen }: { chosen: readonly z.output<typeof NoticeTarget>[] }) {
  const form = Form.useFormInstance()
  const target = Form.useWatch<number | undefined>('target', form)
  const targetIds = Form.useWatch<number[] | undefined>('targetIds', { form, preserve: true }) ?? []
  const fromPlatform = String(useSession()?.ownerId ?? '') === PLATFORM
  const isLimited = useMustChooseTenant()
  const options = Object.entries(NOTICE_TARGET)
    .map(([value, label]) => ({ value: Number(value), label }))
    .filter(({ value }) => (fromPlatform || value !== CUSTOMERS) && !(isLimited && value === EVERYONE))
  return (
    <>
      <SelectField of={NoticeInput} name="target" options={options} hint={<Audience {...{ target, targetIds }} />} />
      <Form.Item noStyle shouldUpdate={(before, after) => reset(form, before, after)}>
        {() =>
          target !== undefined &&
          target !== EVERYONE && (
            <Field of={NoticeInput} name="targetIds">
              <TargetPicker key={target} kind={target as TargetKind} chosen={chosen} />
            </Field>
          )
        }
      </Form.Item>
    </>
  )
}

/** Clears the selected targets when the target type changes. */
function reset(form: ReturnType<typeof Form.useFormInstance>, before: { target?: number }, after: { target?: number }) {
  const changed = before.target !== after.target
  if (changed && before.target !== undefined) form.setFieldValue('targetIds', [])
  return changed
}

function Audience({ target, targetIds }: { target: number | undefined; targetIds: number[] }) {
  const known = target !== undefined && (target === EVERYONE || targetIds.length > 0)
  const ids = target === EVERYONE ? [] : targetIds
  const { data } = useRead(notices.audience, { target: target ?? EVERYONE, targetIds: ids } as never, {
    enabled: known,
    quiet: true,
  })
  return <>{known && data ? `将发送给 ${data.count} 个账号` : '请选择发送范围'}</>
}
