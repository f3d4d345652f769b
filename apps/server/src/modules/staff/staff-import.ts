import { GENDER } from '@oms/contract/account.ts'
import type { ParsedOf } from '@oms/contract/kernel/endpoint.ts'
import { type ImportProblem, MAX_REPORTED_ROWS } from '@oms/contract/kernel/transfer.ts'
import { STAFF_IMPORT_COLUMNS, STAFF_IMPORT_ROWS, type staff, StaffInput } from '@oms/contract/staff.ts'
import { and, eq, sql } from 'drizzle-orm'
import { accounts, roles } from '#db/schema/account.ts'
import type { Db } from '#db/client.ts'
import { assertMayTouch } from '#kernel/accounts/account-guard.ts'
import { insertStaff, type NewStaff, tenantOf } from '#kernel/accounts/new-account.ts'
import type { Ctx } from '#kernel/context.ts'
import { oneTimePassword } from '#kernel/one-time.ts'
import { invalid, Problem } from '#kernel/problem.ts'
import { touched } from '#kernel/stale.ts'
import { explained, openIncoming } from '#kernel/table/read-incoming.ts'
import type { TableRow } from '#kernel/table/table-limits.ts'
import { alive, transact } from '#kernel/tenancy.ts'
import { importTitle } from './staff-export.ts'
import { staffOf } from './staff-rows.ts'
import { setRoles, updateAccount } from './staff-write.ts'

const MAX_BYTES = 5 * 1024 * 1024
type Key = (typeof STAFF_IMPORT_COLUMNS)[number]

/** What a run did so far. */
interface Run {
  created: number
  updated: number
  readonly problems: ImportProblem[]
  failed: number
  readonly passwords: { account: string; password: string }[]
}

/** Undoes a dry run: everything was tried for real, and nothing stays. */
class Rehearsed extends Error {
  override readonly name = 'Rehearsed'
}

/** Creates or updates staff row by row; a wrong row is reported with its line and column and stops no other. */
export async function importStaff(ctx: Ctx, input: ParsedOf<typeof staff.import>) {
  const dryRun = input.dryRun === '1'
  const rows = await readRows(ctx)
  const run: Run = { created: 0, updated: 0, problems: [], failed: 0, passwords: [] }
  await transact(ctx, async (db) => {
    await takeRows({ ...ctx, db }, rows, { run, update: input.update === '1' })
    if (dryRun) throw new Rehearsed()
  }).catch((error: unknown) => {
    if (!(error instanceof Rehearsed)) throw error
  })
  const { created, updated, failed, problems } = run
  const total = `共${rows.lines.length}行，新增${created}，更新${updated}，失败${failed}`
  ctx.audit({ bizType: 'account', action: `${dryRun ? '试导入' : '导入'}用户：${total}` })
  return {
    total: rows.lines.length,
    created,
    updated,
    failed,
    rows: problems,
    dryRun,
    passwords: dryRun ? [] : run.passwords,
  }
}

interface Lines {
  readonly at: ReadonlyMap<Key, number>
  readonly lines: readonly TableRow[]
}

async function readRows({ incoming }: Ctx): Promise<Lines> {
  const table = await openIncoming(incoming, MAX_BYTES)
  const at = new Map<Key, number>()
  for (const key of STAFF_IMPORT_COLUMNS) {
    const index = table.header.findIndex((title) => title === importTitle(key) || title === key)
    if (index >= 0) at.set(key, index)
  }
  for (const key of ['account', 'realname'] as const)
    if (!at.has(key)) throw invalid(`表格缺少「${importTitle(key)}」列，请使用导入模板`, 'file')
  const lines: TableRow[] = []
  try {
    for await (const line of table.rows) {
      lines.push(line)
      if (lines.length > STAFF_IMPORT_ROWS) throw invalid(`一次最多导入${STAFF_IMPORT_ROWS}行`, 'file')
    }
  } catch (error) {
    explained(error)
  }
  if (lines.length === 0) throw invalid('表格中没有数据', 'file')
  return { at, lines }
}

async function takeRows(ctx: Ctx, { at, lines }: Lines, { run, update }: { run: Run; update: boolean }) {
  const known = await rolesByName(ctx)
  const seen = new Map<string, number>()
  for (const { row, cells } of lines) {
    const cell = (key: Key) => (at.has(key) ? (cells[at.get(key) as number] ?? '').trim() : '')
    const name = cell('account').toLowerCase()
    const earlier = seen.get(name)
    if (name) seen.set(name, row)
    const problem = earlier
      ? { row, field: importTitle('account'), msg: `与第${earlier}行的账号重复` }
      : await takeRow(ctx, { row, cell, known, update, run })
    if (!problem) continue
    run.failed += 1
    if (run.problems.length < MAX_REPORTED_ROWS) run.problems.push(problem)
  }
}

interface Line {
  readonly row: number
  readonly cell: (key: Key) => string
  readonly known: ReadonlyMap<string, number>
  readonly update: boolean
  readonly run: Run
}

async function takeRow(ctx: Ctx, line: Line): Promise<ImportProblem | undefined> {
  const { row, run } = line
  try {
    const { sent, input } = parse(line)
    const { password, passwordHash } = await oneTimePassword()
    await ctx.db.transaction(async (db) => {
      const found = await existing(ctx, db, input.account)
      if (found && !line.update) throw invalid('账号已存在', 'account')
      if (found) await updateRow({ ...ctx, db }, found, sent)
      else await insertStaff({ ...ctx, db }, input, passwordHash)
      run[found ? 'updated' : 'created'] += 1
      if (!found) run.passwords.push({ account: input.account, password })
    })
    return undefined
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const field = error.data?.field
    const title = field === undefined ? undefined : titleOf(field)
    return { row, msg: error.message, ...(title && { field: title }) }
  }
}

const titleOf = (field: string) => {
  const key = field.startsWith('roleIds') ? 'roles' : STAFF_IMPORT_COLUMNS.find((column) => column === field)
  return key && importTitle(key)
}

/** The cells as the form would have sent them; `sent` leaves the empty ones out. */
function parse({ cell, known }: Line): { sent: Partial<NewStaff>; input: NewStaff } {
  const names = cell('roles')
    .split(/[、,，;；]/)
    .flatMap((name) => (name.trim() ? [name.trim()] : []))
  const unknown = names.find((name) => !known.has(name))
  if (unknown) throw invalid(`角色「${unknown}」不存在`, 'roleIds')
  const gender = Object.entries(GENDER).find(([, label]) => label === cell('gender'))?.[0] ?? cell('gender')
  const raw = Object.fromEntries(STAFF_IMPORT_COLUMNS.map((key) => [key, cell(key)]))
  const given = { ...raw, gender, roleIds: names.map((name) => known.get(name)) }
  const result = StaffInput.safeParse(given)
  if (!result.success) {
    const [issue] = result.error.issues
    throw invalid(issue?.message ?? '格式不正确', issue?.path.map(String).join('.'))
  }
  const filled = Object.entries(result.data).filter(([key]) => (key === 'roleIds' ? names.length > 0 : raw[key as Key]))
  return { sent: Object.fromEntries(filled) as Partial<NewStaff>, input: result.data }
}

async function existing({ user }: Ctx, db: Db, account: string) {
  const [found] = await db
    .select()
    .from(accounts)
    .where(and(eq(sql`lower(${accounts.account})`, account.toLowerCase()), staffOf(user)))
    .for('update')
  return found
}

/** Only what the row says changes; an empty cell leaves things as they are. */
async function updateRow(ctx: Ctx, found: typeof accounts.$inferSelect, sent: Partial<NewStaff>) {
  const { account: _, roleIds, ...values } = sent
  await assertMayTouch(ctx, found)
  const changed = values as Partial<typeof found>
  await updateAccount(ctx, found.uid, { ...changed, ...touched(found, ctx.user.uid, ctx.now) })
  if (roleIds) await setRoles(ctx, found, roleIds)
}

async function rolesByName(ctx: Ctx) {
  const found = await ctx.db
    .select({ id: roles.id, name: roles.roleName })
    .from(roles)
    .where(and(eq(roles.tenantId, tenantOf(ctx)), alive(roles)))
    .limit(1000)
  return new Map(found.map(({ id, name }) => [name, id]))
}
