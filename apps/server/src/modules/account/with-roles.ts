import type { Db } from '#core/database/client.ts'
import { maskEmail, maskMobile } from '#core/audit/mask.ts'
import { readRolesOfAccounts } from './account-roles.ts'

interface Bare {
  readonly uid: number
  readonly mobileNo: string | null
  readonly email: string | null
}

/** Adds roles to account rows and masks contact details unless `plain` is true. */
export async function addRoles<R extends Bare>(db: Db, rows: readonly R[], { plain }: { plain: boolean }) {
  const roles = await readRolesOfAccounts(
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
