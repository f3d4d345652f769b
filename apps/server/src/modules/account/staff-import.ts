import { GENDER } from '@oms/contract/account/account-fields.ts'
import { STAFF_IMPORT_COLUMNS, StaffInput, StaffRow, staff } from '@oms/contract/account/staff.ts'
import type { ParsedOf, ResultOf } from '@oms/contract/core/endpoint.ts'
import { and, eq, sql } from 'drizzle-orm'
import { createOneTimePassword } from '#core/auth/challenge.ts'
import { updateColumns } from '#core/database/optimistic-lock.ts'
import { invalid } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { accounts, roles } from '#core/schema/account.ts'
import { defineExport } from '#core/spreadsheet/export.ts'
import { defineImport } from '#core/spreadsheet/import/import.ts'
import { EXAMPLE_MARK, type ImportCtx } from '#core/spreadsheet/import/lines.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { findReceivingTenantProblem } from '#core/tenancy/tenant-state.ts'
import { assertMayChangeOtherAccount } from './account-guard.ts'
import { insertStaff, type NewStaff, requireTenant } from './new-account.ts'
import {
  visibleStaff,
  setAccountRoles,
  updateAccount,
  buildStaffFilter,
  buildStaffSort,
  presentStaff,
  staffColumns,
} from './staff.ts'

const GENDER_CODES = new Map(Object.entries(GENDER).map(([code, label]) => [label as string, code]))

type Found = typeof accounts.$inferSelect

interface State {
  readonly update: boolean
  /** Reason why the tenant receives no new accounts. */
  readonly problem: string | undefined
  readonly roles: ReadonlyMap<string, number>
  /** Lines by account, for the error of a duplicate. */
  readonly seen: Map<string, number>
  /** Imported lines by mobile number and by email address, for the error of a duplicate. */
  readonly contacts: Record<'mobileNo' | 'email', Map<string, number>>
  readonly passwords: { readonly account: string; readonly password: string }[]
  readonly afterCommit: (() => void)[]
}

/**
 * Imports staff of the session's tenant from a spreadsheet. The response contains the passwords of new accounts,
 * once.
 */
const taking = defineImport({
  kind: 'account',
  endpoint: staff.import,
  name: '用户',
  schema: StaffInput,
  required: ['account', 'realname'],
  exportedRow: StaffRow,
  columns: STAFF_IMPORT_COLUMNS,
  example: {
    account: 'zhangsan',
    realname: '张三',
    nickname: '小张',
    gender: '男',
    mobileNo: '13800000000',
    email: 'zhangsan@example.com',
    roleIds: '',
    remark: EXAMPLE_MARK,
  },
  prepare: async (ctx, { update }): Promise<State> => ({
    update: update === '1',
    problem: await findReceivingTenantProblem(ctx.db, requireTenant(ctx)),
    roles: await rolesByName(ctx),
    seen: new Map(),
    contacts: { mobileNo: new Map(), email: new Map() },
    passwords: [],
    afterCommit: [],
  }),
  cells(given, state, refuse) {
    const names = (given['roleIds'] ?? '').split(/[、,，;；]/).flatMap((name) => (name.trim() ? [name.trim()] : []))
    const unknown = names.filter((name) => !state.roles.has(name))
    if (unknown.length > 0) refuse(invalid(`角色「${unknown.join('、')}」不存在`, 'roleIds'))
    const gender = GENDER_CODES.get(given['gender'] ?? '')
    return {
      ...Object.fromEntries(STAFF_IMPORT_COLUMNS.map((key) => [key, given[key] ?? ''])),
      ...(gender && { gender }),
      roleIds: names.flatMap((name) => state.roles.get(name) ?? []),
    }
  },
  async take(ctx, input, state, { row, filled }) {
    const { update, problem, seen, passwords, afterCommit } = state
    const name = input.account.toLowerCase()
    const earlier = seen.get(name)
    if (earlier) throw invalid(`与第${earlier}行的账号重复`, 'account')
    seen.set(name, row)
    const found = await existing(ctx, input.account)
    if (found && !update) throw invalid('账号已存在', 'account')
    assertContactsUnused(input, state)
    if (found) {
      const sent = Object.fromEntries(Object.entries(input).filter(([key]) => filled.has(key)))
      await change({ ...ctx, afterCommit: (work) => void afterCommit.push(work) }, found, sent)
      noteContacts(input, state, row)
      return 'updated'
    }
    if (problem) throw invalid(problem)
    const { password, passwordHash } = await createOneTimePassword()
    await insertStaff(ctx, input, passwordHash)
    noteContacts(input, state, row)
    passwords.push({ account: input.account, password })
    return 'created'
  },
  answer({ passwords, afterCommit }, dryRun) {
    if (dryRun) return { passwords: [] }
    for (const work of afterCommit) work()
    return { passwords }
  },
})

export const createStaffTemplate = taking.template

/**
 * Runs the import in the request. The call limits the number of lines, and a job must not store
 * passwords.
 */
export const importStaff = (ctx: Ctx, input: ParsedOf<typeof staff.import>) =>
  taking.take(ctx, input) as Promise<ResultOf<typeof staff.import>>

type Contacts = Pick<NewStaff, 'mobileNo' | 'email'>
const CONTACTS = { mobileNo: '手机号', email: '邮箱' } as const
const CONTACT_KEYS = ['mobileNo', 'email'] as const

/** Throws when an imported line has the same mobile number or email address. */
function assertContactsUnused(input: Contacts, { contacts }: State) {
  for (const key of CONTACT_KEYS) {
    const earlier = contacts[key].get((input[key] ?? '').toLowerCase())
    if (earlier) throw invalid(`与第${earlier}行的${CONTACTS[key]}重复`, key)
  }
}

function noteContacts(input: Contacts, { contacts }: State, row: number) {
  for (const key of CONTACT_KEYS) if (input[key]) contacts[key].set(input[key].toLowerCase(), row)
}

async function existing({ db, user }: ImportCtx, account: string) {
  const [found] = await db
    .select()
    .from(accounts)
    .where(and(eq(sql`lower(${accounts.account})`, account.toLowerCase()), visibleStaff(user)))
    .for('update')
  return found
}

/** Updates the fields in the line. An empty cell keeps the old value. */
async function change(ctx: ImportCtx & Pick<Ctx, 'afterCommit'>, found: Found, sent: Partial<NewStaff>) {
  const { account: _, roleIds, ...values } = sent
  await assertMayChangeOtherAccount(ctx, found)
  await updateAccount(ctx, found.uid, { ...(values as Partial<Found>), ...updateColumns(found, ctx.user.uid, ctx.now) })
  if (roleIds) await setAccountRoles(ctx, found, roleIds)
}

async function rolesByName({ db, user }: ImportCtx) {
  const found = await db
    .select({ id: roles.id, name: roles.roleName })
    .from(roles)
    .where(and(eq(roles.tenantId, requireTenant({ user })), notDeleted(roles)))
    .limit(1000)
  return new Map(found.map(({ id, name }) => [name, id]))
}

const COLUMNS = [
  'account',
  'realname',
  'nickname',
  'gender',
  'mobileNo',
  'email',
  'roleNames',
  'status',
  'locked',
  ['lastLoginTime', { type: 'dateTime', width: 20 }],
  'lastLoginIp',
  ['expireTime', { type: 'dateTime', width: 20 }],
  ['createTime', { type: 'dateTime', width: 20 }],
  'remark',
] as const

/** Exports the filtered list in list order. Phone numbers and mail addresses are masked as in the list. */
export const exportStaff = defineExport({
  kind: 'staff',
  endpoint: staff.export,
  sheet: '用户',
  schema: StaffRow,
  columns: COLUMNS,
  key: accounts.uid,
  where: buildStaffFilter,
  order: buildStaffSort,
  load: async (db, user, where) => presentStaff(db, user, await db.select(staffColumns).from(accounts).where(where)),
  keyOf: ({ uid }) => uid,
})
