import { accounts } from '@oms/contract/account-list.ts'
import { useSession } from '#kernel/session.tsx'
import { EnableSwitch } from '#kit/enable-switch.tsx'
import { type Account, nameOf } from './use-account-actions.tsx'

/** Lets an account in or puts it out; nobody does it to himself. */
export function AccountStatus({ row }: { row: Pick<Account, 'uid' | 'account' | 'realname' | 'status'> }) {
  const self = useSession()?.uid
  return (
    <EnableSwitch
      calls={accounts}
      id={row.uid}
      on={row.status === 1}
      name={nameOf(row)}
      disabled={row.uid === self}
      warning="停用后该账号立即退出登录，且不能再登录。"
    />
  )
}
