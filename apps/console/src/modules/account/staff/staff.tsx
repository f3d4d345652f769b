import { type StaffRow, staff } from '@oms/contract/account/staff.ts'
import { useState } from 'react'
import type * as z from 'zod'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { useWrite, useRead } from '#core/api/query.ts'
import { useSession } from '#core/auth/session.tsx'
import type { RowAction } from '#kit/list/row-actions.tsx'
import { GENDER } from '@oms/contract/account/account-fields.ts'
import { DictLabel } from '#kit/pickers/dict-words.tsx'

const OneTimeSecret = lazyAfterRender(() => import('#kit/feedback/one-time-secret.tsx'), 'OneTimeSecret')

export type Staff = z.output<typeof StaffRow>

export const formatStaffName = ({ realname, account }: Pick<Staff, 'realname' | 'account'>) =>
  realname ? `${realname}（${account}）` : account

type Secret = { readonly kind: 'password' | 'code'; readonly account: string; readonly secret: string }

/** Keeps a new one-time password or reset code and renders the dialog that shows it. */
export function useOneTimeSecret() {
  const [secret, setSecret] = useState<Secret>()
  const dialog = secret && (
    <OneTimeSecret
      title={secret.kind === 'password' ? '一次性密码' : '密码重置码'}
      account={secret.account}
      label={secret.kind === 'password' ? '一次性密码' : '重置码'}
      secret={secret.secret}
      hint={
        secret.kind === 'password'
          ? '请通过安全的方式转交本人。首次登录后必须修改密码。'
          : '请通过安全的方式转交本人，24 小时内在“忘记密码”页面使用，只能使用一次。'
      }
      onClose={() => setSecret(undefined)}
    />
  )
  const showPassword = ({ account, password }: { account: string; password: string }) =>
    setSecret({ kind: 'password', account, secret: password })
  const showCode = ({ account, code }: { account: string; code: string }) =>
    setSecret({ kind: 'code', account, secret: code })
  return { dialog, showPassword, showCode }
}

type SecretDialogs = Pick<ReturnType<typeof useOneTimeSecret>, 'showPassword' | 'showCode'>

/** Returns the row actions of an account except details and edit. Users cannot apply these actions to themselves. */
export function useStaffActions(secret: SecretDialogs) {
  const self = useSession()?.uid
  const secretActionsOf = useSecretActions(secret)
  const removeMfa = useWrite(staff.removeMfa)
  const unlock = useWrite(staff.unlock)
  const remove = useWrite(staff.remove)
  return (row: Staff): readonly (RowAction | false)[] => [
    row.locked && {
      label: '解锁',
      to: staff.unlock,
      reason: row.changeRefusal ?? undefined,
      onClick: () => unlock.mutateAsync({ id: row.uid }).catch(() => {}),
    },
    ...(row.uid === self ? [] : secretActionsOf(row)),
    row.mfaEnabled &&
      row.uid !== self && {
        label: '解除两步验证',
        to: staff.removeMfa,
        reason: row.changeRefusal ?? undefined,
        confirm: `解除「${formatStaffName(row)}」的两步验证？请先核实本人身份；已登录的会话全部退出，之后登录只需要密码。`,
        onClick: () => removeMfa.mutateAsync({ id: row.uid }),
      },
    row.uid !== self && {
      label: '删除',
      to: staff.remove,
      reason: row.changeRefusal ?? undefined,
      danger: true,
      confirm: `删除用户「${formatStaffName(row)}」？该账号立即退出登录，且不能恢复。`,
      onClick: () => remove.mutateAsync({ ids: [row.uid] }),
    },
  ]
}

/** Returns the actions that create a one-time password or a reset code. */
function useSecretActions({ showPassword, showCode }: SecretDialogs) {
  const resetPasswd = useWrite(staff.resetPasswd)
  const resetCode = useWrite(staff.resetCode)
  return (row: Staff): readonly RowAction[] => [
    {
      label: '重置密码',
      to: staff.resetPasswd,
      reason: row.changeRefusal ?? undefined,
      confirm: `重置「${formatStaffName(row)}」的密码？原密码立即失效，已登录的会话全部退出。`,
      onClick: async () => showPassword(await resetPasswd.mutateAsync({ id: row.uid })),
    },
    {
      label: '生成重置码',
      to: staff.resetCode,
      reason: row.changeRefusal ?? undefined,
      confirm: `为「${formatStaffName(row)}」生成密码重置码？使用前原密码仍然有效，之前的重置码立即失效。`,
      onClick: async () => showCode(await resetCode.mutateAsync({ id: row.uid })),
    },
  ]
}

/** Gender of an account with the label of the dictionary. */
export const Gender = ({ gender }: { gender: number | null }) => (
  <DictLabel type="sys_user_sex" words={GENDER} value={gender} />
)

/**
 * Returns the roles of the tenant as options. Disabled roles, and roles with permissions that the user lacks, cannot be
 * selected.
 */
export function useRoleOptions() {
  const { data } = useRead(staff.roleOptions, {}, { quiet: true })
  return (data?.list ?? []).map(({ id, roleName, status, grantable }) => ({
    value: id,
    label: status !== 1 ? `${roleName}（已停用）` : grantable ? roleName : `${roleName}（含您没有的权限，不能分配）`,
    disabled: status !== 1 || !grantable,
  }))
}
