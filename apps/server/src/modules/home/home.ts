import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { HOME_BLOCKS, type home as calls, type HomeBlock } from '@oms/contract/home/home.ts'
import type { Ctx } from '#core/http/context.ts'
import { adPlaysBlock, adScreensBlock } from './ad-blocks.ts'
import type { BlockSource } from './block.ts'
import { appAccountsBlock, devicesBlock, licensesBlock, tenantsBlock, ticketsBlock } from './fleet-blocks.ts'
import { noticesBlock, operationsBlock, accountsBlock, sessionsBlock } from './people-blocks.ts'
import { agentDevicesBlock, firmwareBlock, storageBlock, agentIncomeBlock, agentUsageBlock } from './stock-blocks.ts'
import { listVisibleDistributions, listVisibleTrends } from './trend.ts'

/** Returns the blocks that this account may see. Other blocks are not named. */
const granted = ({ user }: Ctx) => HOME_BLOCKS.filter((key) => BLOCKS_BY_KEY[key].may(user))

export const listHomeBlocks = (ctx: Ctx) => ({
  zone: ctx.services.config.timeZone,
  blocks: granted(ctx).map((key) => {
    const { title, resources } = BLOCKS_BY_KEY[key]
    return { key, title, resources: [...resources] }
  }),
  trends: listVisibleTrends(ctx.user),
  spreads: listVisibleDistributions(ctx.user),
})

export async function getBlockSummary(ctx: Ctx, { block }: ParsedOf<typeof calls.summary>) {
  const wanted = granted(ctx).filter((key) => block === undefined || key === block)
  const filled = []
  // Sequential: a tenant's account reads inside one transaction, which runs one query at a time.
  for (const key of wanted)
    filled.push({ key, title: BLOCKS_BY_KEY[key].title, ...(await BLOCKS_BY_KEY[key].load(ctx)) })
  return { blocks: filled }
}

/** All blocks in the order of the page. */
const BLOCKS_BY_KEY: Readonly<Record<HomeBlock, BlockSource>> = {
  devices: devicesBlock,
  tickets: ticketsBlock,
  tenants: tenantsBlock,
  appAccounts: appAccountsBlock,
  agentUsage: agentUsageBlock,
  agentIncome: agentIncomeBlock,
  adPlays: adPlaysBlock,
  adScreens: adScreensBlock,
  agentDevices: agentDevicesBlock,
  licenses: licensesBlock,
  firmware: firmwareBlock,
  accounts: accountsBlock,
  sessions: sessionsBlock,
  storage: storageBlock,
  notices: noticesBlock,
  operations: operationsBlock,
}
