import { accounts } from '@oms/contract/account/account-list.ts'
import { useSession } from '#core/auth/session.tsx'
import { EnableSwitch } from '#kit/list/enable-switch.tsx'
import { type Account, formatAccountName } from './use-account-actions.tsx'

/** Enables or disables an account, except the user's own. */
export function AccountStatus({
  row,
}: {
  row: Pick<Account, 'uid' | 'account' | 'realname' | 'status' | 'changeRefusal'>
}) {
  const self = useSession()?.uid
  return (
    <EnableSwitch
      calls={accounts}
      id={row.uid}
      on={row.status === 1}
      name={formatAccountName(row)}
      reason={row.uid === self ? '不能停用自己的账号' : (row.changeRefusal ?? undefined)}
      warning="停用后该账号立即退出登录，且不能再登录。"
    />
  )
}
