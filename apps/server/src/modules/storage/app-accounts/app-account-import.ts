import {
  APP_IMPORT_COLUMNS,
  AppAccountInput,
  AppAccountRow,
  appAccount,
  REGISTER_SOURCE,
} from '@oms/contract/storage/app-account.ts'
import type * as z from 'zod'
import { type ApiError, conflict, invalid } from '#core/http/api-error.ts'
import { EXAMPLE_MARK, type ImportCtx, type LineOutcome, type ReadLine } from '#core/spreadsheet/import/lines.ts'
import { defineImport } from '#core/spreadsheet/import/import.ts'
import { requireTenant } from '#modules/account/new-account.ts'
import { findReceivingTenantProblem } from '#core/tenancy/tenant-state.ts'
import { APP_ACCOUNT_VIOLATIONS } from './app-account.ts'
import {
  mergeLines,
  NO_ACCOUNTS,
  readStoredAccounts,
  type StoredAccounts,
  writeAccounts,
} from './app-account-import-write.ts'

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
