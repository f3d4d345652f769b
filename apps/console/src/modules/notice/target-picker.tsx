import { notices } from '@oms/contract/notice.ts'
import type { NoticeTarget } from '@oms/contract/notice-rows.ts'
import { Select, Spin } from 'antd'
import { useState } from 'react'
import type * as z from 'zod'
import { useRead } from '#kernel/query.ts'
import { useKeyword } from '#kit/use-keyword.ts'

type Target = z.output<typeof NoticeTarget>
export type TargetKind = 2 | 3 | 4

const WORDS: Readonly<Record<TargetKind, string>> = {
  2: '输入客户名称搜索',
  3: '输入角色名称搜索',
  4: '输入账号或姓名搜索',
}

interface Props {
  kind: TargetKind
  /** Given by Field. */
  value?: number[]
  onChange?: (ids: number[]) => void
  id?: string
  /** Names of those chosen before. */
  chosen: readonly Target[]
}

/** Picks customers, roles or accounts; asks the server as one types. */
export function TargetPicker({ kind, value = [], onChange, id, chosen }: Props) {
  const [keyword, setText] = useKeyword()
  const [seen, setSeen] = useState<readonly Target[]>(chosen)
  const { data, isFetching } = useRead(notices.targets, { target: kind, keyword, pageNum: 1, pageSize: 50 })
  const found = data?.list ?? []
  const known = seen.filter((target) => value.includes(target.id) && !found.some((each) => each.id === target.id))
  return (
    <Select
      {...(id && { id })}
      mode="multiple"
      value={value}
      placeholder={WORDS[kind]}
      maxTagCount={20}
      showSearch={{ filterOption: false, onSearch: setText }}
      notFoundContent={isFetching ? <Spin size="small" /> : '没有找到'}
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
