import * as z from 'zod'
import { choice, limited, whole } from '../../core/fields.ts'
import { packagePrice, packageScope, YES_NO } from '../../core/package-fields.ts'

/** Units of allowances. */
export const ALLOWANCE_UNIT = { 1: '设备天数', 2: '对话轮数', 3: '语音分钟', 4: '字符数', 5: 'Token' } as const
type AllowanceUnit = keyof typeof ALLOWANCE_UNIT
/** Chinese unit names that are shown after an amount, by unit code. */
export const UNIT_SUFFIX: Readonly<Record<number, string>> = { 1: '天', 2: '轮', 3: '分钟', 4: '字', 5: 'Token' }
/** Scopes of a package: the allowances belong to one device, all devices of an agent, or all devices of a tenant. */
export const GRANT_SCOPE = { 1: '单台设备', 2: '单个智能体', 3: '整个客户' } as const
export const MAX_ALLOWANCES = 5
const MAX_AMOUNT = 100_000_000_000
export const MAX_DAYS = 3650

/** Formats an amount of a unit: `2,000 轮`. */
const amountText = (unit: number, amount: number) => `${amount.toLocaleString('en-US')} ${UNIT_SUFFIX[unit] ?? ''}`
/** Formats an allowance: `2,000 轮`. An amount of 0 is unlimited: `对话轮数不限`. */
export const formatAllowance = ({ unit, amount }: { readonly unit: number; readonly amount: number }) =>
  amount === 0 ? `${ALLOWANCE_UNIT[unit as AllowanceUnit]}不限` : amountText(unit, amount)

interface Balance {
  readonly unit: number
  readonly isUnlimited: boolean
  readonly left: number
  readonly total: number
}
/** Formats the remaining amount of an allowance: `1,500 / 2,000 轮`, without a limit `对话轮数不限`. */
export const balanceText = ({ unit, isUnlimited, left, total }: Balance) =>
  isUnlimited ? formatAllowance({ unit, amount: 0 }) : `${left.toLocaleString('en-US')} / ${amountText(unit, total)}`

export const Allowance = z.object({
  unit: choice('计量单位', ALLOWANCE_UNIT),
  /** Amount of the allowance; 0: unlimited. */
  amount: whole('数量', 0, MAX_AMOUNT),
})

const days = (title: string) => limited(title, 1, MAX_DAYS, `${title}应为1～${MAX_DAYS} 天`)

/** Terms of sale. A change of sold terms creates the next version of the package. */
export const packageTerms = {
  allowances: z
    .array(Allowance, '请添加套餐内容')
    .min(1, '请添加套餐内容')
    .max(MAX_ALLOWANCES, `套餐内容最多${MAX_ALLOWANCES}项`)
    .refine((list) => new Set(list.map(({ unit }) => unit)).size === list.length, '套餐内容的计量单位不能重复')
    .meta({ title: '套餐内容' }),
  scope: choice('使用范围', GRANT_SCOPE),
  /** Days after the payment in which the first connection must happen. */
  activateDays: days('激活期限'),
  /** Days from the first connection to the end. */
  validDays: days('有效期'),
  price: packagePrice('价格'),
  originPrice: packagePrice('原价').default(0).meta({ title: '原价', unit: 'fen' }),
  isTrial: choice('试用套餐', YES_NO).default(0).meta({ title: '试用套餐', labels: YES_NO }),
  modelIds: packageScope('适用型号').default([]).meta({ title: '适用型号' }),
  tenantIds: packageScope('适用客户').default([]).meta({ title: '适用客户' }),
}
export const AgentPackageTerms = z.object(packageTerms)
export type AgentPackageTerms = z.output<typeof AgentPackageTerms>
