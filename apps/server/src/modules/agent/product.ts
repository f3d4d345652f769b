import { formatAllowance, AgentPackageTerms, GRANT_SCOPE } from '@oms/contract/agent/packages/package-terms.ts'
import {
  type agentProducts as calls,
  agentProducts as contract,
  ProductRow,
  VOICE_PACKAGE_STATUS,
  ProductInput,
} from '@oms/contract/agent/packages/product.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { YES_NO } from '@oms/contract/core/package-fields.ts'
import { ENABLED_LABELS } from '@oms/contract/core/status-labels.ts'
import { and, asc, desc, eq, getTableColumns, sql } from 'drizzle-orm'
import { readFieldTitles } from '#core/audit/field-titles.ts'
import type { Db } from '#core/database/client.ts'
import { contains, buildSort, paginate, within, byName } from '#core/database/lists/list-query.ts'
import { notFound } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { FieldProblems } from '#core/http/field-problems.ts'
import { accounts } from '#core/schema/account.ts'
import { defineExport } from '#core/spreadsheet/export.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { createPackageStore, readPackageScopeNames } from '#modules/storage/index.ts'
import { agentProducts, agentProductVersions } from './schema/agent-orders.ts'

type Filter = Omit<ParsedOf<typeof calls.list>, 'pageNum' | 'pageSize'>

/** Joins a package with its current version, which new orders refer to. */
const isCurrentVersion = and(
  eq(agentProductVersions.packageId, agentProducts.id),
  eq(agentProductVersions.version, agentProducts.currentVersion),
)

/** Selects packages with their current terms. */
const selectProducts = (db: Db) =>
  db
    .select({ ...getTableColumns(agentProductVersions), ...getTableColumns(agentProducts) })
    .from(agentProducts)
    .innerJoin(agentProductVersions, isCurrentVersion)
type Selected = Awaited<ReturnType<typeof selectProducts>>[number]

const contentOf = ({ allowances }: Pick<Selected, 'allowances'>) => allowances.map(formatAllowance).join('、')

const present = (row: Selected) => ({
  ...row,
  // Only a sold version gets a successor.
  wasSold: row.isSold === 1 || row.version > 1 ? 1 : 0,
  content: contentOf(row),
  modelCount: row.modelIds.length,
  tenantCount: row.tenantIds.length,
})

const hasUnit = (unit: number) => sql`${agentProductVersions.allowances} @> ${JSON.stringify([{ unit }])}::jsonb`

const conditionsOf = (filter: Partial<Filter>) =>
  and(
    notDeleted(agentProducts),
    contains(agentProducts.packageName, filter.packageName),
    contains(agentProducts.packageCode, filter.packageCode),
    filter.scope === undefined ? undefined : eq(agentProductVersions.scope, filter.scope),
    filter.unit === undefined ? undefined : hasUnit(filter.unit),
    filter.isTrial === undefined ? undefined : eq(agentProductVersions.isTrial, filter.isTrial),
    filter.status === undefined ? undefined : eq(agentProducts.status, filter.status),
    ...within(agentProducts.createTime, filter.beginTime, filter.endTime),
  )

const productOrder = (filter: Pick<Filter, 'orderByColumn' | 'isAsc'>) =>
  buildSort(
    filter,
    {
      sort: agentProducts.sort,
      packageName: byName(agentProducts.packageName),
      price: agentProductVersions.price,
      validDays: agentProductVersions.validDays,
      createTime: agentProducts.createTime,
      updateTime: agentProducts.updateTime,
    },
    agentProducts.id,
    [asc(agentProducts.sort), asc(agentProducts.id)],
  )

export async function listProducts({ db }: Ctx, input: ParsedOf<typeof calls.list>) {
  const rows = selectProducts(db).where(conditionsOf(input)).$dynamic()
  const page = await paginate(db, rows, input, productOrder(input))
  return { ...page, list: page.list.map(present) }
}

export async function getVoicePackage({ db, user }: Ctx, { id }: ParsedOf<typeof calls.get>) {
  const [found] = await selectProducts(db).where(and(eq(agentProducts.id, id), notDeleted(agentProducts)))
  if (!found) throw notFound('套餐')
  return { ...present(found), ...(await readPackageScopeNames(db, user, found)) }
}

export async function listProductVersions(ctx: Ctx, { id }: ParsedOf<typeof calls.versions>) {
  const { db } = ctx
  await getVoicePackage(ctx, { id })
  const rows = await db
    .select({
      ...getTableColumns(agentProductVersions),
      createName: sql<string>`coalesce(nullif(${accounts.realname}, ''), ${accounts.account}, '')`.as('create_name'),
    })
    .from(agentProductVersions)
    .leftJoin(accounts, eq(accounts.uid, agentProductVersions.createBy))
    .where(eq(agentProductVersions.packageId, id))
    .orderBy(desc(agentProductVersions.version))
  return { list: rows.map((row) => ({ ...row, content: contentOf(row) })) }
}

const number = { type: 'number', width: 12 } as const

export const exportProducts = defineExport({
  kind: 'agentProduct',
  endpoint: contract.export,
  sheet: '套餐',
  schema: ProductRow,
  columns: [
    ['packageName', { width: 24 }],
    ['packageCode', { width: 20 }],
    ['content', { width: 40 }],
    ['scope', { width: 12 }],
    ['activateDays', { title: '激活期限（天）', ...number }],
    ['validDays', { title: '有效期（天）', ...number }],
    'price',
    'originPrice',
    ['isTrial', { width: 10 }],
    ['wasSold', { width: 10 }],
    ['version', number],
    ['sort', number],
    ['status', { width: 10 }],
    ['description', { width: 40 }],
    ['createTime', { type: 'dateTime', width: 20 }],
    ['updateTime', { type: 'dateTime', width: 20 }],
  ],
  key: agentProducts.id,
  join: (query) => query.innerJoin(agentProductVersions, isCurrentVersion),
  where: (_user, input) => conditionsOf(input),
  order: productOrder,
  load: async (db, _user, where) => (await selectProducts(db).where(where)).map(present),
  keyOf: ({ id }) => id,
})

const DEVICE_SCOPE = 1

const WORDS: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  scope: GRANT_SCOPE,
  isTrial: YES_NO,
  status: VOICE_PACKAGE_STATUS,
}

const wordOf = (field: string, value: unknown) =>
  field === 'allowances'
    ? (value as AgentPackageTerms['allowances']).map(formatAllowance).join('、')
    : (WORDS[field]?.[value as number] ?? value)

const store = createPackageStore({
  packages: agentProducts,
  versions: agentProductVersions,
  kind: 'agentProduct',
  resource: 'agent',
  noun: '套餐',
  statusLabels: ENABLED_LABELS,
  titles: { ...readFieldTitles(ProductInput.shape), status: '状态' },
  inWords: (fields) => Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, wordOf(key, value)])),
  clashes: {
    agent_products_name: ['套餐名称已存在', 'packageName'],
    agent_products_code: ['套餐编码已存在', 'packageCode'],
  },
  soldText: '套餐已有订单，不能删除，可以停用',
  savedText: (version) => `已保存为版本 ${version}，已售出的订单不受影响`,
})

/** Splits the input into the columns of the package and those of the version. */
function split<T extends Omit<ParsedOf<typeof calls.update>, 'id' | 'rev'>>(input: T) {
  const { packageName, packageCode, description, sort, ...rest } = input
  return { label: { packageName, packageCode, description, sort }, terms: AgentPackageTerms.parse(rest) }
}

/**
 * Refuses a trial and a limit to models for packages that several devices share. A trial is counted by device, and shared
 * grants are spent by all devices of an agent or a tenant, whatever their models.
 */
function assertDeviceTerms({ scope, isTrial, modelIds }: Pick<AgentPackageTerms, 'scope' | 'isTrial' | 'modelIds'>) {
  if (scope === DEVICE_SCOPE) return
  const problems = new FieldProblems()
  if (isTrial === 1) problems.add('isTrial', '试用套餐的使用范围应为单台设备')
  if (modelIds.length > 0) problems.add('modelIds', '只有单台设备的套餐可以限定适用型号')
  problems.throwIfAny()
}

export async function createProduct(ctx: Ctx, input: ParsedOf<typeof calls.create>) {
  assertDeviceTerms(input)
  return store.create(ctx, { ...split(input), status: input.status })
}

export async function updateProduct(ctx: Ctx, input: ParsedOf<typeof calls.update>) {
  assertDeviceTerms(input)
  return store.update(ctx, { ...split(input), id: input.id, rev: input.rev })
}

export const enableProduct = (ctx: Ctx, { id }: ParsedOf<typeof calls.enable>) => store.setStatus(ctx, id, 1)
export const disableProduct = (ctx: Ctx, { id }: ParsedOf<typeof calls.disable>) => store.setStatus(ctx, id, 0)
export const removeProduct = (ctx: Ctx, { id }: ParsedOf<typeof calls.remove>) => store.remove(ctx, id)
