import { accounts } from '@oms/contract/account-list.ts'
import { useWrite } from '#kernel/query.ts'
import { useCan, useSession } from '#kernel/session.tsx'
import { StatusSwitch } from '#kit/status-switch.tsx'
import { type Account, nameOf } from './use-account-actions.tsx'

/** Lets an account in or puts it out; nobody does it to himself. */
export function AccountStatus({ row }: { row: Pick<Account, 'uid' | 'account' | 'realname' | 'status'> }) {
  const enable = useWrite(accounts.enable)
  const disable = useWrite(accounts.disable)
  const self = useSession()?.uid
  const can = useCan()
  return (
    <StatusSwitch
      on={row.status === 1}
      name={nameOf(row)}
      disabled={row.uid === self || !can(accounts.enable.access)}
      warning="停用后该账号立即退出登录，且不能再登录。"
      onChange={(on) => (on ? enable : disable).mutateAsync({ id: row.uid })}
    />
  )
}
