import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { tenant } from '@oms/contract/tenant/tenant.ts'
import { OVERVIEW_BLOCKS, type OverviewBlock, type OverviewBlockKey } from '@oms/contract/tenant/tenant-info.ts'
import type * as z from 'zod'
import type { Ctx, User } from '#core/http/context.ts'
import { forbidden } from '#core/http/api-error.ts'
import { appAccountsBlock, applicationsBlock, devicesBlock, loginsBlock, staffBlock } from './overview-blocks.ts'
import { licensesBlock, ticketsBlock } from './overview-service-blocks.ts'
import { storageBlock } from './overview-storage-block.ts'
import { voiceBlock } from './overview-voice-block.ts'
import { assertTenantVisible, readTenant } from '../tenant-rows.ts'

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
