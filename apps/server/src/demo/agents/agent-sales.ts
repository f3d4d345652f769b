import { agentProducts } from '@oms/contract/agent/packages/product.ts'
import { sql } from 'drizzle-orm'
import { type Actor, runAsActor } from '#core/auth/system-actor.ts'
import type { Db } from '#core/database/client.ts'
import type { Services } from '#core/services.ts'
import { createProduct, disableProduct } from '#modules/agent/packages/product-save.ts'

interface DemoPackage {
  readonly name: string
  readonly code: string
  /** Unit and amount of each allowance; amount 0 is unlimited. */
  readonly allowances: readonly (readonly [unit: number, amount: number])[]
  readonly scope: 1 | 2 | 3
  readonly activateDays: number
  readonly validDays: number
  readonly price: number
  readonly originPrice?: number
  readonly isTrial?: 1
}

const DAYS = 1
const TURNS = 2
const MINUTES = 3
const CHARACTERS = 4
const TOKENS = 5

const PACKAGES: readonly DemoPackage[] = [
  {
    name: '新机体验·7天',
    code: 'ZNTRY7',
    allowances: [
      [DAYS, 7],
      [TURNS, 200],
    ],
    scope: 1,
    activateDays: 90,
    validDays: 7,
    price: 0,
    isTrial: 1,
  },
  {
    name: '语音基础·月卡',
    code: 'ZN30',
    allowances: [
      [DAYS, 30],
      [TURNS, 2000],
    ],
    scope: 1,
    activateDays: 180,
    validDays: 30,
    price: 990,
    originPrice: 1290,
  },
  {
    name: '语音畅聊·年卡',
    code: 'ZN365',
    allowances: [
      [DAYS, 365],
      [TURNS, 0],
    ],
    scope: 1,
    activateDays: 365,
    validDays: 365,
    price: 8800,
    originPrice: 11_800,
  },
  {
    name: '对话分钟包·600分钟',
    code: 'ZNM600',
    allowances: [[MINUTES, 600]],
    scope: 2,
    activateDays: 180,
    validDays: 180,
    price: 12_800,
  },
  {
    name: '播报字数包·100万字',
    code: 'ZNC100',
    allowances: [[CHARACTERS, 1_000_000]],
    scope: 2,
    activateDays: 365,
    validDays: 365,
    price: 19_800,
  },
  {
    name: '企业Token包·1亿',
    code: 'ZNT1Y',
    allowances: [[TOKENS, 100_000_000]],
    scope: 3,
    activateDays: 365,
    validDays: 365,
    price: 128_000,
    originPrice: 158_000,
  },
  { name: '展会体验包', code: 'ZNEXPO', allowances: [[DAYS, 3]], scope: 1, activateDays: 30, validDays: 3, price: 100 },
]
/** Code of the package that is no longer sold. */
const DISABLED = 'ZNEXPO'

/** Days since the packages were created. The first order is later. */
const DAYS_ON_SALE = 45

/** Creates packages of voice services, one for each unit and scope. */
export async function seedDemoAgentPackages(services: Services, db: Db, demo: Actor) {
  for (const [sort, { name, code, allowances, ...terms }] of PACKAGES.entries()) {
    const input = agentProducts.create.input.parse({
      packageName: name,
      packageCode: code,
      allowances: allowances.map(([unit, amount]) => ({ unit, amount })),
      sort,
      ...terms,
    })
    const { id } = await runAsActor(services, demo, { name: 'create', ...agentProducts.create, input }, (ctx) =>
      createProduct(ctx, input),
    )
    if (code === DISABLED)
      await runAsActor(services, demo, { name: 'disable', ...agentProducts.disable, input: { id } }, (ctx) =>
        disableProduct(ctx, { id }),
      )
  }
  const created = sql`now() - make_interval(days => ${DAYS_ON_SALE}::int)`
  await db.execute(sql`update agent_products set create_time = ${created}, update_time = ${created}`)
  await db.execute(sql`update agent_product_versions set create_time = ${created}`)
}
