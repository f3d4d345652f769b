import { notices } from '@oms/contract/notice/notice.ts'
import type { NoticeTarget } from '@oms/contract/notice/notice-rows.ts'
import { useState } from 'react'
import type * as z from 'zod'
import { useRead } from '#core/api/query.ts'
import { renderNoOptions } from '#kit/form/no-options.tsx'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { CreatingSelect } from '#kit/pickers/creating-select.tsx'
import { keepStaleOptions } from '#kit/pickers/keep-stale-options.ts'

type Target = z.output<typeof NoticeTarget>
export type TargetKind = 2 | 3 | 4

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
export function TargetPicker({ kind, value = [], onChange, id, chosen }: Props) {
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
