import { AgentPackageTerms, formatAllowance, GRANT_SCOPE } from '@oms/contract/agent/packages/package-terms.ts'
import {
  type agentProducts as calls,
  VOICE_PACKAGE_STATUS,
  ProductInput,
} from '@oms/contract/agent/packages/product.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { ENABLED_LABELS } from '@oms/contract/core/status-labels.ts'
import { YES_NO } from '@oms/contract/core/package-fields.ts'
import { readFieldTitles } from '#core/audit/field-titles.ts'
import { FieldProblems } from '#core/http/field-problems.ts'
import type { Ctx } from '#core/http/context.ts'
import { createPackageStore } from '#modules/storage/package-store.ts'
import { agentProducts, agentProductVersions } from '../schema/agent-sales.ts'

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
