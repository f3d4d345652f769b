import type { Db } from '#db/client.ts'
import { maskEmail, maskMobile } from '../mask.ts'
import { rolesOfAccounts } from './account-roles.ts'

interface Bare {
  readonly uid: number
  readonly mobileNo: string | null
  readonly email: string | null
}

/** Accounts as lists show them: with their roles, and with numbers masked for those who may not see them `plain`. */
export async function withRoles<R extends Bare>(db: Db, rows: readonly R[], { plain }: { plain: boolean }) {
  const roles = await rolesOfAccounts(
    db,
    rows.map(({ uid }) => uid),
  )
  return rows.map((row) => {
    const held = roles.get(row.uid) ?? []
    return {
      ...row,
      ...(!plain && { mobileNo: maskMobile(row.mobileNo), email: maskEmail(row.email) }),
      roleIds: held.map(({ id }) => id),
      roleNames: held.map(({ roleName }) => roleName),
    }
  })
}
