import type { PickedUser } from '@oms/contract/account/account-fields.ts'
import { accounts } from '@oms/contract/account/account-list.ts'
import { Select } from 'antd'
import { useState } from 'react'
import type * as z from 'zod'
import { useRead } from '#core/api/query.ts'
import { renderNoOptions } from '#kit/form/no-options.tsx'
import '#kit/kit.css'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { keepStaleOptions } from './keep-stale-options.ts'

export type User = z.output<typeof PickedUser>

interface UserPickerProps {
  /** Set by Field: the account id. */
  value?: number
  onChange?: (uid: number | undefined, user?: User) => void
  /** Initially selected account, so that its name is shown instead of its id. */
  chosen?: Pick<User, 'uid' | 'realname'>
  id?: string
  placeholder?: string
  /** Offers only accounts that may handle tickets. */
  forTickets?: true
}

/** Selects an account by account name, name or mobile number; searches on the server while typing. */
export function UserPicker({
  value,
  onChange,
  chosen,
  id,
  placeholder = '输入账号、姓名或手机号搜索',
  forTickets,
}: UserPickerProps) {
  const [keyword, setText] = useKeyword()
  const read = useRead(accounts.search, {
    keyword,
    pageNum: 1,
    pageSize: 20,
    ...(forTickets && { forTickets: 1 }),
  })
  const found = read.data?.list ?? []
  const [picked, setPicked] = useState<User>()
  const selected = picked && picked.uid === value ? optionOf(picked) : nameOf(chosen, value)
  const options = listOptions(found, selected, keyword)
  return (
    <Select
      {...(id && { id })}
      {...(value !== undefined && { value })}
      allowClear
      placeholder={placeholder}
      {...keepStaleOptions(read.isFetching)}
      showSearch={{ filterOption: false, onSearch: setText }}
      notFoundContent={renderNoOptions(read, '没有找到账号')}
      options={options}
      labelRender={({ label, value: uid }) => label ?? selected?.label ?? uid}
      // antd clears the typed text when the list closes, and does not report that.
      onOpenChange={(open) => !open && setText('')}
      onChange={(uid: number | undefined) => {
        const user = found.find((each) => each.uid === uid)
        setPicked(user)
        onChange?.(uid, user)
      }}
    />
  )
}

interface UserOption {
  readonly value: number
  readonly label: string
}

/**
 * Returns the found accounts, preceded by the selected account when it was not found. A search returns only its
 * results; otherwise Enter selects the selected account again.
 */
function listOptions(found: readonly User[], selected: UserOption | undefined, keyword: string): UserOption[] {
  const isShown = !selected || keyword !== '' || found.some(({ uid }) => uid === selected.value)
  return [...(isShown ? [] : [selected]), ...found.map(optionOf)]
}

const nameOf = (chosen: UserPickerProps['chosen'], value: number | undefined) =>
  chosen && chosen.uid === value ? { value: chosen.uid, label: chosen.realname } : undefined

const optionOf = ({ uid, realname, account, mobileNo }: User) => ({
  value: uid,
  label: [realname || account, realname && account, mobileNo].filter(Boolean).join(' · '),
})
