import { NOTICE_TARGET, NoticeInput, notices } from '@oms/contract/system/notice.ts'
import type { NoticeTarget } from '@oms/contract/system/notice-rows.ts'
import { Form } from 'antd'
import type * as z from 'zod'
import { useState } from 'react'
import { useRead } from '#core/api/query.ts'
import { useMustChooseTenant, useSession } from '#core/auth/session.tsx'
import { Field, SelectField } from '#kit/form/field.tsx'
import { renderNoOptions } from '#kit/form/no-options.tsx'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { CreatingSelect } from '#kit/pickers/creating-select.tsx'
import { keepStaleOptions } from '#kit/pickers/keep-stale-options.ts'

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

type Target = z.output<typeof NoticeTarget>
type TargetKind = 2 | 3 | 4

const WORDS: Readonly<Record<TargetKind, string>> = {
  2: '输入客户名称搜索',
  3: '输入角色名称搜索',
  4: '输入账号或姓名搜索',
}

/**
 * Kinds of records that a user may create in the picker, by kind of target. Accounts are missing, because only their
 * own screen shows the one-time password.
 */
const CREATES: Readonly<Partial<Record<TargetKind, 'tenant' | 'role'>>> = { 2: 'tenant', 3: 'role' }

interface Props {
  kind: TargetKind
  /** The form sets the value. */
  value?: number[]
  onChange?: (ids: number[]) => void
  id?: string
  /** Names of the targets that were selected when the form opened. */
  chosen: readonly Target[]
}

/** Selects tenants, roles or accounts. Searches on the server while the user types. */
function TargetPicker({ kind, value = [], onChange, id, chosen }: Props) {
  const [keyword, setText] = useKeyword()
  const [seen, setSeen] = useState<readonly Target[]>(chosen)
  const read = useRead(notices.targets, { target: kind, keyword, pageNum: 1, pageSize: 50 })
  const found = read.data?.list ?? []
  const known = seen.filter((target) => value.includes(target.id) && !found.some((each) => each.id === target.id))
  return (
    <CreatingSelect
      create={CREATES[kind]}
      {...(id && { id })}
      mode="multiple"
      value={value}
      placeholder={WORDS[kind]}
      maxTagCount={20}
      {...keepStaleOptions(read.isFetching)}
      showSearch={{ filterOption: false, onSearch: setText }}
      notFoundContent={renderNoOptions(read)}
      options={[...known, ...found].map((target) => ({
        value: target.id,
        label: target.detail ? `${target.name}（${target.detail}）` : target.name,
      }))}
      onChange={(ids: number[]) => {
        setSeen([...new Map([...seen, ...found].map((each) => [each.id, each])).values()])
        onChange?.(ids)
      }}
    />
  )
}
