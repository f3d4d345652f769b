import type { AccountRow } from '@oms/contract/account/account-fields.ts'
import { accounts } from '@oms/contract/account/account-list.ts'
import { type ReactNode, useState } from 'react'
import type * as z from 'zod'
import { useWrite } from '#core/api/query.ts'
import { useSession } from '#core/auth/session.tsx'
import { OneTimeSecret } from '#kit/feedback/one-time-secret.tsx'
import type { RowAction } from '#kit/list/row-actions.tsx'
import { EnableSwitch } from '#kit/list/enable-switch.tsx'

export type Account = z.output<typeof AccountRow>
type Named = Pick<Account, 'uid' | 'account' | 'realname' | 'locked' | 'mfaEnabled' | 'changeRefusal'>

export const formatAccountName = ({ realname, account }: Pick<Account, 'realname' | 'account'>) =>
  realname ? `${realname}（${account}）` : account

interface Secret {
  readonly title: string
  readonly label: string
  readonly account: string
  readonly secret: string
  readonly hint: string
}

/** Calls of the actions on an account. */
export const ACCOUNT_ACTION_CALLS = [
  accounts.unlock,
  accounts.resetPasswd,
  accounts.resetCode,
  accounts.removeMfa,
  accounts.endSessions,
]

/** Returns the actions on an account, and the dialog for a one-time password or code. */
export function useAccountActions(): { actionsOf(row: Named): readonly (RowAction | false)[]; dialog: ReactNode } {
  const self = useSession()?.uid
  const { secretActionsOf, dialog } = useSecretActions()
  const removeMfa = useWrite(accounts.removeMfa)
  const unlock = useWrite(accounts.unlock)
  const endSessions = useWrite(accounts.endSessions)
  const actionsOf = (row: Named) => [
    row.locked && {
      label: '解锁',
      to: accounts.unlock,
      reason: row.changeRefusal ?? undefined,
      onClick: () => unlock.mutateAsync({ id: row.uid }).catch(() => {}),
    },
    ...(row.uid === self ? [] : secretActionsOf(row)),
    row.mfaEnabled &&
      row.uid !== self && {
        label: '解除两步验证',
        to: accounts.removeMfa,
        reason: row.changeRefusal ?? undefined,
        confirm: `解除「${formatAccountName(row)}」的两步验证？请先核实本人身份；已登录的会话全部退出，之后登录只需要密码。`,
        onClick: () => removeMfa.mutateAsync({ id: row.uid }),
      },
    row.uid !== self && {
      label: '强制下线',
      to: accounts.endSessions,
      reason: row.changeRefusal ?? undefined,
      danger: true as const,
      confirm: `强制「${formatAccountName(row)}」的全部会话下线？未保存的内容会丢失。`,
      onClick: () => endSessions.mutateAsync({ id: row.uid }),
    },
  ]
  return { actionsOf, dialog }
}

/** Returns the actions that create a one-time password or code, and the dialog that shows the result. */
function useSecretActions() {
  const [secret, setSecret] = useState<Secret>()
  const resetPasswd = useWrite(accounts.resetPasswd)
  const resetCode = useWrite(accounts.resetCode)
  const newPassword = async (id: number) => {
    const { account, password } = await resetPasswd.mutateAsync({ id })
    setSecret({ title: '一次性密码', label: '一次性密码', account, secret: password, hint: PASSWORD_HINT })
  }
  const newCode = async (id: number) => {
    const { account, code } = await resetCode.mutateAsync({ id })
    setSecret({ title: '密码重置码', label: '重置码', account, secret: code, hint: CODE_HINT })
  }
  const secretActionsOf = (row: Named): readonly RowAction[] => [
    {
      label: '重置密码',
      to: accounts.resetPasswd,
      reason: row.changeRefusal ?? undefined,
      confirm: `重置「${formatAccountName(row)}」的密码？原密码立即失效，已登录的会话全部退出。`,
      onClick: () => newPassword(row.uid),
    },
    {
      label: '生成重置码',
      to: accounts.resetCode,
      reason: row.changeRefusal ?? undefined,
      confirm: `为「${formatAccountName(row)}」生成密码重置码？使用前原密码仍然有效，之前的重置码立即失效。`,
      onClick: () => newCode(row.uid),
    },
  ]
  return { secretActionsOf, dialog: secret && <OneTimeSecret {...secret} onClose={() => setSecret(undefined)} /> }
}

const PASSWORD_HINT = '请通过安全的方式转交本人。首次登录后必须修改密码。'
const CODE_HINT = '请通过安全的方式转交本人，24 小时内在“忘记密码”页面使用，只能使用一次。'

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
