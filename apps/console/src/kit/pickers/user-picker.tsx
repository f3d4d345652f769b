import type { PickedUser } from '@oms/contract/entities/account.ts'
import { accounts } from '@oms/contract/account-list/account-list.ts'
import { Select, Spin } from 'antd'
import type * as z from 'zod'
import { useRead } from '#core/api/query.ts'
import '#kit/kit.css'
import { useOptionLabels } from '#kit/form/option-labels.ts'
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
  const { data, isFetching } = useRead(accounts.search, {
    keyword,
    pageNum: 1,
    pageSize: 20,
    ...(forTickets && { forTickets: 1 }),
  })
  const found = data?.list ?? []
  const known = found.some(({ uid }) => uid === value) || !chosen || chosen.uid !== value ? [] : [chosen]
  const options = [...known.map((user) => ({ value: user.uid, label: user.realname })), ...found.map(optionOf)]
  useOptionLabels(id, options)
  return (
    <Select
      {...(id && { id })}
      {...(value !== undefined && { value })}
      allowClear
      placeholder={placeholder}
      {...keepStaleOptions(isFetching)}
      showSearch={{ filterOption: false, onSearch: setText }}
      notFoundContent={isFetching ? <Spin size="small" /> : '没有找到账号'}
      options={options}
      onChange={(uid: number | undefined) =>
        onChange?.(
          uid,
          found.find((user) => user.uid === uid),
        )
      }
    />
  )
}

const optionOf = ({ uid, realname, account, mobileNo }: User) => ({
  value: uid,
  label: [realname || account, realname && account, mobileNo].filter(Boolean).join(' · '),
})
