import {
  APP_IMPORT_COLUMNS,
  AppAccountInput,
  AppAccountRow,
  appAccount,
  REGISTER_SOURCE,
} from '@oms/contract/storage/app-account.ts'
import { and, eq, sql } from 'drizzle-orm'
import type * as z from 'zod'
import { toUniqueViolation } from '#core/database/error-codes.ts'
import { ApiError, conflict, invalid } from '#core/http/api-error.ts'
import { appAccounts } from '#core/schema/tenant.ts'
import { defineImport } from '#core/spreadsheet/import/import.ts'
import {
  EXAMPLE_MARK,
  type ImportCtx,
  type LineOutcome,
  type ReadLine,
  omitEmptyFields,
} from '#core/spreadsheet/import/lines.ts'
import { notDeleted, scoped } from '#core/tenancy/tenancy.ts'
import { findReceivingTenantProblem } from '#core/tenancy/tenant-state.ts'
import { requireTenant } from '#modules/account/index.ts'
import { APP_ACCOUNT_VIOLATIONS } from './app-account.ts'

const SOURCES = new Map(Object.entries(REGISTER_SOURCE).map(([code, word]) => [word as string, code]))

type Input = z.output<typeof AppAccountInput>
type Line = ReadLine<Input>
interface State {
  readonly tenantId: number
  /** Reason why the tenant receives no new accounts. */
  readonly problem: string | undefined
  readonly update: boolean
  /** A dry run neither locks nor writes rows. */
  readonly isDryRun: boolean
  /** Stored accounts that the lines of the current batch name, or whose mobile number they name. */
  stored: StoredAccounts
  /** Row number of the first line of each account name in lower case. */
  readonly seen: Map<string, number>
  /** Mobile numbers that accepted lines set, by account name in lower case; undefined for an unchanged number. */
  readonly mobiles: Map<string, string | undefined>
  /** Account names in lower case and row numbers by the mobile numbers that accepted lines set. */
  readonly owners: Map<string, { readonly name: string; readonly row: number }>
  /** Account names in lower case that earlier batches and lines have created or updated. */
  readonly taken: Set<string>
}

/** Imports App accounts of the session's tenant from a spreadsheet, for migration from another system. */
export const importAppAccounts = defineImport({
  kind: 'appAccount',
  endpoint: appAccount.import,
  name: 'App账号',
  schema: AppAccountInput,
  required: ['account'],
  exportedRow: AppAccountRow,
  columns: APP_IMPORT_COLUMNS,
  example: {
    account: 'user_0001',
    mobileNo: '13800000000',
    email: 'user@example.com',
    nickname: '示例用户',
    region: '浙江省杭州市',
    registerTime: '2026-01-01 08:00:00',
    registerSource: 'App',
    lastActiveTime: '',
    remark: EXAMPLE_MARK,
  },
  async prepare(ctx, { update, dryRun }): Promise<State> {
    const tenantId = requireTenant(ctx)
    return {
      tenantId,
      problem: await findReceivingTenantProblem(ctx.db, tenantId),
      update: update === '1',
      isDryRun: Number(dryRun) === 1,
      stored: NO_ACCOUNTS,
      seen: new Map(),
      mobiles: new Map(),
      owners: new Map(),
      taken: new Set(),
    }
  },
  cells: (given) => {
    const { registerSource, ...rest } = given
    // An empty cell gets the default of the schema.
    return { ...rest, ...(registerSource && { registerSource: SOURCES.get(registerSource) ?? registerSource }) }
  },
  async load(ctx, lines, state) {
    state.stored = await readStoredAccounts(ctx, state.tenantId, lines)
  },
  findProblems: (_ctx, fields, state) => findProblems(fields, state),
  accept: noteLine,
  takeMany,
  async finish({ db, services }, { tenantId, isDryRun }) {
    if (!isDryRun) await services.events.publish(db, 'changed', { resource: 'account', tenantId })
  },
})

/** Returns the problems of a line with stored accounts and with earlier lines, one for each field. */
function findProblems({ account, mobileNo }: Partial<Input>, state: State) {
  const problems: ApiError[] = []
  if (account !== undefined) {
    const earlier = state.seen.get(account.toLowerCase())
    const isKnown = earlier !== undefined || state.stored.byName.has(account.toLowerCase())
    if (isKnown && (!state.update || state.stored.hidden.has(account.toLowerCase())))
      problems.push(invalid(earlier === undefined ? '账号已存在' : `与第${earlier}行的账号重复`, 'account'))
    if (!isKnown && state.problem) problems.push(invalid(state.problem))
  }
  // A line without a valid account name may be the update that keeps the mobile number.
  const mayBeOwn = account === undefined && state.update
  const problem = mobileNo && !mayBeOwn && findMobileProblem(mobileNo, account, state)
  if (problem) problems.push(problem)
  return problems
}

/** Returns a problem when another account has the mobile number. Earlier lines may have given or taken the number. */
function findMobileProblem(mobileNo: string, account: string | undefined, { owners, stored, mobiles }: State) {
  const isOther = (name: string | undefined) => name !== undefined && name !== account?.toLowerCase()
  const earlier = owners.get(mobileNo)
  if (earlier && isOther(earlier.name)) return conflict(`与第${earlier.row}行的手机号重复`, 'mobileNo')
  const owner = stored.ownerByMobile.get(mobileNo)
  const isTaken = owner !== undefined && isOther(owner) && (mobiles.get(owner) ?? mobileNo) === mobileNo
  return isTaken ? conflict(...APP_ACCOUNT_VIOLATIONS.app_accounts_mobile) : undefined
}

/** Remembers the account of a line and its mobile number, which a dry run does not store. */
function noteLine({ account, mobileNo }: Input, { seen, mobiles, owners }: State, row: number) {
  const name = account.toLowerCase()
  const before = mobiles.get(name)
  if (!seen.has(name)) seen.set(name, row)
  if (mobileNo && before && owners.get(before)?.name === name) owners.delete(before)
  if (mobileNo) owners.set(mobileNo, { name, row })
  mobiles.set(name, mobileNo ?? before)
}

/** Writes the lines unless the run is a dry run. Later lines of one account update the account. */
async function takeMany(ctx: ImportCtx, lines: readonly Line[], state: State): Promise<LineOutcome[]> {
  const { stored, taken, tenantId, isDryRun } = state
  const refused = isDryRun ? NONE_REFUSED : await writeAccounts(ctx, mergeLines(lines, stored), tenantId)
  return lines.map(({ input }) => {
    const name = input.account.toLowerCase()
    const isUpdate = stored.byName.has(name) || taken.has(name)
    taken.add(name)
    return refused.get(name) ?? (isUpdate ? 'updated' : 'created')
  })
}

const NONE_REFUSED: ReadonlyMap<string, ApiError> = new Map()

interface StoredAccounts {
  /** Ids by account name in lower case. */
  readonly byName: ReadonlyMap<string, number>
  /** Account names in lower case that the list of the importing account does not show. */
  readonly hidden: ReadonlySet<string>
  /** Account names in lower case by mobile number. */
  readonly ownerByMobile: ReadonlyMap<string, string>
}

const NO_ACCOUNTS: StoredAccounts = { byName: new Map(), hidden: new Set(), ownerByMobile: new Map() }

/** Reads the accounts of a tenant that have an account name or a mobile number of the lines. */
async function readStoredAccounts(
  { db, user }: Pick<ImportCtx, 'db' | 'user'>,
  tenantId: number,
  lines: readonly Partial<Input>[],
): Promise<StoredAccounts> {
  const isStored = and(eq(appAccounts.tenantId, tenantId), notDeleted(appAccounts))
  const isShown = sql<boolean>`${scoped(user, { tenant: appAccounts.tenantId, creator: appAccounts.createBy }) ?? sql`true`}`
  const name = sql<string>`lower(${appAccounts.account})`
  const isOneOf = (column: typeof name | typeof appAccounts.mobileNo, texts: string[]) =>
    sql`${column} = any(${sql.param(texts)}::text[])`
  const names = lines.flatMap(({ account }) => account?.toLowerCase() ?? [])
  const numbers = lines.flatMap(({ mobileNo }) => mobileNo ?? [])
  const named = await db
    .select({ name, uid: appAccounts.uid, isShown })
    .from(appAccounts)
    .where(and(isStored, isOneOf(name, names)))
  const numbered = await db
    .select({ mobileNo: sql<string>`${appAccounts.mobileNo}`, name })
    .from(appAccounts)
    .where(and(isStored, isOneOf(appAccounts.mobileNo, numbers)))
  return {
    byName: new Map(named.map((row) => [row.name, row.uid])),
    hidden: new Set(named.flatMap((row) => (row.isShown ? [] : [row.name]))),
    ownerByMobile: new Map(numbered.map((row) => [row.mobileNo, row.name])),
  }
}

/** Values to write to one account. */
interface MergedAccount {
  /** Account name in lower case. */
  readonly name: string
  /** Undefined for a new account. */
  readonly uid: number | undefined
  readonly fields: Partial<Input>
}

/** Merges the lines of each account. An absent column or an empty cell keeps the value of an existing account. */
function mergeLines(lines: readonly ReadLine<Input>[], stored: StoredAccounts): MergedAccount[] {
  const merged = new Map<string, MergedAccount>()
  for (const { input, filled } of lines) {
    const name = input.account.toLowerCase()
    const earlier = merged.get(name)
    const uid = stored.byName.get(name)
    const isNew = earlier === undefined && uid === undefined
    const fields = isNew ? input : { ...earlier?.fields, ...omitEmptyFields(input, filled) }
    merged.set(name, { name, uid, fields })
  }
  return [...merged.values()]
}

/**
 * Writes the accounts with few statements. Returns the accounts that are refused because another call has taken their
 * account name or mobile number meanwhile, by account name in lower case.
 */
async function writeAccounts(
  ctx: ImportCtx,
  list: readonly MergedAccount[],
  tenantId: number,
): Promise<ReadonlyMap<string, ApiError>> {
  const refused = new Map<string, ApiError>()
  const problem = await tryWrite(ctx, list, tenantId)
  if (!problem) return refused
  for (const each of list) {
    const own = list.length === 1 ? problem : await tryWrite(ctx, [each], tenantId)
    if (own) refused.set(each.name, own)
  }
  return refused
}

/** Writes the accounts in a savepoint. Writes nothing and returns the error after a unique violation. */
const tryWrite = (ctx: ImportCtx, list: readonly MergedAccount[], tenantId: number): Promise<ApiError | undefined> =>
  ctx.db
    .transaction(async (db) => {
      await updateAccounts({ ...ctx, db }, list)
      await insertAccounts({ ...ctx, db }, list, tenantId)
      return undefined
    })
    .catch((error: unknown) => {
      const violation = toUniqueViolation(error, APP_ACCOUNT_VIOLATIONS)
      if (violation instanceof ApiError) return violation
      throw error
    })

const COLUMNS = sql.raw(`x(uid int, account text, mobile text, email text, nickname text, region text,
  registered text, source int, active text, remark text)`)

/** Passes all accounts as one JSON parameter, because building many parameters takes longer than the statement. */
const buildRows = (list: readonly MergedAccount[]) => {
  const rows = list.map(({ uid, fields }) => ({
    uid,
    account: fields.account,
    mobile: fields.mobileNo,
    email: fields.email,
    nickname: fields.nickname,
    region: fields.region,
    registered: fields.registerTime,
    source: fields.registerSource,
    active: fields.lastActiveTime,
    remark: fields.remark,
  }))
  return sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as ${COLUMNS}`
}

async function updateAccounts({ db, user, now }: ImportCtx, list: readonly MergedAccount[]) {
  const known = list.filter(({ uid }) => uid !== undefined)
  if (known.length === 0) return
  const rows = buildRows(known)
  // Locks in the order of the ids, so that two imports cannot deadlock.
  await db.execute(sql`select a.uid from app_accounts a join ${rows} on x.uid = a.uid order by a.uid for update of a`)
  // Frees the old numbers first, because an account may receive the old number of another account of the file.
  await db.execute(sql`update app_accounts a set mobile_no = null from ${rows}
    where x.uid = a.uid and x.mobile is not null and a.mobile_no is distinct from x.mobile`)
  await db.execute(sql`update app_accounts a set account = coalesce(x.account, a.account),
      mobile_no = coalesce(x.mobile, a.mobile_no), email = coalesce(x.email, a.email),
      nickname = coalesce(x.nickname, a.nickname), region = coalesce(x.region, a.region),
      register_time = coalesce(x.registered::timestamptz, a.register_time),
      register_source = coalesce(x.source, a.register_source),
      last_active_time = coalesce(x.active::timestamptz, a.last_active_time), remark = coalesce(x.remark, a.remark),
      rev = a.rev + 1, update_by = ${user.uid}, update_time = ${now.toISOString()}
    from ${rows} where x.uid = a.uid`)
}

async function insertAccounts({ db, user }: ImportCtx, list: readonly MergedAccount[], tenantId: number) {
  const added = list.filter(({ uid }) => uid === undefined)
  if (added.length === 0) return
  await db.execute(sql`insert into app_accounts (tenant_id, account, mobile_no, email, nickname, region, register_time,
      register_source, last_active_time, remark, create_by, update_by)
    select ${tenantId}, x.account, x.mobile, x.email, coalesce(x.nickname, ''), coalesce(x.region, ''),
      coalesce(x.registered::timestamptz, now()), coalesce(x.source, 1), x.active::timestamptz, coalesce(x.remark, ''),
      ${user.uid}, ${user.uid}
    from ${buildRows(added)}`)
}
