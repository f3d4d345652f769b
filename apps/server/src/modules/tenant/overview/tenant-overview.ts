import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { tenant } from '@oms/contract/tenant/tenant.ts'
import { OVERVIEW_BLOCKS, type OverviewBlock, type OverviewBlockKey } from '@oms/contract/tenant/tenant-info.ts'
import type * as z from 'zod'
import { and, between, eq, inArray, sql } from 'drizzle-orm'
import type { Ctx, User } from '#core/http/context.ts'
import { forbidden } from '#core/http/api-error.ts'
import { addDays } from '#core/time/zone.ts'
import { ossCounts, ossEnds, ossFlows } from '#modules/storage/schema.ts'
import { appAccountsBlock, applicationsBlock, devicesBlock, loginsBlock, staffBlock } from './overview-blocks.ts'
import { licensesBlock, ticketsBlock } from './overview-service-blocks.ts'
import { voiceBlock } from './overview-voice-block.ts'
import { assertTenantVisible, readTenant } from '../tenant-rows.ts'
import { findLastDays } from './last-days.ts'

const [WAITING, IN_FORCE] = [0, 1]
/** Kinds of flows that are sales: opened and renewed. */
const SALES = [1, 2]

/** Counts the tenant's entitlements to cloud storage, from the sums. */
const storageBlock: OverviewBlockSource = {
  title: '云存储',
  may: (user) => user.can('ossManage:deviceList:list'),
  async load(ctx, tenantId) {
    const { db } = ctx
    const { from, to: today } = findLastDays(ctx, 30)
    const last = addDays(today, 30)
    const [states] = await db
      .select({
        inForce: sql<number>`coalesce(sum(n) filter (where state = ${IN_FORCE}), 0)::int`,
        waiting: sql<number>`coalesce(sum(n) filter (where state = ${WAITING}), 0)::int`,
      })
      .from(ossCounts)
      .where(eq(ossCounts.tenantId, tenantId))
    const [ends] = await db
      .select({ n: sql<number>`coalesce(sum(n), 0)::int` })
      .from(ossEnds)
      .where(and(eq(ossEnds.tenantId, tenantId), between(ossEnds.day, today, last)))
    const [sold] = await db
      .select({ n: sql<number>`coalesce(sum(n), 0)::int` })
      .from(ossFlows)
      .where(and(eq(ossFlows.tenantId, tenantId), inArray(ossFlows.kind, SALES), between(ossFlows.day, from, today)))
    const url = `/ossManage/deviceList?tenantId=${tenantId}`
    const ending = ends?.n ?? 0
    return {
      figures: [
        { label: '使用中通道', value: states?.inForce ?? 0, tone: 'good', url: `${url}&state=${IN_FORCE}` },
        { label: '待生效套餐', value: states?.waiting ?? 0, url: `${url}&state=${WAITING}` },
        { label: '近30天开通', value: sold?.n ?? 0, url: `${url}&flow=9&flowBegin=${from}&flowEnd=${today}` },
        {
          label: '30天内云存到期',
          value: ending,
          ...(ending > 0 ? { tone: 'warn' as const } : {}),
          url: `${url}&queueEndBegin=${today}&queueEndEnd=${last}`,
        },
      ],
      bars: [],
      rows: [],
      url,
    }
  },
}

export type BlockData = Omit<z.input<typeof OverviewBlock>, 'key' | 'title'>

/** A block of a tenant's page: its permission and its content. */
export interface OverviewBlockSource {
  readonly title: string
  may(user: User): boolean
  load(ctx: Ctx, tenantId: number): Promise<BlockData>
}

const BLOCKS: Readonly<Record<OverviewBlockKey, OverviewBlockSource>> = {
  devices: devicesBlock,
  licenses: licensesBlock,
  storage: storageBlock,
  voice: voiceBlock,
  tickets: ticketsBlock,
  staff: staffBlock,
  logins: loginsBlock,
  applications: applicationsBlock,
  appAccounts: appAccountsBlock,
}

export async function getTenantOverview(ctx: Ctx, { id }: ParsedOf<typeof tenant.overview>) {
  const found = await readTenant(ctx, id)
  return {
    tenant: found,
    blocks: OVERVIEW_BLOCKS.flatMap((key) => {
      const block = BLOCKS[key]
      return block.may(ctx.user) ? [{ key, title: block.title }] : []
    }),
  }
}

export async function getOverviewBlock(ctx: Ctx, { id, block: key }: ParsedOf<typeof tenant.overviewBlock>) {
  const block = BLOCKS[key]
  if (!block.may(ctx.user)) throw forbidden()
  await assertTenantVisible(ctx, id)
  return { key, title: block.title, ...(await block.load(ctx, id)) }
}
